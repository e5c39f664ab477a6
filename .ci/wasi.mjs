// Runs a program that was built for `wasm32-wasip1`, with this machine's files in the present folder: the runner that
// `.ci/wasm` gives to cargo.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const preopens = { "/": "/", ".": "." };
const wasi = new WASI({ version: "preview1", args: [program, ...args], env: process.env, preopens });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
