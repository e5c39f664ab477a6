// Plays with the page as a person would, in a real browser, and looks at what is seen, heard and said.
//
//   node page.mjs [PICTURE]    where a picture of a storm goes, if one is wanted
//
// `.ci/web` builds the page and installs what this needs.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check, start, watch } from "./browser.mjs";

const PATIENCE = 60_000; // milliseconds until something is given up, however busy the machine is
const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const { address, browser, finish } = await start();

// A page as it is in a browser of some kind.
async function open(settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...settings });
  await context.addInitScript(listen);
  const page = watch(await context.newPage());
  await page.goto(address);
  return { page, context };
}

// In the page: an ear at the output. What goes to the speakers goes through an analyser too.
function listen() {
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      globalThis.analyser = this.context.createAnalyser();
      connect.call(this, globalThis.analyser);
    }
    return connect.call(this, to, ...rest);
  };
  // When there was something to see, when it was first touched, and when it was first heard.
  const look = () => {
    if (globalThis.voicepool?.frame) globalThis.seenAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  addEventListener("pointerdown", ({ timeStamp }) => (globalThis.touchedAt ??= timeStamp), { capture: true });
  const hear = () => {
    if (globalThis.loudness() > 0.001) globalThis.heardAt = performance.now();
    else requestAnimationFrame(hear);
  };
  requestAnimationFrame(hear);
  globalThis.loudness = () => {
    const samples = new Float32Array(globalThis.analyser?.fftSize ?? 0);
    globalThis.analyser?.getFloatTimeDomainData(samples);
    return Math.max(0, ...samples.map(Math.abs));
  };
}

// Waits until something is so on the page. What Playwright asks counts as a gesture, which starts the sound.
async function sees(page, name, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 });
    check(name, true);
  } catch (error) {
    check(name, false, error.message.split("\n")[0]);
  }
}

// Does something again and again until something is so that lasts for a moment only: a busy machine may miss it.
async function shows(page, name, act, condition) {
  for (let left = PATIENCE; left > 0; left -= 2000) {
    await act();
    const seen = page.waitForFunction(condition, null, { timeout: 2000 });
    if (
      await seen.then(
        () => true,
        () => false,
      )
    )
      return check(name, true);
  }
  check(name, false);
}

const frame = (page) => page.evaluate(() => ({ ...voicepool.frame, sparkles: voicepool.frame.sparkles.length / 4 }));

// A drop of files, as the browser tells of it.
async function drop(page, files) {
  const given = files.map(({ name, path, bytes }) => ({ name, bytes: [...(bytes ?? readFileSync(path))] }));
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer();
    for (const { name, bytes } of files) dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
    document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer }));
    document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  }, given);
}

// The title, and the first gesture. Nothing here is asked in a way that would be a gesture itself.
async function waitsForAGesture() {
  const { page, context } = await open();
  const quietly = await context.newCDPSession(page);
  const ask = async (expression) => (await quietly.send("Runtime.evaluate", { expression })).result.value;
  const until = async (name, expression) => {
    for (let left = PATIENCE; left > 0; left -= 50) {
      if (await ask(expression)) return check(name, true);
      await new Promise((later) => setTimeout(later, 50));
    }
    check(name, false);
  };
  await until(
    "it plays by itself, unheard, behind a title",
    `globalThis.voicepool?.frame?.alone && voicepool.frame.playing > 2`,
  );
  check(
    "the title waits for a gesture",
    await ask(`voicepool.frame.output.kind === "waiting" && !document.getElementById("title").hidden`),
  );
  check("nothing is heard yet", (await ask("loudness()")) === 0);
  await page.mouse.click(300, 300);
  await until(
    "a click starts the sound, and the title goes",
    `voicepool.frame.output.kind === "playing" && document.getElementById("title").hidden`,
  );
  await until("an analyser hears it", "loudness() > 0.01");
  console.log(`       ${await ask("Math.round(seenAt)")} ms until the page is there, on this machine`);
  console.log(`       ${await ask("Math.round(heardAt - touchedAt)")} ms from the click to the first sound`);
  check(
    "the click took over, and was a wave",
    await ask("!voicepool.frame.alone && voicepool.frame.losses.plays > 20"),
  );
  await context.close();
}

async function keys() {
  const { page, context } = await open();
  await sees(page, "the page loads", () => globalThis.voicepool?.frame?.voices === 16);
  await page.keyboard.press("m");
  await sees(page, "a key mutes", () => voicepool.frame.muted);
  await page.keyboard.press("m");
  await shows(
    page,
    "a wave is seen and heard",
    () => page.keyboard.press(" "),
    () => voicepool.frame.sparkles.length > 40 && loudness() > 0.01,
  );
  await page.keyboard.press("3");
  await sees(
    page,
    "a sound's key plays it",
    () => voicepool.frame.sounds[2].plays > 0 && voicepool.panels.about.sounds[2].name === "coin",
  );
  await page.keyboard.press("s");
  await sees(page, "a storm steals", () => voicepool.frame.losses.stolen > 50);
  await sees(page, "thefts are told, and flash in their cells", () => {
    return document.querySelectorAll("#log li").length > 10 && voicepool.frame.flashes.length > 0;
  });
  check(
    "the button of the storm is pressed",
    (await page.getAttribute('.tools [data-key="s"]', "aria-pressed")) === "true",
  );
  for (const [key, state] of [
    ["u", "water"],
    ["r", "cave"],
    ["t", "duck"],
    ["a", "ambience"],
  ]) {
    await page.keyboard.press(key);
    await sees(page, `${key} switches ${state} on`, (state) => voicepool.frame[state], state);
  }
  await page.keyboard.press("ArrowRight");
  await sees(page, "an arrow makes the pool larger", () => voicepool.frame.voices === 24);
  await page.fill("#voices-slider", "8");
  await sees(page, "the slider makes it smaller", () => voicepool.frame.voices === 8 && voicepool.frame.playing <= 8);
  await page.keyboard.press("f");
  await sees(page, "freeze shows who could have been robbed", () => {
    const rows = document.querySelectorAll("#theft[open] tbody tr");
    return rows.length > 1 && document.querySelectorAll("#theft tr.stolen").length === 1;
  });
  await page.keyboard.press("f");
  await sees(page, "and goes on", () => !document.getElementById("theft").open);
  await page.keyboard.press("?");
  await sees(page, "the help lists the keys", () => document.querySelectorAll("#help[open] dt").length === 18);
  await page.keyboard.press("Escape");
  await sees(page, "escape closes it", () => !document.getElementById("help").open);
  await page.keyboard.press("q");
  await sees(page, "it says how many voices are needed", () =>
    document.getElementById("lesson-text").textContent.includes("Config { voices: "),
  );
  await page.keyboard.press("Escape");
  await context.close();
}

async function earTest() {
  const { page, context } = await open();
  await sees(page, "the page loads once more", () => globalThis.voicepool?.frame?.voices === 16);
  await page.click('.tools [data-key="e"]');
  await sees(
    page,
    "the ear test begins with A",
    () => document.querySelector("#ear-now strong").textContent === "NOW A",
  );
  await page.keyboard.press("e");
  await sees(page, "a key flips it to B", () => document.querySelector("#ear-now strong").textContent === "NOW B");
  await sees(
    page,
    "by itself it goes back to A",
    () => document.querySelector("#ear-now strong").textContent === "NOW A",
  );
  await sees(page, "both have lost something, B the louder", () => {
    const [a, b] = voicepool.frame.ear?.parts.map(({ lost }) => lost.worst?.level) ?? [];
    return b > a && document.querySelector("#ear-b strong").textContent.endsWith(" dB");
  });
  const [now, stage] = await Promise.all(
    ["#ear-now strong", "#stage"].map((place) => page.locator(place).boundingBox()),
  );
  check("in large type", now.height > stage.height / 8, `${now.height} of ${stage.height} pixels`);
  await page.keyboard.press("Escape");
  await sees(page, "escape leaves it", () => !voicepool.frame.ear && document.getElementById("ear").hidden);
  await context.close();
}

// Also without motion.
async function ownSounds() {
  const { page, context } = await open({ reducedMotion: "reduce" });
  await sees(page, "the page loads for own sounds", () => globalThis.voicepool?.frame?.voices === 16);
  await page.keyboard.press("m");
  await drop(page, [
    { name: "mine.wav", path: file("sounds/zap.wav") },
    { name: "torn.wav", bytes: Buffer.from("RIFF") },
    { name: "song.ogg", path: file("tests/formats/oggenc_22_mono.ogg") },
    { name: "phone.ogg", path: file("tests/formats/refused_opus.ogg") },
  ]);
  await sees(page, "dropped files play, by their names", () => {
    const names = voicepool.panels.about.sounds.map(({ name }) => name);
    return (
      names.slice(15).join() === "mine,song" &&
      voicepool.frame.sounds[15]?.plays > 0 &&
      voicepool.frame.sounds[16]?.plays > 0
    );
  });
  const broken = await page.locator("#broken li").allTextContents();
  check(
    "broken ones are named, with the reason",
    broken.length === 2 &&
      /^torn\.wav: ./.test(broken[0]) &&
      broken[1] === "phone.ogg: is an Opus file; of Ogg files, Vorbis is read",
    broken.join(" | "),
  );
  await page.check("#only-own");
  const before = (await frame(page)).sounds[2].plays;
  await page.keyboard.press("s");
  await sees(
    page,
    "a storm of nothing else",
    () => voicepool.frame.sounds[15].plays + voicepool.frame.sounds[16].plays > 60,
  );
  check("leaves ours out", (await frame(page)).sounds[2].plays === before);
  await page.setInputFiles("#files", file("sounds/coin.wav"));
  await sees(page, "a chosen file plays too", () => voicepool.frame.sounds[17]?.plays > 0);
  await context.close();
}

// A phone: fingers, and nothing beyond the edge.
async function touch() {
  const { page, context } = await open({
    viewport: { width: 360, height: 740 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  });
  await sees(page, "the page loads on a phone", () => globalThis.voicepool?.frame?.voices === 16);
  await shows(
    page,
    "a tap waves where it is",
    () => page.tap("#stage", { position: { x: 300, y: 100 } }),
    () => {
      const swish = voicepool.panels.about.sounds.findIndex(({ name }) => name === "wand_swish");
      return voicepool.frame.cells.some(({ pan, sound }) => pan > 0.5 && sound === swish);
    },
  );
  await page.tap('[data-key="s"]');
  await sees(page, "a tap lets a storm loose", () => voicepool.frame.losses.stolen > 20);
  check("nothing is beyond the edge", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const small = await page
    .locator(".tools button")
    .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 44).length);
  check("the buttons are large enough for a thumb", small === 0);
  await context.close();
}

// By keyboard alone, for those who hear the page, and in both themes.
async function access(picture) {
  const { page, context } = await open({
    viewport: { width: 1200, height: 910 },
    colorScheme: "dark",
    reducedMotion: "no-preference",
  });
  await sees(page, "the page loads in the dark", () => globalThis.voicepool?.frame?.voices === 16);
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.dataset.key ?? document.activeElement?.id));
  }
  const wanted = [
    " ",
    "s",
    "e",
    "f",
    "a",
    "u",
    "r",
    "t",
    "p",
    "m",
    "q",
    "?",
    "theme",
    "voices-slider",
    "volume",
    "files",
  ];
  check(
    "everything is reached with Tab",
    wanted.every((each) => reached.has(each)),
    wanted.filter((each) => !reached.has(each)).join(),
  );
  // Takes over, and is heard: of what is muted nothing is stolen.
  await page.keyboard.press("m");
  await page.keyboard.press("m");
  await page.focus('.tools [data-key="s"]');
  const wave = (await frame(page)).sinceWave;
  await page.keyboard.press(" ");
  await sees(page, "space presses the button that has the focus", () => voicepool.frame.storm);
  const since = (await frame(page)).sinceWave;
  check("and waves no wand", since === null || (wave !== null && since >= wave), `${wave}, ${since}`);
  const nameless = await page
    .locator("button, input, canvas, dialog")
    .evaluateAll(
      (all) =>
        all.filter(
          (each) =>
            !(
              each.ariaLabel ||
              each.textContent.trim() ||
              each.labels?.length ||
              each.getAttribute("aria-labelledby")
            ),
        ).length,
    );
  check("every control has a name", nameless === 0, nameless || "");
  await sees(page, "what was decided is told in a sentence", () =>
    /voices gave way/.test(document.getElementById("told").textContent),
  );
  await page.keyboard.press("a");
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await paper();
  if (picture) {
    await page.waitForTimeout(2500);
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
    });
    await page.screenshot({ path: picture });
  }
  await page.click("#theme");
  check("there is light, and dark", dark !== (await paper()));
  const frames = await page.evaluate(
    () =>
      new Promise((done) => {
        const from = voicepool.frames;
        setTimeout(() => done(voicepool.frames - from), 2000);
      }),
  );
  console.log(`       ${frames / 2} frames a second in a storm, drawn without a graphics card`);
  await context.close();
}

for (const part of [waitsForAGesture, keys, earTest, ownSounds, touch, () => access(process.argv[2])]) {
  try {
    await part();
  } catch (error) {
    check("it could be played with", false, error.stack);
  }
}
await finish();
