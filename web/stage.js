// The stage: a night in which every sound is seen where it is heard. A pillar of light is a voice, as high
// as it is loud; sparkles are lit by what is asked for.

import { MOVES, fit, share, soundColour } from "./look.js";

const GROUND = 0.9; // of the height
const STARS = Array.from({ length: 90 }, (_, i) => {
  const spread = (n) => (Math.sin(i * n) * 43758.5453) % 1;
  return { x: Math.abs(spread(12.9898)), y: Math.abs(spread(78.233)) ** 1.4, size: 0.4 + Math.abs(spread(3.7)) };
});

// Soft round lights, one for each colour: drawn once, and then only copied.
const lights = new Map();

function light(colour) {
  if (!lights.has(colour)) {
    const size = 64;
    const sprite = new OffscreenCanvas(size, size);
    const context = sprite.getContext("2d");
    const glow = context.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
    glow.addColorStop(0, `${colour}ff`);
    glow.addColorStop(0.14, `${colour}e0`);
    glow.addColorStop(0.3, `${colour}48`);
    glow.addColorStop(1, `${colour}00`);
    context.fillStyle = glow;
    context.fillRect(0, 0, size, size);
    lights.set(colour, sprite);
  }
  return lights.get(colour);
}

// What changes slowly, from 0 to 1: it glides, so that nothing jumps.
const mood = { storm: 0, water: 0, cave: 0 };
// How high each slot's pillar is, and of which colour and where it was last.
const pillars = new Map();

function glide(from, to, seconds, time) {
  return from + (to - from) * (1 - Math.exp(-seconds / time));
}

let drawnAt = 0;

export function drawStage(canvas, frame, now) {
  const { context, width, height } = fit(canvas);
  const seconds = Math.min(0.1, (now - drawnAt) / 1000);
  drawnAt = now;
  for (const name of Object.keys(mood)) mood[name] = glide(mood[name], frame[name] ? 1 : 0, seconds, 0.25);
  const place = { context, width, height, ground: height * GROUND, time: MOVES ? now / 1000 : 0 };
  sky(place);
  drawPillars(place, frame, seconds);
  hills(place);
  if (MOVES) sparkles(place, frame.sparkles);
  hero(place, frame);
  if (mood.water > 0.01) water(place);
  if (mood.cave > 0.01) cave(place);
}

function sky({ context, width, height, time }) {
  const night = context.createLinearGradient(0, 0, 0, height);
  night.addColorStop(0, "#080a14");
  night.addColorStop(0.7, "#141a33");
  night.addColorStop(1, "#222a4a");
  context.globalAlpha = 1;
  context.fillStyle = night;
  context.fillRect(0, 0, width, height);
  if (mood.storm > 0.01) {
    const clouds = context.createLinearGradient(0, 0, 0, height);
    clouds.addColorStop(0, "#4a2f6b");
    clouds.addColorStop(1, "#4a2f6b00");
    context.globalAlpha = 0.45 * mood.storm;
    context.fillStyle = clouds;
    context.fillRect(0, 0, width, height);
  }
  context.fillStyle = "#dfe6ff";
  for (const { x, y, size } of STARS) {
    context.globalAlpha = (0.25 + 0.2 * Math.sin(time * size + x * 40)) * (1 - 0.7 * mood.storm);
    context.beginPath();
    context.arc(x * width, y * height * 0.8, size, 0, 7);
    context.fill();
  }
  context.globalAlpha = 1;
}

function drawPillars({ context, width, height, ground }, frame, seconds) {
  for (const pillar of pillars.values()) pillar.goal = 0;
  for (const { slot, sound, level, pan, playing } of frame.cells) {
    const pillar = pillars.get(slot) ?? { high: 0, x: pan };
    const sprang = pillar.sound !== sound;
    Object.assign(pillar, {
      sound,
      goal: playing ? share(level + 6) : 0,
      x: sprang ? pan : glide(pillar.x, pan, seconds, 0.05),
    });
    pillars.set(slot, pillar);
  }
  context.globalCompositeOperation = "lighter";
  for (const [slot, pillar] of pillars) {
    pillar.high = glide(pillar.high, pillar.goal, seconds, pillar.goal > pillar.high ? 0.03 : 0.18);
    if (pillar.high < 0.01 && pillar.goal === 0) {
      pillars.delete(slot);
      continue;
    }
    const x = width * (0.5 + 0.48 * pillar.x);
    const high = pillar.high ** 1.5 * height * 0.62;
    const wide = Math.max(18, width * 0.035);
    const colour = soundColour(pillar.sound);
    const up = context.createLinearGradient(0, ground, 0, ground - high);
    up.addColorStop(0, `${colour}66`);
    up.addColorStop(1, `${colour}00`);
    context.globalAlpha = 0.28 + 0.5 * pillar.high;
    context.fillStyle = up;
    context.beginPath();
    context.moveTo(x - wide / 5, ground + 4);
    context.lineTo(x - wide / 2, ground - high);
    context.lineTo(x + wide / 2, ground - high);
    context.lineTo(x + wide / 5, ground + 4);
    context.fill();
    context.drawImage(light(colour), x - wide, ground - wide / 2, 2 * wide, wide);
  }
  context.globalAlpha = 1;
  context.globalCompositeOperation = "source-over";
}

function hills({ context, width, height, ground }) {
  const ridge = (base, tall, rate, phase, colour) => {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x += 8) {
      const at = (x / width) * rate + phase;
      context.lineTo(x, base - tall * (Math.sin(at) + 0.4 * Math.sin(2.7 * at + 1)));
    }
    context.lineTo(width, height);
    context.fill();
  };
  ridge(ground + 1, height * 0.018, 7, 0.4, "#0f1526");
  ridge(ground + height * 0.04, height * 0.01, 4, 2, "#0a0e1a");
}

function sparkles({ context, width, height }, sparkles) {
  const size = Math.max(9, Math.min(16, width / 64));
  context.globalCompositeOperation = "lighter";
  for (let i = 0; i < sparkles.length; i += 4) {
    const glow = sparkles[i + 2];
    const wide = size * (0.45 + 0.9 * glow);
    context.globalAlpha = Math.min(0.85, 0.15 + 0.8 * glow);
    context.drawImage(
      light(soundColour(sparkles[i + 3])),
      sparkles[i] * width - wide / 2,
      (1 - sparkles[i + 1]) * height - wide / 2,
      wide,
      wide,
    );
  }
  context.globalAlpha = 1;
  context.globalCompositeOperation = "source-over";
}

// Hat, cloak and wand. The wand is up while it is waved.
function hero({ context, width, height, ground, time }, { hero, sinceWave }) {
  const tall = Math.max(34, height * 0.15);
  const waved = sinceWave === null ? 0 : Math.max(0, 1 - sinceWave / 0.6);
  const x = width * (0.5 + 0.48 * hero);
  context.save();
  context.translate(x, ground + tall * 0.12);
  context.scale(tall / 100, tall / 100);
  context.fillStyle = "#2b3358";
  context.strokeStyle = "#8f9bd0";
  context.lineWidth = 2;
  context.lineJoin = "round";
  const shape = (path) => {
    const outline = new Path2D(path);
    context.fill(outline);
    context.stroke(outline);
  };
  shape("M-22 0 Q-16 -40 0 -62 Q16 -40 22 0 Z");
  context.fillStyle = "#e9c9a8";
  context.beginPath();
  context.arc(0, -64, 9, 0, 7);
  context.fill();
  context.fillStyle = "#2b3358";
  shape("M-17 -69 Q0 -64 17 -69 L3 -100 Z");
  const angle = -0.5 - 0.9 * waved;
  const [tipX, tipY] = [10 + 42 * Math.cos(angle), -44 + 42 * Math.sin(angle)];
  context.strokeStyle = "#c9a36b";
  context.lineWidth = 3.5;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(10, -44);
  context.lineTo(tipX, tipY);
  context.stroke();
  context.globalCompositeOperation = "lighter";
  const glow = 22 + 70 * waved + 3 * Math.sin(time * 3);
  context.drawImage(light("#ffd75f"), tipX - glow / 2, tipY - glow / 2, glow, glow);
  context.restore();
}

function water({ context, width, height, time }) {
  context.globalAlpha = 0.5 * mood.water;
  const deep = context.createLinearGradient(0, 0, 0, height);
  deep.addColorStop(0, "#0f6d8c");
  deep.addColorStop(1, "#02243f");
  context.fillStyle = deep;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = "lighter";
  context.fillStyle = "#7fe7ff";
  for (let ray = 0; ray < 7; ray++) {
    const x = width * ((ray + 0.5) / 7 + 0.03 * Math.sin(time * 0.5 + ray * 2));
    context.globalAlpha = mood.water * (0.05 + 0.03 * Math.sin(time * 0.8 + ray * 1.3));
    context.beginPath();
    context.moveTo(x - 10, 0);
    context.lineTo(x + 30, 0);
    context.lineTo(x + width * 0.1, height);
    context.lineTo(x - width * 0.02, height);
    context.fill();
  }
  context.globalCompositeOperation = "source-over";
  context.globalAlpha = 1;
}

function cave({ context, width, height }) {
  const dark = context.createRadialGradient(
    width / 2,
    height * 0.7,
    height * 0.25,
    width / 2,
    height * 0.6,
    Math.max(width * 0.62, height),
  );
  dark.addColorStop(0, "#05060a00");
  dark.addColorStop(1, "#05060af2");
  context.globalAlpha = mood.cave;
  context.fillStyle = dark;
  context.fillRect(0, 0, width, height);
  context.fillStyle = "#0d0c10";
  context.beginPath();
  context.moveTo(0, 0);
  const teeth = Math.max(8, Math.round(width / 70));
  for (let tooth = 0; tooth <= teeth; tooth++) {
    const long = height * (0.06 + 0.13 * Math.abs(Math.sin(tooth * 2.4) * Math.sin(tooth * 1.1 + 1))) * mood.cave;
    context.lineTo((width * (tooth + 0.5)) / teeth, long);
    context.lineTo((width * (tooth + 1)) / teeth, long * 0.3);
  }
  context.lineTo(width, 0);
  context.fill();
  context.globalAlpha = 1;
}
