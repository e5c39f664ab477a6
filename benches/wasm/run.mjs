// What a voice-frame costs in WebAssembly (V8) beside what it costs natively, in one run: both play the same scenes in
// turns, so that a busy machine is busy for both. `node benches/wasm/run.mjs`. Fails if a bit differs, or if linear or
// cubic takes over three times as long.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";

// V8 begins with code that it makes in a hurry, and replaces it when a thread beside has made better: on a busy machine
// that takes longer than a bench. Here it waits for the better one.
v8.setFlagsFromString("--no-liftoff");

const QUANTUM = 128;
// In a turn: it takes no longer than what a busy machine lets a program have at once, so that the best of many turns is
// what it takes undisturbed.
const QUANTA = 10;
const TURNS = 300;
const MOST = 3; // times the native one

const here = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../../target/wasm", import.meta.url));

function build(profile, ...flags) {
    const args = ["build", "--quiet", "--manifest-path", `${here}Cargo.toml`, "--target-dir", target];
    execFileSync("cargo", [...args, "--profile", profile, ...flags], { stdio: "inherit" });
}

function load(profile) {
    build(profile, "--lib", "--target", "wasm32-unknown-unknown");
    const file = `${target}/wasm32-unknown-unknown/${profile}/voicepool_wasm_bench.wasm`;
    const { begin, render } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports;
    return {
        begin: async (scene) => begin(scene),
        turn: async () => {
            const begun = performance.now();
            const hash = render(QUANTA);
            return { took: (performance.now() - begun) * 1e6, hash: BigInt.asUintN(64, hash) };
        },
    };
}

build("release", "--bin", "voicepool-wasm-bench");
const program = spawn(`${target}/release/voicepool-wasm-bench`, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
const [voices, names] = (await lines.next()).value.split(";");
let playing = 0;
async function ask(scene, quanta) {
    program.stdin.write(`${scene} ${quanta}\n`);
    const [took, hash] = (await lines.next()).value.split(" ");
    return { took: Number(took), hash: BigInt(hash) };
}
const native = {
    begin: (scene) => ask((playing = scene), 0),
    turn: () => ask(playing, QUANTA),
};

const hosts = { native, "opt-level 3": load("release"), 'opt-level "s"': load("small") };
let failed = false;
console.log(`nanoseconds a voice-frame, ${voices} voices, and times native\n`);
for (const [scene, name] of names.split(",").entries()) {
    const best = Object.fromEntries(Object.keys(hosts).map((host) => [host, Infinity]));
    for (const host of Object.values(hosts)) await host.begin(scene);
    for (let turn = 0; turn < TURNS; turn++) {
        const hashes = new Set();
        for (const [host, { turn }] of Object.entries(hosts)) {
            const { took, hash } = await turn();
            best[host] = Math.min(best[host], took);
            hashes.add(hash);
        }
        if (hashes.size !== 1) {
            console.log(`${name}: other bits`);
            failed = true;
            break;
        }
    }
    const each = (host) => best[host] / (QUANTA * QUANTUM * Number(voices));
    const cells = Object.keys(hosts).map((host) => {
        const times = best[host] / best.native;
        const over = /linear|cubic/.test(name) && times > MOST;
        failed ||= over;
        const ratio = host === "native" ? "" : ` (${times.toFixed(2)}x)${over ? " OVER" : ""}`;
        return `${host} ${each(host).toFixed(3)}${ratio}`;
    });
    console.log(`${name.padEnd(12)} ${cells.join("   ")}`);
}
program.stdin.end();
process.exit(failed ? 1 : 0);
