// The hand: pointer and keys in, wishes for the virtual hand out. It moves no marble itself; the table does.

import { Drag, listenToKeys } from "./pointing.js";

const HOVER_MS = 50;
const GRIP = 0.6; // how far from its centre a marble is still taken, in spaces

export class Hand {
  #board = null;
  #marbles = null;
  #element;
  #ask;
  #note;
  #state = null;
  #drag;
  #cursor = null;
  #hover_ms = 0;
  #hoverTimer = 0;
  #say;

  /** ask(action, values); note(text): something only the page can tell; say(text): for screen readers. */
  constructor(element, { ask, note, say }) {
    this.#element = element;
    this.#ask = ask;
    this.#note = note;
    this.#say = say;
    this.#drag = new Drag(element, {
      place: (event) => this.#board.under(event.clientX, event.clientY),
      take: (at) => this.#take(at),
      moved: () => this.#moved(),
      drop: (at) => this.#put(at),
      cancel: () => this.putBack(),
    });
    listenToKeys(element, { step: (way) => this.#step(way), enter: () => this.#enter(), escape: () => this.putBack() });
    element.addEventListener("blur", () => this.#showCursor(null));
  }

  use(board, marbles) {
    this.#board = board;
    this.#marbles = marbles;
    this.#drag.stop();
    this.#show();
  }

  follow(state) {
    this.#state = state;
    this.#element.classList.toggle("hands", this.#mine);
  }

  /** Put the marble that is up back where it was. */
  putBack() {
    if (!this.#mine || (!this.#drag.active && this.#marbles?.held === null)) return;
    this.#drag.stop();
    this.#ask("put_back");
    this.#show();
  }

  get #mine() {
    return this.#state !== null && this.#state.simulated;
  }

  /** The marble in the hand, unless the hand works for a machine. */
  get #held() {
    return this.#state.announced === null ? this.#marbles.held : null;
  }

  // ---- pointer --------------------------------------------------------------------------------------------

  /** The pointer is down: see Drag. */
  #take(at) {
    if (!this.#mine) return "";
    const held = this.#held;
    if (held === null && !this.#lift(this.#nearest(at))) return "";
    this.#cursor = null;
    return held === null ? "fresh" : "held";
  }

  #nearest(at) {
    const away = (marble) => Math.hypot(marble.x - at.x, marble.y - at.y);
    const near = this.#marbles.all.filter((marble) => !marble.hand && away(marble) <= GRIP);
    return near.sort((a, b) => away(a) - away(b))[0] ?? null;
  }

  #lift(marble) {
    const space = marble && this.#board.space(marble);
    if (!space) return false;
    return this.#ask("lift", { space });
  }

  #moved() {
    if (this.#drag.at !== null) this.#hover();
    this.#show();
  }

  /** At most 20 wishes a second; the last one always goes out. */
  #hover() {
    if (this.#hoverTimer) return;
    const wait = Math.max(0, this.#hover_ms + HOVER_MS - performance.now());
    this.#hoverTimer = setTimeout(() => {
      this.#hoverTimer = 0;
      if (this.#drag.at === null) return;
      this.#hover_ms = performance.now();
      const { x, y } = this.#drag.at;
      this.#ask("hover", { x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000 });
    }, wait);
  }

  #put(at) {
    const space = this.#board.space(at);
    if (space !== null) {
      this.#ask("put", { space });
    } else {
      this.#ask("put_back");
      if (this.#board.inLongGroove(at)) this.#note("The two long grooves are for the steel balls: no marble may enter them.");
    }
  }

  // ---- keys -----------------------------------------------------------------------------------------------

  #step([right, up]) {
    const turned = this.#board.turned ? -1 : 1;
    const { files, ranks } = this.#board.plan;
    const from = this.#cursor === null ? null : this.#board.place(this.#cursor);
    const start = { x: Math.floor(files / 2), y: this.#board.turned ? ranks - 1 : 0 };
    const to = from === null ? start : { x: from.x + right * turned, y: from.y + up * turned };
    const x = Math.min(Math.max(to.x, 0), files - 1), y = Math.min(Math.max(to.y, 0), ranks - 1);
    this.#showCursor(this.#board.space({ x, y }));
    if (this.#mine && this.#held !== null) this.#ask("hover", { x, y });
    this.#tell();
  }

  #tell() {
    const space = this.#cursor;
    const lies = this.#state.simulated
      ? (this.#marbles.all.find((marble) => !marble.hand && this.#board.space(marble, 0.5) === space)?.seat ?? null)
      : (this.#state.shown[space] ?? null);
    const what = lies === null ? "free" : lies < 0 ? "a marble" : `${this.#state.players[lies].name} marble`;
    const marks = this.#state.targets.includes(space) ? ", may go here" : this.#state.extra.includes(space) ? ", to be cleared"
      : this.#state.missing.includes(space) ? ", to be filled" : "";
    this.#say(`${space}, ${what}${marks}`);
  }

  #enter() {
    if (!this.#mine || this.#cursor === null) return;
    if (this.#held !== null) {
      this.#ask("put", { space: this.#cursor });
      return;
    }
    const place = this.#board.place(this.#cursor);
    if (!this.#lift(this.#nearest(place))) this.#say(`${this.#cursor} is free`);
  }

  #showCursor(space) {
    this.#cursor = space;
    this.#show();
  }

  #show() {
    if (!this.#board) return;
    const at = this.#drag.at;
    this.#element.classList.toggle("carrying", this.#drag.active);
    this.#board.hint({ ghost: at, aim: at && this.#board.space(at), cursor: this.#cursor });
  }
}
