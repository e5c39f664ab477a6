// The wand, in WebAssembly: `src/lib.rs` is the other half. Numbers go in and out as they are; texts and
// files go in by the inbox and come out by the outbox, which are places in its memory.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Wand {
  constructor(exports) {
    this.exports = exports;
  }

  // Opens it. Throws if it cannot be opened.
  open(voices) {
    const error = this.#read(this.exports.wand_open(voices));
    if (error) throw new Error(error);
  }

  // Loads a file. Returns what is wrong with it, or "".
  load(name, bytes) {
    const length = this.#write(name, bytes);
    if (length === null) return `${name}: memory does not suffice`;
    return this.#read(this.exports.wand_load(length));
  }

  begin() {
    this.exports.wand_begin();
  }

  // What does not change from frame to frame: sounds, keys, answers.
  about() {
    return JSON.parse(this.#read(this.exports.wand_about()));
  }

  // Time passes. Returns what is to be drawn.
  tick(now) {
    const frame = JSON.parse(this.#read(this.exports.wand_tick(now)));
    const { memory, wand_sparkles, wand_sparkles_length } = this.exports;
    frame.sparkles = new Float32Array(memory.buffer, wand_sparkles() >>> 0, wand_sparkles_length());
    return frame;
  }

  // A key goes down, by its name in `KeyboardEvent.key`. Returns whether it means something.
  key(name) {
    return Boolean(this.exports.wand_key(this.#write(name)));
  }

  click(across, height) {
    this.exports.wand_click(across, height);
  }

  call(sound) {
    this.exports.wand_call(sound);
  }

  resize(voices) {
    this.exports.wand_resize(voices);
  }

  choose(answer) {
    this.exports.wand_choose(answer);
  }

  setVolume(decibels) {
    this.exports.wand_volume(decibels);
  }

  setOnlyOwn(on) {
    this.exports.wand_only_own(on);
  }

  // What it said last: after a trap, why.
  lastWords() {
    return this.#read(this.exports.wand_outbox_length());
  }

  // How many voices are needed, as far as is known.
  lesson() {
    return this.#read(this.exports.wand_lesson());
  }

  // Puts a text, and bytes behind it, into the inbox. Returns the text's length in bytes, or null if memory
  // does not suffice.
  #write(text, bytes = new Uint8Array()) {
    const head = encoder.encode(text);
    // An address is a number without a sign, which JavaScript is given with one.
    const at = this.exports.wand_inbox(head.length + bytes.length) >>> 0;
    if (at === 0) return null;
    const inbox = new Uint8Array(this.exports.memory.buffer, at, head.length + bytes.length);
    inbox.set(head);
    inbox.set(bytes, head.length);
    return head.length;
  }

  // Reads so many bytes of the outbox.
  #read(length) {
    const at = this.exports.wand_outbox() >>> 0;
    return decoder.decode(new Uint8Array(this.exports.memory.buffer, at, length));
  }
}
