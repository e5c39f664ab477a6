// The way between a page and the renderer in its audio thread. Both are instances of one WebAssembly module: the game's.
// What crosses is bytes, of which nothing is known here. See src/output/web in the source of voicepool.

/** The instances that are attached, by their exports. */
const attached = new WeakSet();

/**
 * Carries what crosses between an instance on this page and the worklets of its mixers, for as long as the page is
 * there. Pages that are made with wasm-bindgen need not call it: `Mixer::open` does.
 *
 * @param {WebAssembly.Exports} exports those of the game's instance
 * @param {WebAssembly.Module} module the module that it is an instance of
 * @param {{context?: (rate: number) => BaseAudioContext}} [options] where the sound goes, if not to the speakers
 * @returns {{pump: () => void, outputs: Output[]} | undefined} for tests: to carry at once, and what there is
 */
export function attach(exports, module, options = {}) {
  if (attached.has(exports)) return;
  attached.add(exports);
  const outputs = [];
  const pump = () => {
    for (let mixer = outputs.length; mixer < exports.voicepool_mixers(); mixer++) {
      outputs.push(new Output(exports, module, mixer, options));
    }
    for (const output of outputs) output.pump();
  };
  // Behind all that the game does in a frame, so that what it says goes out in the same one.
  const behind = new MessageChannel();
  behind.port1.onmessage = pump;
  const frame = () => {
    behind.port2.postMessage(0);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  // A page that is not shown has no frames.
  setInterval(pump, 250);
  return { pump, outputs };
}

/** What lets a page be heard. */
const GESTURES = ["pointerdown", "pointerup", "touchend", "keydown"];

/** One mixer's output: a context, and a node in which its renderer is. */
class Output {
  constructor(exports, module, mixer, { context }) {
    Object.assign(this, { exports, module, mixer, waiting: [], asked: new Map(), isOver: false });
    this.last = performance.now();
    this.ready = this.open(context);
    this.ready.catch((error) => this.goSilent(`${error?.message ?? error}`));
  }

  async open(make) {
    const wanted = this.exports.voicepool_rate(this.mixer);
    if (wanted === 0) return;
    this.context = make ? make(wanted) : newContext(wanted);
    if (!this.context.audioWorklet) throw new Error("the browser has no audio worklets here; they need https");
    this.resume = () => this.context.state === "running" || this.context.resume?.().catch(() => {});
    for (const gesture of GESTURES) globalThis.addEventListener?.(gesture, this.resume, { capture: true });
    this.context.onstatechange = () => this.tell();
    const text = `(${processor})(${strangers}, ${renderer})`;
    const source = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    try {
      await this.context.audioWorklet.addModule(source);
    } finally {
      URL.revokeObjectURL(source);
    }
    const setup = this.bytes(this.exports.voicepool_setup(this.mixer));
    this.node = new AudioWorkletNode(this.context, "voicepool", {
      numberOfInputs: 0,
      outputChannelCount: [2],
      processorOptions: { module: this.module, setup },
    });
    this.node.port.onmessage = ({ data }) => this.receive(data);
    this.node.onprocessorerror = () => this.fail("the audio worklet has failed");
    this.node.connect(this.context.destination);
    this.postWaiting();
    this.tell();
  }

  /** There is no worklet to be had. A renderer on this thread, which nobody hears, lets time pass and plays end. */
  async goSilent(why) {
    this.letGo();
    this.sayWhy(why);
    const { exports } = await WebAssembly.instantiate(this.module, strangers(this.module));
    const rate = this.exports.voicepool_rate(this.mixer);
    const silent = renderer(exports, this.bytes(this.exports.voicepool_setup(this.mixer)), rate);
    const postMessage = (packet) => silent.take(packet) && this.receive(silent.reports());
    this.node = { port: { postMessage }, disconnect() {} };
    this.postWaiting();
  }

  postWaiting() {
    for (const packet of this.waiting.splice(0)) this.post(packet);
  }

  /** Says where the sound goes, as far as that is known. */
  tell() {
    const { exports, context, mixer } = this;
    if (this.isOver || !context) return;
    if (context.state === "running") {
      this.hasPlayed = true;
      exports.voicepool_plays(mixer, context.sampleRate, (context.baseLatency ?? 0) + (context.outputLatency ?? 0));
    } else if (this.hasPlayed) {
      this.sayWhy(`the browser has paused it (${context.state})`);
    } else {
      exports.voicepool_waits(mixer);
    }
  }

  sayWhy(why) {
    const text = new TextEncoder().encode(why);
    this.write(text);
    this.exports.voicepool_is_silent(this.mixer, text.length);
  }

  /** There is no sound, and will be none. */
  fail(why) {
    if (this.isOver) return;
    this.sayWhy(why);
    if (this.node) this.exports.voicepool_failed(this.mixer);
    this.close();
  }

  /** Posts all that was said. While nothing is fetched, time passes all the same. */
  pump() {
    if (this.isOver) return;
    const now = performance.now();
    const { context } = this;
    // An offline context makes its own time.
    const isHeard = context?.state === "running" || context?.startRendering !== undefined;
    const unheard = isHeard ? 0 : (now - this.last) / 1000;
    this.last = now;
    this.exports.voicepool_pump(this.mixer, unheard);
    for (;;) {
      const packet = this.bytes(this.exports.voicepool_packet(this.mixer));
      if (packet.length === 0) return;
      if (this.node) this.post(packet);
      else this.waiting.push(packet);
    }
  }

  post(packet) {
    this.node.port.postMessage(packet, [packet.buffer]);
  }

  /** Is fulfilled when the worklet has taken in all that was posted before, with the size of its memory. For tests. */
  taken() {
    return new Promise((resolve) => {
      this.asked.set(this.asked.size, resolve);
      this.node.port.postMessage(this.asked.size - 1);
    });
  }

  receive(data) {
    if (this.isOver) return;
    if (typeof data === "string") return this.fail(data);
    if ("asked" in data) return this.asked.get(data.asked)?.(data.memory);
    this.write(data);
    this.exports.voicepool_receive(this.mixer, data.length);
    if (this.exports.voicepool_rate(this.mixer) === 0) return this.close();
    // Frames of the page come seldom, or not at all, while it is not shown: these come all the time, if it is heard.
    if (globalThis.document?.hidden && this.context?.state === "running") this.pump();
  }

  close() {
    this.isOver = true;
    this.node?.disconnect();
    this.letGo();
  }

  /** Closes the context, if there is one. */
  letGo() {
    const { context } = this;
    this.context = undefined;
    for (const gesture of GESTURES) globalThis.removeEventListener?.(gesture, this.resume, { capture: true });
    if (!context) return;
    context.onstatechange = null;
    context.close?.().catch(() => {});
  }

  /** A copy of the bytes that the last call has laid ready at an address, which JavaScript takes for a signed number. */
  bytes(at) {
    return new Uint8Array(this.exports.memory.buffer, at >>> 0, this.exports.voicepool_length()).slice();
  }

  write(bytes) {
    const at = this.exports.voicepool_inbox(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at >>> 0, bytes.length).set(bytes);
  }
}

/** A context of the mixer's own rate, if the browser can; else of the browser's, and the worklet resamples. */
function newContext(sampleRate) {
  try {
    return new AudioContext({ sampleRate, latencyHint: "interactive" });
  } catch {
    return new AudioContext({ latencyHint: "interactive" });
  }
}

/** What stands in for a module's imports where nothing calls them: those of the game are the page's. */
function strangers(module) {
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const refuse = () => {
      throw new Error(`${from}.${name} was called beside the page`);
    };
    if (kind === "function") (imports[from] ??= {})[name] = refuse;
  }
  return imports;
}

/** An instance as a renderer: it takes packets in, and writes reports down. */
function renderer(exports, setup, rate) {
  const write = (bytes) => {
    const at = exports.voicepool_inbox(bytes.length);
    new Uint8Array(exports.memory.buffer, at >>> 0, bytes.length).set(bytes);
  };
  write(setup);
  if (!exports.voicepool_start(setup.length, rate)) throw new Error("the page and its worklet differ");
  return {
    exports,
    /** Takes a packet in. Returns whether there is something to answer. */
    take(packet) {
      write(packet);
      return exports.voicepool_take(packet.length);
    },
    reports() {
      const at = exports.voicepool_reports();
      return new Uint8Array(exports.memory.buffer, at >>> 0, exports.voicepool_length()).slice();
    },
  };
}

/** What runs in the audio thread. It is sent there as text with the two above, and knows nothing else of this file. */
function processor(strangers, renderer) {
  /** How many quanta pass between two reports: some 16 ms. */
  const REPORT_EVERY = 6;
  const now = () => globalThis.performance?.now() ?? Date.now();

  class Processor extends AudioWorkletProcessor {
    constructor({ processorOptions: { module, setup } }) {
      super();
      const { exports } = new WebAssembly.Instance(module, strangers(module));
      this.renderer = renderer(exports, setup, sampleRate);
      this.quanta = 0;
      this.took = 0;
      this.port.onmessage = ({ data }) => this.take(data);
    }

    take(packet) {
      if (this.isOver) return;
      try {
        if (typeof packet === "number") this.answer(packet);
        else if (this.renderer.take(packet)) this.report();
      } catch (error) {
        this.fail(error);
      }
    }

    /** All that was posted before this question was taken in. */
    answer(asked) {
      this.report();
      this.port.postMessage({ asked, memory: this.renderer.exports.memory.buffer.byteLength });
    }

    process(_inputs, [[left, right]]) {
      if (this.isOver) return false;
      try {
        const { exports } = this.renderer;
        const began = now();
        const frames = left.length;
        const at = exports.voicepool_render(frames) >>> 0;
        left.set(new Float32Array(exports.memory.buffer, at, frames));
        right.set(new Float32Array(exports.memory.buffer, at + 4 * frames, frames));
        this.took += now() - began;
        if (++this.quanta === REPORT_EVERY) {
          exports.voicepool_took(this.took / 1000, (this.quanta * frames) / sampleRate);
          this.report();
          this.quanta = 0;
          this.took = 0;
        }
      } catch (error) {
        this.fail(error);
      }
      return true;
    }

    report() {
      const reports = this.renderer.reports();
      this.port.postMessage(reports, [reports.buffer]);
    }

    /** A bug: it is told, and the rest is silence. */
    fail(error) {
      this.isOver = true;
      this.port.postMessage(`the audio worklet has failed: ${error}`);
    }
  }
  registerProcessor("voicepool", Processor);
}
