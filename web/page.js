// The page: loads the wand and its sounds, lets time pass once a frame, and hands on what people do.

import { Panels, $, make } from "./panels.js";
import { drawStage } from "./stage.js";
import { drawVoices } from "./voices.js";
import { theme } from "./look.js";
import { attach } from "./voicepool.js";
import { Wand } from "./wand.js";

const SOUNDS = [
  "ambience_bed",
  "chime",
  "coin",
  "drone_loop",
  "explosion",
  "footstep_1",
  "footstep_2",
  "footstep_3",
  "rain_loop",
  "sparkle_tick",
  "thud",
  "ui_click",
  "wand_swish",
  "whoosh_small",
  "zap",
];
const VOICES = 16;
const DRAGGED = 160; // milliseconds between two waves while the pointer is dragged

async function bytesOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

// It is compressed by us, since not every host does that, to a third. Its name does not end in what hosts know as
// compressed: some would say so, and the browser would unpack it already.
async function compile(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const unpacked = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "content-type": "application/wasm" } }));
}

async function load() {
  const sounds = Promise.all(SOUNDS.map((name) => bytesOf(`sounds/${name}.wav`)));
  const module = await compile("voicepool_web.wasm.gzip");
  const instance = await WebAssembly.instantiate(module);
  attach(instance.exports, module);
  const wand = new Wand(instance.exports);
  try {
    return await begin(wand, sounds);
  } catch (error) {
    throw lastWords(wand, error);
  }
}

async function begin(wand, sounds) {
  wand.open(VOICES);
  (await sounds).forEach((bytes, i) => {
    const error = wand.load(`${SOUNDS[i]}.wav`, bytes);
    if (error) throw new Error(error);
  });
  wand.begin();
  return wand;
}

// Where WebAssembly stopped, it says only that it did; the wand has said why.
function lastWords(wand, error) {
  return error instanceof WebAssembly.RuntimeError ? new Error(wand.lastWords(), { cause: error }) : error;
}

// Something is wrong that cannot be helped: it is said where the sound would be.
function fail(error) {
  $("output").dataset.kind = "failed";
  $("output").lastElementChild.textContent = `stopped: ${error.message ?? error}`;
  throw error;
}

function run(wand) {
  const about = wand.about();
  const panels = new Panels(wand, about);
  const page = { wand, panels, frame: null, frames: 0 };
  const draw = (now) => {
    try {
      const frame = wand.tick(now);
      page.frame = frame;
      page.frames++;
      for (const flash of frame.flashes) flash.loud = flash.level > about.faint;
      drawStage($("stage"), frame, now);
      drawVoices($("voices"), frame, panels.about.sounds);
      panels.show(frame, now);
      dialogs(page, frame);
    } catch (error) {
      fail(lastWords(wand, error));
    }
    requestAnimationFrame(draw);
  };
  keys(wand);
  pointer(wand);
  files(page);
  themes(page);
  requestAnimationFrame(draw);
  return page;
}

// What lies over the page is open for as long as the wand says so.
function dialogs(page, frame) {
  const follow = (dialog, open, fill) => {
    if (open && !dialog.open) {
      fill?.();
      dialog.showModal();
    } else if (!open && dialog.open) dialog.close();
  };
  $("title").hidden = frame.output.kind !== "waiting";
  follow($("help"), frame.help);
  follow($("theft"), Boolean(frame.theft), () => page.panels.theft(frame.theft));
  if (frame.left && !$("lesson").open) {
    $("lesson-text").textContent = page.wand.lesson().trim();
    $("lesson").showModal();
  }
}

function keys(wand) {
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || $("lesson").open) return;
    // Keys that a control needs for itself.
    const arrows = key.startsWith("Arrow") && target.matches("input");
    const presses = (key === " " || key === "Enter") && target.matches("button, input, label");
    if (arrows || presses || (event.repeat && !key.startsWith("Arrow"))) return;
    if (wand.key(key)) event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-key]")) {
    button.addEventListener("click", () => wand.key(button.dataset.key));
  }
  // The wand closes what it has opened.
  for (const id of ["help", "theft"]) $(id).addEventListener("cancel", (event) => event.preventDefault());
}

// A press on the stage waves the wand there; a finger that is drawn across it does so again and again.
function pointer(wand) {
  let last = 0;
  const wave = (event) => {
    const { left, top, width, height } = $("stage").getBoundingClientRect();
    const across = (2 * (event.clientX - left)) / width - 1;
    wand.click(across, 1 - (event.clientY - top) / height);
    last = event.timeStamp;
  };
  $("stage").addEventListener("pointerdown", (event) => event.button === 0 && wave(event));
  $("stage").addEventListener("pointermove", (event) => {
    if (event.buttons & 1 && event.timeStamp - last > DRAGGED) wave(event);
  });
  // Before the click is done, the sound may be there and the title gone.
  $("title").addEventListener("pointerdown", wave);
  $("voices-slider").addEventListener("input", ({ target }) => wand.resize(target.valueAsNumber));
  $("volume").addEventListener("input", ({ target }) => wand.setVolume(target.valueAsNumber));
  $("only-own").addEventListener("change", ({ target }) => wand.setOnlyOwn(target.checked));
}

// Somebody's own sounds, dropped or chosen. They go no further than this page.
function files(page) {
  const take = async (files) => {
    $("broken").replaceChildren();
    for (const file of files) {
      const bytes = await file.arrayBuffer().catch(() => null);
      const error = bytes ? page.wand.load(file.name, new Uint8Array(bytes)) : `${file.name}: cannot be read`;
      if (error) $("broken").append(make("li", { textContent: error }));
    }
    const about = page.wand.about();
    page.panels.listSounds(about);
    $("only-own-label").hidden = about.sounds.length <= SOUNDS.length;
  };
  $("files").addEventListener("change", ({ target }) => {
    take([...target.files]);
    target.value = "";
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    $("dropping").hidden = false;
  });
  addEventListener("dragleave", (event) => ($("dropping").hidden = event.relatedTarget === null));
  addEventListener("drop", (event) => {
    event.preventDefault();
    $("dropping").hidden = true;
    take([...event.dataTransfer.files]);
  });
}

// What the browser remembers. In a frame of another site it may refuse to.
function keeps(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

function themes({ panels }) {
  const kept = keeps((store) => store.getItem("theme"));
  if (kept === "dark" || kept === "light") theme.set(kept);
  $("theme").addEventListener("click", () => {
    theme.set(theme.now === "dark" ? "light" : "dark");
    keeps((store) => store.setItem("theme", theme.now));
    panels.dye();
  });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => panels.dye());
  panels.dye();
}

load().then((wand) => (globalThis.voicepool = run(wand)), fail);
