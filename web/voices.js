// The voices, a cell for each: a meter of how loud it is to the ear, its name, and the sound's outline, bright
// up to where it is. A theft flashes in its cell, with both names.

import { MOVES, decibels, fit, share, soundColour, theme } from "./look.js";

const INKS = {
  dark: {
    panel: "#151922",
    line: "#272d3a",
    text: "#e8eaf0",
    dim: "#98a2b3",
    faint: "#3a4254",
    hot: "#ff6b74",
    warm: "#ffd75f",
    good: "#5fd7af",
    ember: "#4a3d14",
    blaze: "#7a2630",
  },
  light: {
    panel: "#ffffff",
    line: "#dedacf",
    text: "#1b2030",
    dim: "#5b6474",
    faint: "#c9c4b6",
    hot: "#c0283c",
    warm: "#8a5a00",
    good: "#0a7a4b",
    ember: "#fbe7b4",
    blaze: "#ffd0d3",
  },
};

const GAP = 6;
const FLASH = 0.2; // seconds, as long as the wand tells of it

// The cells of a pool: how many columns, and how large. As many columns as there is room for, but such that the
// last row is full, if that does not take many more rows.
function layout(voices, width) {
  const least = voices <= 32 ? 118 : 100;
  const most = Math.max(1, Math.min(voices, Math.floor((width + GAP) / (least + GAP))));
  let columns = most;
  while (columns > 1 && voices % columns !== 0) columns--;
  if (columns * 2 <= most) columns = most;
  const high = voices <= 32 ? 52 : voices <= 64 ? 42 : 30;
  const wide = (Math.min(width, columns * 320) + GAP) / columns - GAP;
  return { columns, high, wide, rows: Math.ceil(voices / columns) };
}

export function drawVoices(canvas, frame, sounds) {
  const ink = INKS[theme.now];
  const grid = layout(frame.voices, canvas.clientWidth);
  const tall = grid.rows * (grid.high + GAP) - GAP;
  if (canvas.style.height !== `${tall}px`) canvas.style.height = `${tall}px`;
  const { context, width, height } = fit(canvas, tall);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  const cells = new Map(frame.cells.map((cell) => [cell.slot, cell]));
  const flashes = new Map(frame.flashes.map((flash) => [flash.slot, flash]));
  for (let slot = 0; slot < frame.voices; slot++) {
    const x = (slot % grid.columns) * (grid.wide + GAP);
    const y = Math.floor(slot / grid.columns) * (grid.high + GAP);
    const place = { context, ink, x, y, wide: grid.wide, high: grid.high };
    const [cell, flash] = [cells.get(slot), flashes.get(slot)];
    frameOf(place, cell || flash);
    if (flash && MOVES) theft(place, flash);
    else if (cell) voice(place, cell, sounds[cell.sound]);
    if (flash && !MOVES) border(place, flash);
  }
}

function box({ context, x, y, wide, high }) {
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, wide - 1, high - 1, 7);
}

function frameOf(place, taken) {
  const { context, ink } = place;
  box(place);
  context.globalAlpha = taken ? 1 : 0.45;
  context.fillStyle = ink.panel;
  context.fill();
  context.strokeStyle = ink.line;
  context.stroke();
  context.globalAlpha = 1;
}

function levelInk(ink, level) {
  return level > -12 ? ink.hot : level > -24 ? ink.warm : level > -40 ? ink.good : ink.dim;
}

function font(weight, size) {
  return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
}

// As much of a text as there is room for.
function clipped(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let length = text.length - 1;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

function voice({ context, ink, x, y, wide, high }, cell, sound) {
  const colour = soundColour(cell.sound, theme.now);
  const small = high < 40;
  // The meter.
  const rail = high - 14;
  context.fillStyle = ink.line;
  context.beginPath();
  context.roundRect(x + 7, y + 7, 4, rail, 2);
  context.fill();
  const filled = rail * share(cell.level);
  context.fillStyle = levelInk(ink, cell.level);
  context.beginPath();
  context.roundRect(x + 7, y + 7 + rail - filled, 4, filled, 2);
  context.fill();
  // The name, and how loud it is.
  const left = x + 18;
  const right = x + wide - 9;
  const line = small ? y + high / 2 - 3 : y + 16;
  context.font = "11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  context.fillStyle = ink.dim;
  context.textAlign = "right";
  const number = cell.level > -120 ? String(Math.round(cell.level)).replace("-", "−") : "";
  const mark = { high: "H", protected: "P", low: "L" }[cell.priority] ?? "";
  context.fillText(number, right, line);
  if (mark) {
    context.fillStyle = mark === "P" ? ink.good : mark === "H" ? ink.warm : ink.dim;
    context.fillText(mark, right - 27, line);
  }
  context.textAlign = "left";
  context.font = font(600, 12);
  context.fillStyle = cell.playing ? colour : ink.dim;
  context.fillText(clipped(context, sound?.name ?? "?", right - left - (mark ? 42 : 26)), left, line);
  // The outline: bright up to where it is, and high while it is loud.
  const [top, bottom] = small ? [y + high - 9, y + high - 4] : [y + 26, y + high - 7];
  const outline = sound?.outline ?? [];
  const columns = Math.min(outline.length, Math.floor((right - left) / 3));
  const loud = 0.35 + 0.65 * share(cell.level + 6);
  context.fillStyle = colour;
  for (let column = 0; column < columns; column++) {
    const peak = outline[Math.floor((column * outline.length) / columns)] / 100;
    const tall = Math.max(1, (bottom - top) * peak * loud);
    context.globalAlpha = column / columns < cell.at ? 0.95 : 0.28;
    context.fillRect(left + ((right - left) * column) / columns, (top + bottom) / 2 - tall / 2, 2, tall);
  }
  context.globalAlpha = 1;
  // From where it is heard.
  context.fillStyle = ink.text;
  context.globalAlpha = 0.8;
  context.fillRect(left + ((right - left - 8) * (cell.pan + 1)) / 2, y + high - 3, 8, 1.5);
  context.globalAlpha = 1;
}

// A theft, while it flashes: who came, and who had to go.
function theft(place, flash) {
  const { context, ink, x, y, wide, high } = place;
  const { thief, victim, level, age, loud } = flash;
  const room = wide - 20;
  box(place);
  context.fillStyle = loud ? ink.blaze : ink.ember;
  context.globalAlpha = 0.35 + 0.65 * Math.max(0, 1 - age / FLASH);
  context.fill();
  context.globalAlpha = 1;
  border(place, flash);
  context.fillStyle = loud ? ink.hot : ink.warm;
  context.font = font(600, 12);
  context.textAlign = "left";
  if (high < 40) {
    context.fillText(clipped(context, `${thief} ◂ ${victim}`, room), x + 10, y + high / 2);
    return;
  }
  context.fillText(clipped(context, thief, room), x + 10, y + 16);
  context.font = font(400, 12);
  const lost = decibels(level).replace(" dB", "");
  const number = context.measureText(lost).width;
  context.fillText(clipped(context, `◂ ${victim}`, room - number - 8), x + 10, y + high - 16);
  context.textAlign = "right";
  context.fillText(lost, x + wide - 10, y + high - 16);
}

function border(place, { loud }) {
  const { context, ink } = place;
  box(place);
  context.strokeStyle = loud ? ink.hot : ink.warm;
  context.stroke();
}
