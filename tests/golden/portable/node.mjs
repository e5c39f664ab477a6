// Plays the golden scene in Node: `node node.mjs golden.wasm` prints its report. It hashes what comes out itself, too,
// as a page has to that gets the frames from a worklet, and fails where the report says otherwise.
import { readFileSync } from "node:fs";

/** FNV-1a, 64 bits, of the bits of floats; in two halves, for want of a number that holds 64. */
class Hash {
  #low = 0x84222325;
  #high = 0xcbf29ce4;

  add(bytes) {
    let [low, high] = [this.#low, this.#high];
    for (const byte of bytes) {
      low = (low ^ byte) >>> 0;
      // Times 2^40 + 0x1b3.
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
    [this.#low, this.#high] = [low, high];
  }

  toString() {
    return [this.#high, this.#low].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = WebAssembly.Module.imports(module);
if (imports.length > 0) {
  throw new Error(`it asks for ${JSON.stringify(imports)}`);
}
const golden = new WebAssembly.Instance(module).exports;

const QUANTUM_BYTES = 128 * 2 * 4;
const heard = [];
for (let act = golden.quantum(); act > 0; act = golden.quantum()) {
  heard[act - 1] ??= new Hash();
  // The memory may have grown, and its buffer with it.
  heard[act - 1].add(new Uint8Array(golden.memory.buffer, golden.frames(), QUANTUM_BYTES));
}
const bytes = new Uint8Array(golden.memory.buffer, golden.report(), golden.report_len());
const report = new TextDecoder().decode(bytes);
process.stdout.write(report);
const says = report.trim().split("\n").map((line) => line.split(" ")[1]);
if (heard.join() !== says.join()) {
  throw new Error(`what came out is ${heard.join()}`);
}
