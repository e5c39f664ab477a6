// Colours and numbers, as the canvases and the panels share them.

// One for each sound, round and round; told apart by brightness as well as by hue. For the night, and for
// white paper.
const SOUNDS = {
  dark: "ffd75f 5fafff ff875f 87ffaf d787ff 5fffff ff5f87 d7ff5f afafff ffafd7".split(" "),
  light: "946200 0b62c4 b0431a 0a7a4b 7a34b8 00727a b81d4f 567000 4b4bc4 a03f78".split(" "),
};

export const MOVES = !matchMedia("(prefers-reduced-motion: reduce)").matches;

export const theme = {
  // "dark" or "light", as it is seen.
  get now() {
    const light = matchMedia("(prefers-color-scheme: light)").matches;
    return document.documentElement.dataset.theme ?? (light ? "light" : "dark");
  },
  set(theme) {
    document.documentElement.dataset.theme = theme;
  },
};

export function soundColour(sound, theme = "dark") {
  return `#${SOUNDS[theme][sound % 10]}`;
}

// How much of a meter a level fills, in decibels.
export function share(level) {
  return Math.min(1, Math.max(0, 1 + level / 60));
}

// A level for people.
export function decibels(level) {
  return level > -120 ? `${Math.round(level)} dB`.replace("-", "−") : "silence";
}

// A canvas as large as it is seen, in the screen's own dots. Returns its context, in CSS pixels, and its
// size.
export function fit(canvas, height = canvas.clientHeight) {
  const scale = Math.min(3, devicePixelRatio || 1);
  const width = canvas.clientWidth;
  const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}
