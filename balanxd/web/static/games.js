// The other games: state and table in, the board of BANKS, Boxilies or Four High out, and wishes of the hand back.
//
// What tests and tools may hold on to, beside what app.js names: [data-piece=ID] with data-at, [data-beside=KIND] a stone
// beside the board, body[data-held] (1 while the hand holds something), button[data-action=turn|put_aside] for what is in
// the hand, #side-view button[data-lift=2] the upper two of a stack, .player[data-player] .score.

import { banks } from "./banks.js";
import { boxilies } from "./boxilies.js";
import { fourhigh, PIECES } from "./fourhigh.js";
import { drawArrows, drawMarks, marksOf } from "./marks.js";
import { Drag, listenToKeys } from "./pointing.js";
import { grain, html, svg } from "./shapes.js";

const UNIT = 100;
const GRIP = 0.62; // how far from a cell's centre it is still meant, in cells
const ARTS = { banks, boxilies, fourhigh };

export class Games {
  #stage;
  #element;
  #ask;
  #say;
  #changed;
  #art;
  #live;
  #layers = {};
  #turned;
  #cells = new Map(); // name -> its centre in the drawing
  #spaces = new Map(); // name -> the element that feels the pointer there
  #drawn = "";
  #state;
  #table = null;
  #cursor = null;
  #aim = null; // the cell that is pointed at
  #hover = null; // where the pointer is, in cells
  #drag;
  #turn = 0; // quarters by which the stone in the hand is turned
  #pieces = [];
  #shapes = new Map();
  #side = html("div", { id: "side-view" });
  #seen = null; // the cell that is seen from the side

  /** ask(action, values); say(text): for screen readers; changed(): what the hand holds, or may do with it. */
  constructor(stage, element, { ask, say, changed }) {
    this.#stage = stage;
    this.#element = element;
    this.#ask = ask;
    this.#say = say;
    this.#changed = changed;
    this.#drag = new Drag(element, {
      place: (event) => this.#under(event),
      take: (_, event) => this.#reach(event),
      moved: () => this.#drawHand(),
      drop: (at) => this.#put(this.#near(at)),
      cancel: () => this.#back(),
    });
    element.addEventListener("pointermove", (event) => this.#hoverAt(event));
    element.addEventListener("pointerleave", () => this.#point(null));
    listenToKeys(element, { step: (way) => this.#step(way), enter: () => this.#enter(), other: (key) => this.#key(key), escape: () => this.#back() });
    document.getElementById("players").after(this.#side);
  }

  /** turned: the last seat's side is below. */
  follow(state, turned) {
    this.#state = state;
    this.#turned = turned;
    this.#draw();
    this.#show();
  }

  table(table) {
    this.#table = table;
    if (this.#state) this.#show();
  }

  /** Whether a person's hand holds something. */
  get held() {
    return this.#holding.length > 0 && this.#state.announced === null;
  }

  /** What may be done with it beside putting it down: [{ label, key, action, press }] */
  get deeds() {
    const deeds = [], { game } = this.#state;
    if (!this.held || game === "fourhigh") return deeds;
    if (game === "boxilies") deeds.push({ label: "Turn it", key: "R", action: "turn", press: () => this.#rotate() });
    const aside = { key: "X", action: "put_aside", press: () => this.#ask("put_aside") };
    if (this.#chosen) deeds.push({ label: "Take this colour", ...aside, main: true });
    else if (this.#table.taken_from !== null) deeds.push({ label: "Lay it beside", ...aside });
    return deeds;
  }

  // ---- the board ------------------------------------------------------------------------------------------

  #draw() {
    const { layout, game, title } = this.#state;
    const key = JSON.stringify([layout, this.#turned]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#art = ARTS[game];
    this.#shapes.clear();
    this.#cursor = this.#aim = this.#seen = null;
    const scale = this.#turned ? -UNIT : UNIT;
    this.#cells = new Map(layout.cells.map(({ name, x, y }) => [name, { x: x * scale, y: -y * scale }]));
    const all = [...this.#cells.values()], { margin, tray = 0 } = this.#art;
    const x = Math.min(...all.map((cell) => cell.x)) - margin, y = Math.min(...all.map((cell) => cell.y)) - margin - tray;
    const box = { x, y, width: Math.max(...all.map((cell) => cell.x)) + margin - x, height: Math.max(...all.map((cell) => cell.y)) + margin + tray - y };
    const viewBox = `${box.x} ${box.y} ${box.width} ${box.height}`;
    this.#stage.style.setProperty("--ratio", String(box.width / box.height));
    this.#element.setAttribute("aria-label", `${title} board`);
    document.getElementById("keys").textContent = `Arrow keys move the cursor. ${this.#art.keys} Escape puts it back.`;
    const wood = svg("svg", { viewBox, class: "wood", "aria-hidden": "true" });
    svg("rect", { ...box, rx: 0.037 * box.width, ry: 0.037 * box.height, class: "tabletop" }, wood);
    grain(svg("g", { class: "grain" }, wood), { ...box, y: box.y + 40, height: box.height - 80 });
    this.#art.wood(wood, layout, (name) => this.#cells.get(name));
    const field = { ...box, y: box.y + tray, height: box.height - 2 * tray };
    (this.#art.letters ?? edgeLetters)(layout, (name) => this.#cells.get(name), field, (text, at) => (svg("text", { class: "name", ...at }, wood).textContent = text));
    this.#live = svg("svg", { viewBox, class: "live" });
    for (const name of ["spaces", "tray", "marks", "pieces", "arrows", "hand"]) this.#layers[name] = svg("g", { class: name }, this.#live);
    this.#spaces = new Map([...this.#cells].map(([name, { x, y }]) =>
      [name, svg("circle", { r: 42, class: "reach", "data-space": name, transform: `translate(${x} ${y})` }, this.#layers.spaces)]));
    this.#element.replaceChildren(wood, this.#live);
  }

  // ---- what lies where --------------------------------------------------------------------------------------

  /** What lies on the board: [{ id, at, ...piece }], from the table where there is one, those in front last. */
  #lying() {
    const { layout, simulated, shown_pieces: shown } = this.#state;
    const found = simulated && this.#table !== null
      ? this.#art.gather(this.#table.pieces.filter(({ id, cell }) => cell !== null && !this.#table.held.includes(id)), layout)
      : Object.entries(shown).filter(([, piece]) => !piece.unknown).map(([at, piece]) => ({ id: at, at, ...this.#art.piece(piece, layout) }));
    return found.sort((a, b) => this.#cells.get(a.at).y - this.#cells.get(b.at).y);
  }

  get #holding() {
    if (this.#table === null || !this.#state?.simulated) return [];
    const { pieces, held } = this.#table;
    return pieces.filter(({ id }) => held.includes(id));
  }

  /** The piece, or stack, in a hand; null. */
  #inHand() {
    const { layout, announced } = this.#state;
    const [piece] = this.#art.gather(this.#holding.map((each) => ({ ...each, cell: "" })), layout);
    if (piece === undefined) return null;
    return "turn" in piece && announced === null ? { ...piece, turn: this.#turn } : piece;
  }

  #at(cell) {
    return this.#pieces.find(({ at }) => at === cell);
  }

  #show() {
    const state = this.#state;
    this.#pieces = this.#lying();
    document.body.dataset.held = this.held ? "1" : "";
    this.#element.classList.toggle("hands", state.simulated);
    this.#element.classList.toggle("carrying", this.held);
    this.#pieces.forEach(({ id, at, ...piece }, index) => {
      const look = JSON.stringify(piece), { x, y } = this.#cells.get(at);
      const shape = this.#shapes.get(id) ?? { look: "", element: svg("g", { class: "piece", "data-piece": id }) };
      this.#shapes.set(id, shape);
      if (shape.look !== look) {
        shape.look = look;
        shape.element.replaceChildren();
        this.#art.draw(shape.element, piece, state.layout, this.#turned);
      }
      shape.element.dataset.at = at;
      shape.element.style.transform = `translate(${x}px, ${y}px)`;
      const there = this.#layers.pieces.children[index] ?? null;
      if (there !== shape.element) this.#layers.pieces.insertBefore(shape.element, there);
    });
    const ids = new Set(this.#pieces.map(({ id }) => id));
    for (const [id, { element }] of this.#shapes) if (!ids.has(id)) (element.remove(), this.#shapes.delete(id));
    if (this.#art.tray) this.#layTray(this.#layers.tray);
    this.#mark();
    this.#drawHand();
    this.#showSide();
    this.#changed();
  }

  /** Where what is in the hand may go. */
  #targets() {
    const { game, targets, phase, layout, pieces, ways } = this.#state, from = this.#table?.taken_from;
    if (!this.held || phase !== "open") return targets;
    if (game === "boxilies") return layout.cells.filter(({ name, blocked }) => !blocked && !pieces[name]).map(({ name }) => name);
    return [...new Set([...targets, ...(ways[from] ?? []).filter((name) => name !== from)])];
  }

  #mark() {
    const state = this.#state, layers = this.#layers, at = (name) => this.#cells.get(name);
    drawMarks(marksOf(state, this.#targets()), {
      spaces: this.#spaces,
      at,
      under: layers.marks,
      over: layers.arrows,
      taken: (name) => this.#at(name) !== undefined,
      wanted: (group, name) => {
        const piece = state.pieces[name];
        if (piece) this.#art.draw(svg("g", { transform: "scale(0.42)" }, group), this.#art.piece(piece, state.layout), state.layout, this.#turned);
      },
      square: this.#art.square,
    });
    this.#art.ways?.(layers.marks, state, at, this.#aim);
    drawArrows(layers.arrows, state.arrows, at);
  }

  #drawHand() {
    const { hand } = this.#layers, piece = this.#inHand(), { layout } = this.#state;
    hand.replaceChildren();
    if (piece !== null) {
      const box = this.#live.viewBox.baseVal, over = this.#hover && { x: this.#hover.x * UNIT, y: this.#hover.y * UNIT };
      const { x, y } = over ?? this.#cells.get(this.#cursor ?? this.#table.taken_from) ?? { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      this.#art.draw(svg("g", { class: "carried", transform: `translate(${x} ${y - 10}) scale(1.1)` }, hand), piece, layout, this.#turned);
    }
    if (this.#cursor !== null) {
      const { x, y } = this.#cells.get(this.#cursor);
      svg("rect", { class: "cursor", x: x - 47, y: y - 47, width: 94, height: 94, rx: 18 }, hand);
    }
  }

  /** Stones that are not placed yet, each hand on its player's side. */
  #layTray(layer) {
    layer.replaceChildren();
    const state = this.#state, box = this.#live.viewBox.baseVal;
    const free = ({ number }) => !state.simulated || this.#table === null
      || this.#table.pieces.some(({ id, kind, cell }) => kind === number && cell === null && !this.#table.held.includes(id));
    state.beside.forEach(({ stones }, seat) => {
      const rest = stones.filter(free), step = Math.min(84, (box.width - 24) / Math.max(stones.length, 1));
      const y = (seat === 0) !== this.#turned ? box.y + box.height - 44 : box.y + 44;
      rest.forEach(({ number }, index) => {
        const x = box.x + box.width / 2 + (index - (rest.length - 1) / 2) * step;
        const mine = seat === state.side && state.phase === "open" ? " mine" : "";
        const group = svg("g", { class: `beside${mine}`, "data-beside": number, transform: `translate(${x} ${y}) scale(0.72)` }, layer);
        this.#art.draw(group, this.#art.piece({ kind: number, turn: 0, pointer: 2 * seat }, state.layout), state.layout, this.#turned);
      });
    });
  }

  // ---- pointer and keys -----------------------------------------------------------------------------------

  /** Where an event is, in cells. */
  #under(event) {
    const box = this.#live.getBoundingClientRect(), view = this.#live.viewBox.baseVal;
    const x = view.x + ((event.clientX - box.left) / box.width) * view.width, y = view.y + ((event.clientY - box.top) / box.height) * view.height;
    return { x: x / UNIT, y: y / UNIT };
  }

  #near(at) {
    let best = null, least = GRIP;
    for (const [name, { x, y }] of this.#cells) {
      const away = Math.hypot(x / UNIT - at.x, y / UNIT - at.y);
      if (away < least) [best, least] = [name, away];
    }
    return best;
  }

  #hoverAt(event) {
    this.#hover = this.#under(event);
    this.#point(this.#near(this.#hover));
    if (this.held) this.#drawHand();
  }

  #point(cell) {
    if (cell === this.#aim) return;
    this.#aim = cell;
    this.#mark();
    this.#showSide();
  }

  /** The pointer is down: see Drag. */
  #reach(event) {
    this.#hoverAt(event);
    this.#cursor = null;
    if (!this.#state.simulated) return "";
    if (this.held) return "held";
    const stone = event.target.closest?.("[data-beside]")?.dataset.beside;
    if (stone !== undefined) return this.#fetch(Number(stone)), "fresh";
    return this.#aim !== null && this.#take(this.#aim) ? "fresh" : "";
  }

  #key(key) {
    if (!this.#state.simulated) return false;
    const deed = this.deeds.find((deed) => deed.key.toLowerCase() === key), number = Number(key);
    if (deed) deed.press();
    else if (this.held || !(number >= 1)) return false;
    else if (this.#state.game === "boxilies") {
      const stone = this.#state.beside[this.#state.side].stones[number - 1];
      if (stone) this.#fetch(stone.number);
    } else if (this.#at(this.#aim)?.stack?.length >= number) this.#ask("lift", { space: this.#aim, count: number });
    return true;
  }

  /** To the nearest cell in that direction. */
  #step([right, up]) {
    const all = [...this.#cells], from = this.#cells.get(this.#cursor);
    if (!from) this.#cursor = this.#aim ?? all[Math.floor(all.length / 2)][0];
    else {
      const rated = all.map(([name, { x, y }]) => {
        const along = (x - from.x) * right - (y - from.y) * up, across = Math.abs((x - from.x) * up) + Math.abs((y - from.y) * right);
        return { name, rate: along > 20 && across <= along ? along + 1.5 * across : Infinity };
      }).sort((a, b) => a.rate - b.rate);
      if (rated[0].rate < Infinity) this.#cursor = rated[0].name;
    }
    this.#hover = null;
    this.#point(this.#cursor);
    const piece = this.#at(this.#cursor);
    const may = this.#targets().includes(this.#cursor) ? ", may go here" : "";
    this.#say(`${this.#cursor}, ${piece ? this.#art.names(piece, this.#state.layout) : "free"}${may}`);
    this.#drawHand();
  }

  #enter() {
    if (!this.#state.simulated || this.#cursor === null) return;
    if (this.held) this.#put(this.#cursor);
    else this.#take(this.#cursor);
  }

  // ---- wishes ---------------------------------------------------------------------------------------------

  /** Take what lies there, or put it right where that is due. Whether something was taken. */
  #take(cell) {
    const { turning, wrong, missing, extra, shown_pieces: shown } = this.#state, piece = this.#at(cell);
    if (piece === undefined) return this.#restore(cell), false;
    const due = turning?.cells.includes(cell) || (wrong.includes(cell) && !missing.includes(cell) && !extra.includes(cell));
    if (due && "pointer" in piece) {
      const { turn, pointer } = shown[cell]; // as it should lie
      this.#ask("turn", { space: cell, turn, pointer });
      return false;
    }
    this.#turn = piece.turn ?? 0;
    this.#ask("lift", { space: cell });
    return true;
  }

  #fetch(kind) {
    this.#turn = 0;
    this.#ask("fetch", { kind });
  }

  /** What is missing there and was laid beside the board goes back to its place. */
  #restore(cell) {
    const { missing, pieces, layout } = this.#state, gone = pieces[cell];
    if (!missing.includes(cell) || !gone || !this.#art.kind) return;
    const kind = this.#art.kind(gone, layout);
    if (!this.#table.pieces.some((piece) => piece.kind === kind && piece.cell === null)) return;
    this.#ask("fetch", { kind });
    this.#ask("put", { space: cell, turn: gone.turn, pointer: gone.pointer });
  }

  #put(cell) {
    if (cell === null) this.#ask(this.#chosen ? "put_aside" : "put_back");
    else this.#ask("put", this.#state.game === "boxilies" ? { space: cell, turn: this.#turn } : { space: cell });
  }

  /** Whether a disk in the hand may be taken as a choice of its colour. */
  get #chosen() {
    const from = this.#table?.taken_from;
    return this.held && this.#state.ways[from]?.[0] === from;
  }

  #back() {
    if (!this.held && !this.#drag.active) return;
    this.#drag.stop();
    this.#ask("put_back");
  }

  #rotate() {
    this.#turn = (this.#turn + 1) % 4;
    this.#drawHand();
  }

  // ---- from the side --------------------------------------------------------------------------------------

  /** The stack that is pointed at, or the last that was: its pieces, of which the upper ones can be lifted. */
  #showSide() {
    const { game, simulated, layout } = this.#state;
    this.#side.hidden = game !== "fourhigh";
    if (this.#side.hidden) return;
    const pointed = this.#aim ?? this.#cursor;
    if (this.#at(pointed)?.stack.length > 1) this.#seen = pointed; // it stays while the pointer goes to its pieces
    const cell = pointed ?? this.#seen, stack = this.#at(cell)?.stack ?? "";
    const key = JSON.stringify([cell, stack, this.held]);
    if (key === this.#side.dataset.key) return;
    this.#side.dataset.key = key;
    const slices = [...stack].reverse().map((letter, index) => html("button", {
      type: "button", className: `slice slice-${letter}`, disabled: !simulated || this.held, "data-lift": String(index + 1),
      title: index + 1 < stack.length ? `Lift the upper ${index + 1} (${index + 1})` : "Lift the stack",
      onclick: () => this.#ask("lift", { space: cell, count: index + 1 }),
    }, PIECES[letter]));
    this.#side.replaceChildren(
      html("p", {}, cell === null ? "Point at a stack to see it from the side." : `${cell} · worth ${layout.numbers[cell]}`),
      html("div", { className: "slices" }, ...slices));
  }
}

/** Letters of the files and numbers of the ranks along two edges. */
function edgeLetters({ cells }, at, box, write) {
  for (const { name, x, y } of cells) {
    if (y === 0) write(name[0], { x: at(name).x, y: box.y + box.height - 13 });
    if (x === 0) write(name.slice(1), { x: box.x + 14, y: at(name).y });
  }
}
