// What is written around the stage: state, numbers, decisions, sounds, the ear test, a theft looked at closely.
// Only what has changed is written, since every change costs the browser a layout.

import { decibels, share, soundColour, theme } from "./look.js";

const LOG = 40; // lines that are kept
const LIVELY = 100; // milliseconds between two changes of a number
const TOLD = 5000; // milliseconds between two sentences for those who listen to the page

export const $ = (id) => document.getElementById(id);

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const lossOf = ({ worst }) => (worst ? decibels(worst.level) : "");

export class Panels {
  constructor(wand, about) {
    this.wand = wand;
    this.about = about;
    this.writtenAt = 0;
    this.told = { at: 0, stolen: 0, loudest: -Infinity };
    this.buttons = [...document.querySelectorAll("[data-on]")];
    $("answers").append(
      ...about.answers.map((answer, place) => {
        const input = make("input", { type: "radio", name: "answer", value: place });
        input.addEventListener("change", () => wand.choose(place));
        return make("label", {}, input, answer.replace("steal the ", "steal "));
      }),
    );
    this.answers = [...$("answers").querySelectorAll("input")];
    for (const { key, does } of about.keys) {
      const keys = key.split(" ").map((key) => make("kbd", { textContent: key }));
      $("keys").append(make("dt", {}, ...keys), make("dd", { textContent: does }));
    }
    const numbers = ["plays", "stolen", "loudest loss", "refused", "parked", "most at once", "sparkles"];
    this.numbers = Object.fromEntries(
      numbers.map((name) => {
        const value = make("dd");
        $("numbers").append(make("dt", { textContent: name }), value);
        return [name, value];
      }),
    );
    this.listSounds(about);
  }

  // The sounds, as buttons that play them.
  listSounds(about) {
    this.about = about;
    this.sounds = about.sounds.map((sound, place) => {
      const lost = make("span", { className: "lost" });
      const dot = make("i");
      const name = make("span", { className: "name", textContent: sound.name });
      const button = make("button", { type: "button", title: `Play ${sound.name}` }, dot, name, lost);
      if (sound.key) button.append(make("kbd", { textContent: sound.key }));
      button.addEventListener("click", () => this.wand.call(place));
      return { item: make("li", {}, button), lost, dot };
    });
    $("sounds").replaceChildren(...this.sounds.map(({ item }) => item));
    this.dye();
  }

  // The colours of the sounds, in the theme that is seen.
  dye() {
    this.sounds.forEach(({ dot }, sound) => (dot.style.background = soundColour(sound, theme.now)));
  }

  show(frame, now) {
    this.log(frame.log);
    this.meters(frame.meters);
    this.earTest(frame.ear);
    for (const button of this.buttons) {
      const on = String(Boolean(frame[button.dataset.on]));
      if (button.getAttribute("aria-pressed") !== on) button.setAttribute("aria-pressed", on);
    }
    const covered = frame.ear || frame.output.kind === "waiting";
    write($("caption"), covered ? "" : (frame.caption ?? ""));
    if (now - this.writtenAt >= LIVELY) {
      this.writtenAt = now;
      this.state(frame);
      this.lost(frame);
    }
    this.tell(frame, now);
  }

  state(frame) {
    const { voices, playing, losses, output, volume, answer, muted } = frame;
    const alone = frame.alone ? " · plays by itself" : "";
    write($("voices-count"), `${playing} of ${voices} play${alone}`);
    write($("voices-number"), String(voices));
    if (document.activeElement !== $("voices-slider")) $("voices-slider").value = voices;
    write($("volume-number"), muted ? "muted" : `${volume} dB`.replace("-", "−"));
    if (document.activeElement !== $("volume")) $("volume").value = volume;
    const checked = this.answers[answer];
    if (!checked.checked) checked.checked = true;
    $("output").dataset.kind = output.kind;
    write($("output").lastElementChild, output.text);
    write(this.numbers.plays, String(losses.plays));
    write(this.numbers.stolen, String(losses.stolen));
    write(this.numbers["loudest loss"], losses.worst ? `${losses.worst.name} ${lossOf(losses)}` : "–");
    write(this.numbers.refused, String(losses.refused));
    write(this.numbers.parked, String(frame.parked.length));
    write(this.numbers["most at once"], String(frame.mostPlaying));
    write(this.numbers.sparkles, `${frame.sparkles.length / 4} of ${this.about.mostSparkles}`);
    const parked = frame.parked.map(({ sound, level, seconds }) => {
      return `${this.about.sounds[sound]?.name} ${decibels(level)} at ${seconds.toFixed(1)} s`;
    });
    write($("parked"), parked.length ? `parked, in silence: ${parked.join(" · ")}` : "parked: nobody");
  }

  lost(frame) {
    frame.sounds.forEach((losses, sound) => {
      const { lost } = this.sounds[sound] ?? {};
      if (!lost) return;
      write(lost, losses.stolen ? `${losses.stolen} lost, ${lossOf(losses)}` : "");
      lost.classList.toggle("loud", (losses.worst?.level ?? -Infinity) > this.about.faint);
    });
  }

  log(entries) {
    if (!entries.length) return;
    const lines = entries.slice(-LOG).map(({ at, text, kind }) => {
      // How loud it was has a column of its own, so that it is read however long the names are.
      const [, what, level] = text.match(/^(.*) at (\S+ dB|silence)$/) ?? [text, text, ""];
      const time = make("time", { textContent: `${at.toFixed(1)} s` });
      return make(
        "li",
        { className: kind },
        time,
        make("span", { textContent: what, title: text }),
        make("b", { textContent: level }),
      );
    });
    $("log").prepend(...lines.reverse());
    while ($("log").childElementCount > LOG) $("log").lastElementChild.remove();
  }

  meters(meters) {
    [$("meter-left"), $("meter-right")].forEach((meter, side) => {
      const [level, hold] = meters[side];
      meter.style.setProperty("--level", share(level).toFixed(3));
      meter.lastElementChild.style.transform = `translateX(${(share(hold) * meter.clientWidth - 2).toFixed(1)}px)`;
    });
  }

  earTest(test) {
    $("ear").hidden = !test;
    if (!test) return;
    const fill = (id, ...texts) => [...$(id).children].forEach((child, i) => write(child, texts[i]));
    const { letter, whom } = test.parts[test.part];
    const other = test.parts[1 - test.part].letter;
    $("ear-now").className = `ear-now ${letter.toLowerCase()} ${test.heard ? "" : "silent"}`;
    if (test.heard) fill("ear-now", `stealing ${whom}`, `NOW ${letter}`, `${other} in ${test.left} s`);
    else fill("ear-now", `next: stealing ${whom}`, letter, "listen for what breaks off");
    test.parts.forEach(({ letter, whom, lost }, part) => {
      const id = `ear-${letter.toLowerCase()}`;
      $(id).classList.toggle("now", part === test.part);
      fill(id, `${letter} steals ${whom}`, lossOf(lost) || "––", lost.worst?.name ?? "");
    });
  }

  // A theft, and everybody whom it could have met.
  theft({ thief, victim, level, byAge, candidates }) {
    write($("theft-title"), `${thief} stole ${victim} at ${level}`);
    const then = byAge ? "the oldest" : "who would be missed least";
    write($("theft-why"), `The lowest priority goes first, and there ${then}:`);
    $("candidates").replaceChildren(
      ...candidates.map(({ slot, sound, name, level, priority, age, stolen, never }) => {
        const fill = make("b");
        fill.style.cssText = `width:${100 * share(level)}%;background:${soundColour(sound, theme.now)}`;
        const cells = [slot, name, make("i", {}, fill), decibels(level), priority, `${age.toFixed(1)} s`];
        cells.push(stolen ? "◀ stolen" : never ? "never" : "");
        const row = make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
        row.className = stolen ? "stolen" : never ? "never" : "";
        return row;
      }),
    );
  }

  // Thefts come too fast to be read out one by one: now and then, all of them in a sentence.
  tell({ losses, flashes }, now) {
    const { told } = this;
    for (const { level } of flashes) told.loudest = Math.max(told.loudest, level);
    if (now - told.at < TOLD) return;
    const stolen = losses.stolen - told.stolen;
    if (stolen > 0) {
      const loudest = told.loudest > -Infinity ? `, the loudest at ${decibels(told.loudest)}` : "";
      write($("told"), `${stolen} voices gave way to others${loudest}.`);
    }
    this.told = { at: now, stolen: losses.stolen, loudest: -Infinity };
  }
}
