// The hand: pointer and keys in, wishes for the virtual hand out. It moves no marble itself; the table does.
//
// Drag: pointer down on a marble lifts it, moving carries it, up puts it on the nearest space. A tap lifts it and a second
// tap puts it down. Keys: arrows, Enter or blank, Escape.

const HOVER_MS = 50;
const TAP_MS = 350;
const TAP_WAY = 0.3; // spaces
const GRIP = 0.6; // how far from its centre a marble is still taken, in spaces

export class Hand {
  #board = null;
  #marbles = null;
  #element;
  #ask;
  #note;
  #state = null;
  #drag = null; // { pointer, from, start, at_ms, moved, fresh }
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
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => this.#cancel(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("blur", () => this.#showCursor(null));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.putBack());
  }

  use(board, marbles) {
    this.#board = board;
    this.#marbles = marbles;
    this.#drag = null;
    this.#show();
  }

  follow(state) {
    this.#state = state;
    this.#element.classList.toggle("hands", this.#mine);
  }

  /** Put the marble that is up back where it was. */
  putBack() {
    if (!this.#mine || (this.#drag === null && this.#marbles?.held === null)) return;
    this.#drag = null;
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

  #down(event) {
    this.#element.classList.add("pointed"); // no frame for the keyboard's focus while nobody uses keys
    if (!this.#mine || this.#drag !== null || event.button !== 0) return;
    const start = this.#board.under(event.clientX, event.clientY);
    const held = this.#held;
    if (held === null && !this.#lift(this.#nearest(start))) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#drag = { pointer: event.pointerId, start, at: start, at_ms: event.timeStamp, moved: false, fresh: held === null };
    this.#cursor = null;
    if (held !== null) this.#hover();
    this.#show();
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

  #move(event) {
    const drag = this.#drag;
    if (drag === null || event.pointerId !== drag.pointer) return;
    drag.at = this.#board.under(event.clientX, event.clientY);
    drag.moved ||= Math.hypot(drag.at.x - drag.start.x, drag.at.y - drag.start.y) > TAP_WAY;
    if (drag.moved) this.#hover();
    this.#show();
  }

  /** At most 20 wishes a second; the last one always goes out. */
  #hover() {
    if (this.#hoverTimer) return;
    const wait = Math.max(0, this.#hover_ms + HOVER_MS - performance.now());
    this.#hoverTimer = setTimeout(() => {
      this.#hoverTimer = 0;
      if (this.#drag === null) return;
      this.#hover_ms = performance.now();
      const { x, y } = this.#drag.at;
      this.#ask("hover", { x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000 });
    }, wait);
  }

  #up(event) {
    const drag = this.#drag;
    if (drag === null || event.pointerId !== drag.pointer) return;
    drag.at = this.#board.under(event.clientX, event.clientY);
    this.#drag = null;
    const tap = drag.fresh && !drag.moved && event.timeStamp - drag.at_ms < TAP_MS;
    if (!tap) this.#put(drag.at); // after a tap the marble stays up until the next one
    this.#show();
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

  #cancel(event) {
    if (this.#drag !== null && event.pointerId === this.#drag.pointer) this.putBack();
  }

  // ---- keys -----------------------------------------------------------------------------------------------

  #key(event) {
    this.#element.classList.remove("pointed");
    if (!this.#board || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) {
      event.preventDefault();
      this.#step(step);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) this.#enter();
    }
  }

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
    const at = this.#drag !== null && (this.#drag.moved || !this.#drag.fresh) ? this.#drag.at : null;
    this.#element.classList.toggle("carrying", this.#drag !== null);
    this.#board.hint({ ghost: at, aim: at && this.#board.space(at), cursor: this.#cursor });
  }
}
