// Pointer and keys on the board, the same for all games. Knows no games: who listens decides what is taken and put.
//
// Drag: pointer down takes something, moving carries it, up puts it down. A tap takes it and a second tap puts it down.

const TAP_MS = 350;
const TAP_WAY = 0.3; // spaces

export class Drag {
  #element;
  #on;
  #now = null; // { pointer, start, at, at_ms, moved, fresh }

  /**
   * place(event): where it is, in spaces, { x, y }. take(at, event): "fresh" where something was taken just now, "held"
   * where something is in the hand already, "" where nothing is. moved(): the pointer has. drop(at): put it down there.
   * cancel(): the browser took the pointer away.
   */
  constructor(element, on) {
    this.#element = element;
    this.#on = on;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => event.pointerId === this.#now?.pointer && on.cancel());
  }

  get active() {
    return this.#now !== null;
  }

  /** Where something is carried to, or null; a fresh tap carries nothing yet. */
  get at() {
    return this.#now !== null && (this.#now.moved || !this.#now.fresh) ? this.#now.at : null;
  }

  /** Whatever it was, it is over. */
  stop() {
    this.#now = null;
  }

  #down(event) {
    this.#element.classList.add("pointed"); // no frame for the keyboard's focus while nobody uses keys
    if (this.#now !== null || event.button !== 0) return;
    const start = this.#on.place(event), taken = this.#on.take(start, event);
    if (!taken) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#now = { pointer: event.pointerId, start, at: start, at_ms: event.timeStamp, moved: false, fresh: taken === "fresh" };
    this.#on.moved();
  }

  #move(event) {
    const drag = this.#now;
    if (drag === null || event.pointerId !== drag.pointer) return;
    drag.at = this.#on.place(event);
    drag.moved ||= Math.hypot(drag.at.x - drag.start.x, drag.at.y - drag.start.y) > TAP_WAY;
    this.#on.moved();
  }

  #up(event) {
    const drag = this.#now;
    if (drag === null || event.pointerId !== drag.pointer) return;
    const at = this.#on.place(event);
    this.#now = null;
    // After a tap it stays in the hand until the next one.
    if (!(drag.fresh && !drag.moved && event.timeStamp - drag.at_ms < TAP_MS)) this.#on.drop(at);
    this.#on.moved();
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** step([right, up]); enter(); other(key): true where it was meant; escape(), wherever the focus is. */
export function listenToKeys(element, { step, enter, other = () => false, escape }) {
  element.addEventListener("keydown", (event) => {
    element.classList.remove("pointed");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS) step(ARROWS[event.key]);
    else if (event.key === "Enter" || event.key === " ") event.repeat || enter();
    else if (!other(event.key.toLowerCase())) return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && escape());
}
