// Speak: a state in; its words read aloud by the browser, where somebody has asked for it. Off at first, and remembered.
//
// What is said of a state, and how it is spelled, comes with it (balanxd/sound/aloud.py): what cuts does so, the rest
// waits for what is being said, and of that only the newest is said; a lifted marble is spoken of when it stays up.

import { svg } from "./shapes.js";

const KEPT = "balanx-speak";
const PICTURE = { "": "M4 9v6h4l5 4V5L8 9z", waves: "M16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11", cross: "M17 9.5l5 5m0-5l-5 5" };

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
    const { text, cuts, wait_s, answer: last } = state.aloud;
    // The menu's last word stands in each state until the next menu: it is said once, and what came of it behind it.
    const closed = before !== null && !state.menu && (before.menu || before.menu_said !== state.menu_said);
    const answer = closed ? last : "";
    if (!answer && (text === this.#scene || text === "")) return;
    this.#scene = text;
    clearTimeout(this.#timer);
    if (!this.#on) return;
    if (answer) this.#say(`${answer} ${text}`.trim(), true);
    else this.#timer = setTimeout(() => this.#say(text, cuts), 1000 * wait_s);
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
    const words = new SpeechSynthesisUtterance(text);
    words.lang = "en";
    this.#voice.speak(words);
  }
}
