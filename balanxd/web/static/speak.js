// Speak: a state in; its words read aloud by the browser, where somebody has asked for it. Off at first, and remembered.
//
// What is said, and what is noise, is as on a board that speaks itself (balanxd/sound/speech.py): a warning and an answer
// cut what is being said, news wait for it and only the newest is said, a lifted marble is spoken of when it stays up.

import { svg } from "./shapes.js";

const KEPT = "balanx-speak";
const WAIT_MS = { in_hand: 600, set_up: 2000, looking: 1200 };
const CUTS = ["tilt_warning", "in_hand", "out_of_step", "question", "turning", "stopped", "parked", "tilt_stopped"];
const TURNS = ["", ", turned by a quarter", ", turned by half", ", turned by three quarters"];

const PICTURE = { "": "M4 9v6h4l5 4V5L8 9z", waves: "M16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11", cross: "M17 9.5l5 5m0-5l-5 5" };

/** Spaces and moves as a voice should read them. */
function spoken(text) {
  return text
    .replace(/ \(marked\)/g, "")
    .replace(/\b([a-z]\d{1,2})-([a-z]\d{1,2})\b/g, "$1 to $2")
    .replace(/\*([a-z]\d{1,2})\b/g, "the disk on $1")
    .replace(/\b([A-Z]\d{1,2}[a-z]?)@([a-z]\d{1,2})r([0-3])\b/g, (_, stone, cell, by) => `${stone} on ${cell}${TURNS[by]}`);
}

const sentences = (...parts) => parts.filter(Boolean).map((part) => (/[.?!:]$/.test(part) ? part : `${part}.`)).join(" ");

/** What is worth saying of a state: the text, whether it cuts what is being said, and how long it must stand first. */
function wordsOf({ condition, headline, detail, guide, menu, simulated }) {
  if (menu) return [sentences(menu.sure ? "" : `${menu.number}`, menu.say, menu.sure ? "Are you sure? Yes once more." : ""), true, 0];
  const wait = WAIT_MS[condition] ?? 0;
  const cuts = CUTS.includes(condition);
  if (condition === "tilting") return ["", false, 0];
  if (condition === "tilt_warning") return [sentences("Hands off", headline), cuts, wait];
  if (["turn", "thinking", "tilt_wanted", "starting"].includes(condition)) return [sentences(headline), cuts, wait];
  if (condition === "in_hand" && guide.startsWith("Or ")) return [sentences(headline, detail), cuts, wait];
  if (["provisional", "settling"].includes(condition)) return [sentences(headline, guide.startsWith("Or ") ? guide : ""), cuts, wait];
  if (condition === "announced") return [sentences(headline, simulated ? "" : guide), cuts, wait];
  return [sentences(headline, detail, guide), cuts, wait];
}

export class Speak {
  #voice = window.speechSynthesis;
  #on = false;
  #state = null; // the last one
  #scene = ""; // what was last found worth saying of one
  #said = "";
  #timer = 0;
  #button = document.createElement("button");

  /** into: the element that the button is put into. A browser that cannot speak gets none. */
  constructor(into) {
    if (this.#voice === undefined) return;
    Object.assign(this.#button, { type: "button", id: "speak", title: "Read aloud", ariaLabel: "Read aloud" });
    const picture = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, this.#button);
    for (const [part, d] of Object.entries(PICTURE)) svg("path", { d, class: part }, picture);
    this.#button.addEventListener("click", () => this.#choose(!this.#on));
    into.append(this.#button);
    this.#show(localStorage.getItem(KEPT) === "yes");
  }

  follow(state) {
    if (this.#voice === undefined) return;
    const before = this.#state;
    this.#state = state;
    const [text, cuts, wait] = wordsOf(state);
    // The menu's last word stands in each state until the next menu: it is said once, and what came of it behind it.
    const closed = before !== null && !state.menu && (before.menu || before.menu_said !== state.menu_said);
    const answer = closed ? state.menu_said : "";
    if (!answer && (text === this.#scene || text === "")) return;
    this.#scene = text;
    clearTimeout(this.#timer);
    if (!this.#on) return;
    if (answer) this.#say(sentences(answer, text), true);
    else this.#timer = setTimeout(() => this.#say(text, cuts), wait);
  }

  #choose(on) {
    localStorage.setItem(KEPT, on ? "yes" : "no");
    this.#show(on);
    clearTimeout(this.#timer);
    this.#voice.cancel();
    if (on && this.#scene) this.#say(this.#scene, true);
  }

  #show(on) {
    this.#on = on;
    this.#button.setAttribute("aria-pressed", String(on));
  }

  /** Say it now, or as soon as what is being said has come to its end. News that were said last are none. */
  #say(text, cuts) {
    if (!cuts && text === this.#said) return;
    if (!cuts && this.#voice.speaking) {
      this.#timer = setTimeout(() => this.#say(text, cuts), 100);
      return;
    }
    this.#said = text;
    this.#voice.cancel();
    const words = new SpeechSynthesisUtterance(spoken(text));
    words.lang = "en";
    this.#voice.speak(words);
  }
}
