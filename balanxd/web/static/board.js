// The board: drawn once from the layout; then marks, arrows, cursor and tilt on it. Knows no rules.
//
// Two frames of reference: spaces (a1's centre is (0, 0), x along the files, y along the ranks) as on the wire, and
// the drawing's own units, 100 a space. White's edge is below, or above where the picture is turned.

import { drawArrows, drawMarks } from "./marks.js";
import { grain, svg } from "./shapes.js";

export const UNIT = 100;
const FIELD = 60; // from the outer spaces' centres to the end of the field, along a file
const SIDE = 120; // ... along a rank, where the long grooves for the steel balls lie
const LONG = 90; // their centre lines
const FRAME = 36;
const REACH = 0.72; // how far from a space's centre something is still put on it, in spaces
const BALLS = 6;

export class Board {
  #seen; // element whose box the page's layout decides: it is not tilted
  #tilted;
  #layers = {};
  #spaces = new Map();
  #angle = 0;
  #lean = 0;

  constructor(stage, element, plan, turned) {
    this.plan = plan;
    this.turned = turned;
    this.#seen = stage;
    this.#tilted = element;
    const { files, ranks } = plan;
    this.width = (files - 1) * UNIT;
    this.height = (ranks - 1) * UNIT;
    const left = -SIDE - FRAME, top = -FIELD - FRAME;
    this.box = { left, top, width: this.width - 2 * left, height: this.height - 2 * top };
    const viewBox = `${left} ${top} ${this.box.width} ${this.box.height}`;
    stage.style.setProperty("--ratio", String(this.box.width / this.box.height));
    const wood = svg("svg", { viewBox, class: "wood", "aria-hidden": "true" });
    const live = svg("svg", { viewBox, class: "live" });
    this.#drawWood(wood);
    for (const name of ["spaces", "marks", "marbles", "arrows", "hand"]) this.#layers[name] = svg("g", { class: name }, live);
    for (const name of plan.spaces) this.#drawSpace(name);
    element.replaceChildren(wood, live);
    this.tilt(0);
  }

  get marbles() {
    return this.#layers.marbles;
  }

  // ---- places ---------------------------------------------------------------------------------------------

  /** A space's place, in spaces. */
  place(name) {
    return { x: name.charCodeAt(0) - 97, y: Number(name.slice(1)) - 1 };
  }

  /** From spaces to the drawing. */
  at({ x, y }) {
    return this.turned ? { x: this.width - x * UNIT, y: y * UNIT } : { x: x * UNIT, y: this.height - y * UNIT };
  }

  /** The space there, or null. reach: how far from its centre, in spaces. */
  space({ x, y }, reach = REACH) {
    const file = Math.min(Math.max(Math.round(x), 0), this.plan.files - 1);
    const rank = Math.min(Math.max(Math.round(y), 0), this.plan.ranks - 1);
    return Math.hypot(x - file, y - rank) <= reach ? `${String.fromCharCode(97 + file)}${rank + 1}` : null;
  }

  /** Whether that is in one of the two long grooves for the steel balls. */
  inLongGroove({ x, y }) {
    const beside = Math.max(-x, x - (this.plan.files - 1));
    return beside > REACH && beside < (SIDE + 10) / UNIT && y > -0.7 && y < this.plan.ranks - 0.3;
  }

  /** From the screen to spaces: undoes the perspective of the tilted board exactly. */
  under(clientX, clientY) {
    const box = this.#seen.getBoundingClientRect();
    const far = DISTANCE_PX, lean = (this.#lean * Math.PI) / 180;
    const X = clientX - box.left - box.width / 2, Y = clientY - box.top - box.height / 2;
    const v = (Y * far) / (far * Math.cos(lean) + Y * Math.sin(lean));
    const u = (X * (far - v * Math.sin(lean))) / far;
    const scale = this.box.width / box.width;
    const x = (u + box.width / 2) * scale + this.box.left, y = (v + box.height / 2) * scale + this.box.top;
    return this.turned
      ? { x: (this.width - x) / UNIT, y: y / UNIT }
      : { x: x / UNIT, y: (this.height - y) / UNIT };
  }

  // ---- what changes ---------------------------------------------------------------------------------------

  /** Degrees, positive: White's side is down. */
  tilt(angle) {
    if (Math.abs(angle - this.#angle) < 0.02 && this.#lean !== 0) return;
    this.#angle = angle;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const down = (this.turned ? -1 : 1) * Math.max(-1, Math.min(1, angle / 8)); // 1: the lower edge of the picture
    this.#lean = still ? 0 : -LEAN_DEG * down;
    this.#tilted.style.transform = `rotateX(${this.#lean.toFixed(3)}deg)`;
    this.#tilted.style.setProperty("--down", down.toFixed(3));
    this.#tilted.dataset.low = Math.abs(angle) < 1 ? "" : down > 0 ? "below" : "above";
  }

  /** Light spaces, and draw arrows over the marbles. owners: { space: seat } of the marbles that belong there. */
  mark(marks, owners, arrows) {
    const at = (name) => this.at(this.place(name));
    const wanted = (group, name) => svg("circle", { class: `seat-${owners[name]}`, r: 17 }, group);
    drawMarks(marks, { spaces: this.#spaces, at, under: this.#layers.marks, over: this.#layers.arrows, wanted, taken: () => false });
    drawArrows(this.#layers.arrows, arrows, at);
  }

  /** The ring under the finger and the keyboard's cursor; null hides it. */
  hint({ ghost = null, cursor = null, aim = null }) {
    const shapes = [];
    if (aim !== null) {
      const { x, y } = this.at(this.place(aim));
      shapes.push(svg("circle", { class: "aim", cx: x, cy: y, r: 47 }));
    }
    if (ghost !== null) {
      const { x, y } = this.at(ghost);
      shapes.push(svg("circle", { class: "ghost", cx: x, cy: y, r: 44 }));
    }
    if (cursor !== null) {
      const { x, y } = this.at(this.place(cursor));
      shapes.push(svg("rect", { class: "cursor", x: x - 50, y: y - 50, width: 100, height: 100, rx: 22 }));
    }
    this.#layers.hand.replaceChildren(...shapes);
  }

  // ---- drawing --------------------------------------------------------------------------------------------

  #drawSpace(name) {
    const { x, y } = this.at(this.place(name));
    const space = svg("g", { "data-space": name, transform: `translate(${x} ${y})` }, this.#layers.spaces);
    svg("circle", { r: 48, class: "reach" }, space);
    this.#spaces.set(name, space);
  }

  #drawWood(wood) {
    const { left, top, width, height } = this.box;
    wood.append(definitions());
    svg("rect", { class: "frame", x: left, y: top, width, height, rx: 34 }, wood);
    svg("rect", { class: "frame-edge", x: left + 3, y: top + 3, width: width - 6, height: height - 6, rx: 31 }, wood);
    const field = { x: -SIDE, y: -FIELD, width: this.width + 2 * SIDE, height: this.height + 2 * FIELD, rx: 16 };
    svg("rect", { class: "field", ...field }, wood);
    grain(svg("g", { class: "grain", "clip-path": "url(#field-clip)" }, wood), field);
    svg("rect", field, svg("clipPath", { id: "field-clip" }, wood));
    this.plan.finishes.forEach((corner, seat) => this.#drawCorner(wood, corner, seat));
    for (const x of [-LONG, this.width + LONG]) this.#drawLongGroove(wood, x);
    for (const groove of this.plan.grooves) this.#drawGroove(wood, groove);
    this.#drawNames(wood);
    svg("rect", { class: "shade", x: left, y: top, width, height, rx: 34 }, wood);
    svg("rect", { class: "field-edge", ...field }, wood);
  }

  #drawCorner(wood, corner, seat) {
    const inlay = svg("g", { class: `finish seat-${seat}`, "data-finish": String(seat) }, wood);
    for (const name of corner) {
      const { x, y } = this.at(this.place(name));
      svg("rect", { x: x - 51, y: y - 51, width: 102, height: 102, rx: 3 }, inlay);
    }
    svg("title", {}, inlay).textContent = `${seat === 0 ? "White" : "Black"}'s corner: fill it to win`;
  }

  #drawGroove(wood, groove) {
    const ends = groove.map((name) => this.at(this.place(name)));
    const x = ends[0].x, low = Math.min(...ends.map((end) => end.y)), high = Math.max(...ends.map((end) => end.y));
    const half = 39;
    const shape = { x: x - half, y: low - half, width: 2 * half, height: high - low + 2 * half, rx: half };
    const group = svg("g", { class: "groove" }, wood);
    svg("rect", { class: "rim", ...shape, x: shape.x + 1.5, y: shape.y + 3 }, group);
    svg("rect", { class: "trough", ...shape }, group);
    svg("rect", { class: "depth", ...shape }, group);
    for (const end of ends) svg("circle", { class: "seat", cx: end.x, cy: end.y, r: 19 }, group);
  }

  #drawLongGroove(wood, x) {
    const group = svg("g", { class: "long-groove" }, wood);
    const shape = { x: x - 20, y: -46, width: 40, height: this.height + 92, rx: 20 };
    svg("rect", { class: "rim", ...shape, x: shape.x + 1.5, y: shape.y + 3 }, group);
    svg("rect", { class: "trough", ...shape }, group);
    svg("rect", { class: "depth", ...shape }, group);
    for (let ball = 0; ball < BALLS; ball += 1) {
      const from = -46 + 20 + ball * 33, to = this.height + 46 - 20 - (BALLS - 1 - ball) * 33;
      const steel = svg("g", { class: "steel" }, group);
      steel.style.setProperty("--above", `${from}px`);
      steel.style.setProperty("--below", `${to}px`);
      svg("circle", { cx: x, cy: 0, r: 15.5 }, steel);
    }
    svg("title", {}, group).textContent = "A long groove for the steel balls: no marble may enter it";
  }

  #drawNames(wood) {
    const { files, ranks } = this.plan;
    const write = (text, x, y) => (svg("text", { class: "name", x, y }, wood).textContent = text);
    for (let file = 0; file < files; file += 1) {
      const { x } = this.at({ x: file, y: 0 });
      for (const y of [-FIELD - FRAME / 2, this.height + FIELD + FRAME / 2]) write(String.fromCharCode(97 + file), x, y);
    }
    for (let rank = 0; rank < ranks; rank += 1) {
      const { y } = this.at({ x: 0, y: rank });
      for (const x of [-SIDE - FRAME / 2, this.width + SIDE + FRAME / 2]) write(String(rank + 1), x, y);
    }
  }
}

const DISTANCE_PX = 1500; // as `perspective` in board.css
const LEAN_DEG = 5; // shown at full tilt: a little less than the real 8 degrees

function definitions() {
  const defs = svg("defs", {});
  const gradient = (kind, id, stops, more = {}) => {
    const element = svg(kind, { id, ...more }, defs);
    for (const [offset, name] of stops) svg("stop", { offset, class: name }, element);
  };
  gradient("linearGradient", "paint-frame", [[0, "frame-1"], [0.5, "frame-2"], [1, "frame-3"]], { x1: 0, y1: 0, x2: 1, y2: 1 });
  gradient("linearGradient", "paint-field", [[0, "field-1"], [1, "field-2"]], { x1: 0, y1: 0, x2: 1, y2: 1 });
  gradient("linearGradient", "paint-trough", [[0, "trough-1"], [0.45, "trough-2"], [1, "trough-3"]], { x1: 0, x2: 1 });
  gradient("linearGradient", "paint-depth", [[0, "depth-1"], [0.22, "depth-2"], [1, "depth-2"]], { x1: 0, y1: 0, x2: 0, y2: 1 });
  gradient("radialGradient", "paint-steel", [[0, "steel-1"], [0.45, "steel-2"], [1, "steel-3"]], { cx: 0.36, cy: 0.3, r: 0.8 });
  gradient("linearGradient", "paint-shade", [[0, "shade-1"], [0.5, "shade-2"], [1, "shade-3"]], { x1: 0, y1: 0, x2: 0, y2: 1 });
  return defs;
}
