// The renderer in a real browser's worklet: every bit of a scene as it is natively, the sound that comes with the first
// gesture, and what 256 voices cost. `.ci/web` builds what it needs, and calls it:
//
//   node bits.mjs FOLDER NATIVE    (a folder with index.html, glue.js, test.wasm; the native program)

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, start, watch } from "./browser.mjs";

const [folder, native] = process.argv.slice(2);
const { address, browser, finish } = await start(folder);

const open = async (query = "", script = "") => {
  const page = watch(await browser.newPage());
  await page.addInitScript(script);
  // Not asked for, since that would count as a gesture.
  const ready = page.waitForEvent("console", { predicate: (line) => line.text() === "ready", timeout: 60_000 });
  await page.goto(address + query);
  await ready;
  return page;
};
const until = async (page, condition, ...args) => {
  await page.waitForFunction(condition, args, { timeout: 60_000, polling: 50 });
};

// The same bits.
{
  const page = await open();
  const { frames, told } = await page.evaluate("render()");
  const file = join(folder, "native.raw");
  const expected = execFileSync(native, [file], { encoding: "utf8", maxBuffer: 1 << 26 });
  const [there, here] = [Buffer.from(frames, "base64"), readFileSync(file)];
  let differing = 0;
  for (let at = 0; at < here.length; at += 4) differing += here.readUInt32LE(at) !== there.readUInt32LE(at) ? 1 : 0;
  check(
    "every bit is what it is natively",
    there.length === here.length && differing === 0,
    `${differing} of ${here.length / 4} samples differ`,
  );
  check(
    "it is no silence",
    here.some((byte) => byte !== 0),
  );
  const lines = (text) => text.split("\n");
  // Of the last step nothing is told any more.
  const [short, long] = [lines(told).slice(0, -1), lines(expected)];
  const at = short.findIndex((line, i) => line !== long[i]);
  check(
    "the same was told",
    at < 0 && short.length > 200,
    at < 0 ? `${short.length} lines` : `${short[at]} / ${long[at]}`,
  );
  await page.close();
}

// The golden scene.
{
  const page = await open();
  const golden = await page.evaluate("golden()");
  const expected = readFileSync(new URL("../../tests/golden/golden.txt", import.meta.url), "utf8");
  check("the golden scene is golden", golden === expected, golden === expected ? "" : golden);
  await page.close();
}

// The first gesture.
{
  const page = await open("?live");
  const clock = () => page.evaluate("+told().split(' ')[6]");
  await page.evaluate("scene.exports.test_step(0)");
  check(
    "it waits for a gesture",
    (await page.evaluate("scene.context.state")) === "suspended",
    await page.evaluate("output()"),
  );
  await until(page, "+told().split(' ')[6] > 9600");
  check("time passes meanwhile", (await clock()) > 9600, `${await clock()} frames`);
  check("nothing is heard meanwhile", (await page.evaluate("loudness()")) === 0);
  await page.mouse.click(10, 10);
  await until(page, "scene.context.state === 'running' && loudness() > 0.001");
  check("a click brings the sound", true, await page.evaluate("output()"));
  await page.evaluate("scene.exports.test_stream()");
  // Every pump decodes a block, while it is not far enough ahead; the longest tells what one costs at most.
  const longest = await page.evaluate(async () => {
    const times = [];
    for (let turn = 0; turn < 120; turn++) {
      const began = performance.now();
      scene.pump();
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 16));
    }
    return times.sort((a, b) => b - a)[2];
  });
  const underruns = await page.evaluate("+told().split(/[ \\n]/)[8]");
  console.log(`a stream: ${longest.toFixed(1)} ms in one go on the page's thread, ${underruns} underruns in 2 s`);
  const before = await clock();
  await page.evaluate("scene.context.suspend()");
  await until(page, `+told().split(' ')[6] > ${before} + 9600`);
  check("time passes while the browser has paused it", true);
  await page.evaluate("scene.exports.test_close()");
  await until(page, "scene.context.state === 'closed'");
  check("the last drop closes the context", true);
  await page.close();
}

// A page that is made with wasm-bindgen attaches itself.
if (existsSync(join(folder, "bindgen"))) {
  const page = await open("?bindgen");
  await until(page, "+told().split(' ')[6] > 9600");
  check("with wasm-bindgen, too, time passes", true, await page.evaluate("output()"));
  await page.mouse.click(10, 10);
  await until(page, "output().includes('48000 Hz')");
  check("and a click brings the sound", true, await page.evaluate("output()"));
  await page.close();
}

// A browser that has no worklets, as where a page is not https.
{
  const page = await open("?live", "delete BaseAudioContext.prototype.audioWorklet");
  await page.evaluate("scene.exports.test_step(0)");
  await until(page, "+told().split(' ')[6] > 48000 && +told().split(' ')[1] > 3");
  check("without worklets time passes, and plays end", true, await page.evaluate("output()"));
  await page.close();
}

// Ten minutes of storms: the worklet's memory finds its size, give or take one step of 64 KiB.
{
  const page = await open();
  const { sizes, told } = await page.evaluate("soak(10)");
  const [accepted, , , stolen] = told.split(" ");
  check(
    "the worklet's memory does not grow",
    sizes.length === 9 && sizes[8] - sizes[0] <= 65536,
    `${sizes.map((size) => size / 1024).join(" ")} KiB; ${accepted} plays, ${stolen} thefts`,
  );
  await page.close();
}

// What it costs, beside the native program: the middle of three each.
{
  const page = await open();
  const runs = [];
  for (let run = 0; run < 3; run++) {
    const here = +execFileSync(native, ["--time"], { encoding: "utf8" });
    runs.push([(await page.evaluate("time(10)")) / here, here]);
  }
  runs.sort(([a], [b]) => a - b);
  const [ratio, here] = runs[1];
  const core = (100 * ratio * here * 256 * 48_000) / 1e9;
  console.log(
    `256 cubic voices: ${(ratio * here).toFixed(2)} ns a frame of a voice in the worklet, ${here.toFixed(2)} natively ` +
      `(${ratio.toFixed(2)} times); ${core.toFixed(1)} % of a core`,
  );
  await page.close();
}

await finish();
