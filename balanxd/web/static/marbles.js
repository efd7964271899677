// The marbles: shown where the table's frames say that they are, and nowhere else. Between two frames they glide.
// Where no table is seen (a real board) they go to the spaces that the state names.

import { UNIT } from "./board.js";
import { svg } from "./shapes.js";

const LEAST_GAP_MS = 16;
const MOST_GAP_MS = 120;
const ROUND = 0.46; // a marble's radius in spaces, for the way it turns

export class Marbles {
  #board;
  #shapes = new Map();
  #before = null; // the last two frames, by the time when they came
  #after = null;
  #gap_ms = 40;
  #running = false;
  #onTilt;

  /** onTilt(angle): the board's angle for each picture drawn. */
  constructor(board, onTilt) {
    this.#board = board;
    this.#onTilt = onTilt;
    svg("defs", {}, board.marbles).append(...gradients());
  }

  /** The marbles of the newest frame. */
  get all() {
    return this.#after === null ? [] : this.#after.marbles;
  }

  /** The marble in the hand, or null. */
  get held() {
    return this.all.find((marble) => marble.hand) ?? null;
  }

  // ---- a table that is seen -------------------------------------------------------------------------------

  /** Take a `table` message. */
  frame(table) {
    const now = performance.now();
    if (this.#after !== null) {
      const gap = now - this.#after.at;
      if (gap < 4 * MOST_GAP_MS) this.#gap_ms += 0.2 * (Math.min(Math.max(gap, LEAST_GAP_MS), MOST_GAP_MS) - this.#gap_ms);
    }
    // After a pause the way from the last frame to this one is gone in one usual step, not in the pause's time.
    this.#before = this.#after === null ? null : { ...this.#after, at: Math.max(this.#after.at, now - this.#gap_ms) };
    this.#after = { at: now, angle: table.angle, marbles: table.marbles, byId: new Map(table.marbles.map((m) => [String(m.id), m])) };
    this.#keepOnly(new Set(this.#after.byId.keys()));
    if (!this.#running) {
      this.#running = true;
      requestAnimationFrame((time) => this.#draw(time));
    }
  }

  #draw(now) {
    const { at, byId, angle } = this.#after;
    const before = this.#before ?? this.#after;
    const span = Math.max(at - before.at, 1);
    // One gap behind the present, so that there is a frame on either side.
    const part = Math.min(Math.max((now - this.#gap_ms - before.at) / span, 0), 1);
    for (const [id, marble] of byId) {
      const old = before.byId.get(id) ?? marble;
      const x = old.x + (marble.x - old.x) * part, y = old.y + (marble.y - old.y) * part;
      this.#show(id, marble, x, y);
    }
    this.#onTilt(before.angle + (angle - before.angle) * part);
    if (part < 1) requestAnimationFrame((time) => this.#draw(time));
    else this.#running = false;
  }

  #show(id, marble, x, y) {
    const shape = this.#shapes.get(id) ?? this.#make(id, marble.seat);
    if (shape.x === x && shape.y === y && shape.hand === marble.hand) return;
    if (marble.hand && !shape.hand) this.#board.marbles.append(shape.group); // above the others
    if (!marble.hand && shape.y !== null) shape.turn += (y - shape.y) / ROUND;
    const at = this.#board.at({ x, y });
    shape.group.style.transform = `translate(${at.x.toFixed(2)}px, ${at.y.toFixed(2)}px)`;
    shape.group.classList.toggle("up", Boolean(marble.hand));
    shape.group.dataset.hand = marble.hand ? "1" : "";
    shape.group.dataset.at = marble.hand ? "" : (this.#board.space({ x, y }, 0.35) ?? "");
    turn(shape);
    Object.assign(shape, { x, y, hand: marble.hand });
  }

  // ---- a real board ---------------------------------------------------------------------------------------

  /** Put marbles on spaces: { space: seat }, seat -1 where nobody knows it. Each takes the shortest way. */
  put(shown) {
    this.#board.marbles.classList.add("glide");
    const free = new Map(this.#shapes);
    const open = [];
    for (const [space, seat] of Object.entries(shown)) {
      const same = [...free].find(([, shape]) => shape.space === space && shape.seat === seat);
      if (same) free.delete(same[0]);
      else open.push([space, seat]);
    }
    for (const [space, seat] of open) {
      const to = this.#board.place(space);
      const near = [...free].filter(([, shape]) => shape.seat === seat)
        .sort(([, a], [, b]) => Math.hypot(a.x - to.x, a.y - to.y) - Math.hypot(b.x - to.x, b.y - to.y))[0];
      let shape;
      if (near) {
        free.delete(near[0]);
        shape = near[1];
      } else {
        shape = this.#make(`${seat}-${space}-${this.#shapes.size}`, seat);
      }
      if (shape.y !== null) shape.turn += (to.y - shape.y) / ROUND;
      Object.assign(shape, { ...to, space });
      const at = this.#board.at(to);
      shape.group.style.transform = `translate(${at.x}px, ${at.y}px)`;
      shape.group.dataset.at = space;
      turn(shape);
    }
    for (const id of free.keys()) this.#drop(id);
  }

  // ---- shapes ---------------------------------------------------------------------------------------------

  #make(id, seat) {
    const group = svg("g", { class: `marble seat-${seat}`, "data-marble": id, "data-seat": seat }, this.#board.marbles);
    svg("ellipse", { class: "shadow", cx: 5, cy: 9, rx: 42, ry: 41 }, group);
    const body = svg("g", { class: "body" }, group);
    svg("circle", { class: "glass", r: 41 }, body);
    const bands = [svg("path", { class: "band" }, body), svg("path", { class: "band" }, body)];
    svg("circle", { class: "edge", r: 40 }, body);
    svg("ellipse", { class: "light", cx: -13, cy: -17, rx: 13, ry: 8.5, transform: "rotate(-38 -13 -17)" }, body);
    svg("path", { class: "glint", d: "M-24 21 A32 32 0 0 0 23 23" }, body);
    if (seat < 0) svg("text", { class: "unsure" }, body).textContent = "?";
    const number = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const shape = { group, bands, seat, x: null, y: null, hand: false, space: "", turn: number * 1.3 };
    this.#shapes.set(id, shape);
    return shape;
  }

  #drop(id) {
    this.#shapes.get(id)?.group.remove();
    this.#shapes.delete(id);
  }

  #keepOnly(ids) {
    for (const id of [...this.#shapes.keys()]) if (!ids.has(id)) this.#drop(id);
  }
}

/** Two swirls inside the glass, half a turn apart, seen as the marble has rolled. */
function turn(shape) {
  shape.bands.forEach((band, half) => {
    const angle = shape.turn + half * Math.PI;
    const front = Math.cos(angle), y = -31 * Math.sin(angle);
    if (front < 0.03) {
      band.setAttribute("d", "");
      return;
    }
    const wide = 25 * Math.sqrt(Math.max(0, 1 - (y / 41) ** 2)), high = 9 * front;
    band.setAttribute("d", `M${-wide} ${y} C${-wide / 2} ${y - high * 2} ${wide / 3} ${y + high} ${wide} ${y - high / 2} C${wide / 3} ${y + high * 2.2} ${-wide / 2} ${y} ${-wide} ${y} Z`);
    band.setAttribute("opacity", Math.min(1, front * 1.6).toFixed(2));
  });
}

function gradients() {
  const make = (id, stops, more) => {
    const element = svg("radialGradient", { id, ...more });
    for (const [offset, name] of stops) svg("stop", { offset, class: name }, element);
    return element;
  };
  const lit = { cx: 0.37, cy: 0.3, r: 0.78 };
  return [
    make("glass-0", [[0, "white-1"], [0.5, "white-2"], [0.86, "white-3"], [1, "white-4"]], lit),
    make("glass-1", [[0, "black-1"], [0.3, "black-2"], [0.75, "black-3"], [1, "black-4"]], lit),
    make("shadow", [[0.55, "shadow-1"], [1, "shadow-2"]], {}),
  ];
}

export { UNIT };
