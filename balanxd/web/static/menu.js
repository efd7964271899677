// The board's own menu and its three buttons: the state in; words, and presses on a simulated board's buttons, out.

import { html } from "./shapes.js";

const $ = (id) => document.getElementById(id);
const SAID_MS = 7000;

export class Menu {
  #ask;
  #state = null; // the one before
  #timer = 0;
  #drawn = "";

  /** ask(action, values) */
  constructor(ask) {
    this.#ask = ask;
  }

  follow(state) {
    const before = this.#state;
    this.#state = state;
    this.#buttons(state.simulated ? state.board_buttons : []);
    const { menu, menu_said: said } = state;
    if (menu !== null) this.#show(`${menu.number} of ${menu.count}`, menu.sure ? `${menu.say}: sure?` : menu.say, how(state), menu.sure);
    else if (before?.menu || (before && said !== before.menu_said)) this.#closed(said);
  }

  /** What was done, or why it was not, for a while. */
  #closed(said) {
    if (!said) return this.#hide();
    this.#show("", said, "");
    this.#timer = setTimeout(() => this.#hide(), SAID_MS);
  }

  #show(place, say, how, sure = false) {
    clearTimeout(this.#timer);
    const box = $("menu"), parts = [["place", place], ["say", say], ["how", how]].filter(([, text]) => text);
    const text = JSON.stringify([parts, sure]);
    box.hidden = false;
    if (text === box.dataset.text) return; // screen readers speak when something changes
    Object.assign(box.dataset, { text, number: String(this.#state.menu?.number ?? ""), sure: sure ? "1" : "" });
    box.replaceChildren(...parts.map(([className, words]) => html(className === "say" ? "strong" : "span", { className }, words)));
  }

  #hide() {
    clearTimeout(this.#timer);
    $("menu").hidden = true;
    $("menu").dataset.text = $("menu").dataset.number = "";
  }

  /** there: which of them the simulated board has. */
  #buttons(there) {
    const key = there.join();
    if (key === this.#drawn) return;
    this.#drawn = key;
    $("board-buttons").hidden = !there.length;
    $("board-buttons").replaceChildren(...there.map((button) =>
      html("button", { type: "button", "data-press": button, onclick: () => this.#ask("press", { button }) }, button.toUpperCase())));
  }
}

/** What is to be done at the board, by its buttons or by taps. */
function how({ menu, board_buttons: there, piece }) {
  if (there.length) return menu.sure ? "YES once more does it, STOP leaves it." : "YES does it, NEXT goes on, STOP closes.";
  return menu.sure ? `Two taps on a ${piece} do it, three leave it.` : `Two taps on a ${piece} do it, one goes on, three close.`;
}
