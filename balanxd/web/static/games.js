// The other games: state and table in, the board of BANKS, Boxilies or Four High out, and wishes of the hand back.
//
// What tests and tools may hold on to, beside what app.js names: body[data-game], [data-space=b2] as in Balanx,
// [data-piece=ID] with data-at, [data-beside=KIND] a stone beside the board, body[data-held] (1 while the hand holds
// something), button[data-hand=turn|aside|lift], .player[data-player] .score, #other-dialog.

import { banks, disk } from "./banks.js";
import { boxilies } from "./boxilies.js";
import { fourhigh, sideView } from "./fourhigh.js";
import { grain, html, svg } from "./shapes.js";

const UNIT = 100;
const GRIP = 0.62; // how far from a cell's centre it is still meant, in cells
const TAP_MS = 350;
const TAP_WAY = 0.3; // cells
const ARTS = { banks, boxilies, fourhigh };

export class Games {
  #stage;
  #element;
  #ask;
  #say;
  #live;
  #wood;
  #layers = {};
  #art = null;
  #cells = new Map();
  #drawn = "";
  #state = null;
  #table = null;
  #cursor = null;
  #aim = null;
  #drag = null;
  #turn = 0;
  #pieces = [];
  #shapes = new Map();
  #bench = html("div", { id: "bench" });
  #side = html("div", { id: "side-view" });

  /** ask(action, values); say(text): for screen readers. */
  constructor(stage, element, { ask, say }) {
    this.#stage = stage;
    this.#element = element;
    this.#ask = ask;
    this.#say = say;
  }

  follow(state) {
    const first = this.#state === null;
    this.#state = state;
    document.body.dataset.game = state.game;
    if (first) this.#begin();
    this.#draw();
    this.#show();
    this.#players();
  }

  table(table) {
    this.#table = table;
    if (this.#state !== null) this.#show();
  }

  get held() {
    return this.#holding.length > 0 && this.#state.announced === null;
  }

  // ---- the board ------------------------------------------------------------------------------------------

  #begin() {
    const element = this.#element;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#back());
    element.addEventListener("pointerleave", () => this.#point(null));
    element.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#back());
    document.getElementById("players").after(this.#bench, this.#side);
  }

  #draw() {
    const { layout, game, title } = this.#state;
    const key = JSON.stringify(layout);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#art = ARTS[game];
    this.#shapes.clear();
    this.#cells = new Map(layout.cells.map((cell) => [cell.name, { x: cell.x * UNIT, y: -cell.y * UNIT }]));
    const all = [...this.#cells.values()], margin = this.#art.margin, tray = this.#art.tray ?? 0;
    const left = Math.min(...all.map(({ x }) => x)) - margin, right = Math.max(...all.map(({ x }) => x)) + margin;
    const top = Math.min(...all.map(({ y }) => y)) - margin - tray, bottom = Math.max(...all.map(({ y }) => y)) + margin + tray;
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    const viewBox = `${left} ${top} ${box.width} ${box.height}`;
    this.#stage.style.setProperty("--ratio", String(box.width / box.height));
    this.#element.setAttribute("aria-label", `${title} board`);
    this.#wood = svg("svg", { viewBox, class: "wood", "aria-hidden": "true" });
    this.#live = svg("svg", { viewBox, class: "live" });
    svg("rect", { ...box, rx: 0.037 * box.width, ry: 0.037 * box.height, class: "tabletop" }, this.#wood);
    grain(svg("g", { class: "grain" }, this.#wood), { ...box, y: top + 40, height: box.height - 80 });
    const at = (name) => this.#cells.get(name);
    if (this.#art.outline) svg("path", { d: this.#art.outline(layout, at), class: "rhombus" }, this.#wood);
    this.#art.wood(this.#wood, layout, at);
    this.#letters(box, tray);
    for (const name of ["spaces", "below", "pieces", "above", "hand"]) this.#layers[name] = svg("g", { class: `games-${name}` }, this.#live);
    for (const [name, { x, y }] of this.#cells) {
      svg("circle", { r: 42, class: "reach", "data-space": name, transform: `translate(${x} ${y})` }, this.#layers.spaces);
    }
    this.#element.replaceChildren(this.#wood, this.#live);
  }

  #letters(box, tray) {
    const { layout, game } = this.#state;
    const write = (text, x, y) => (svg("text", { class: "cell-name", x, y }, this.#wood).textContent = text);
    for (const { name, x, y } of layout.cells) {
      const file = name.charCodeAt(0) - 97, rank = Number(name.slice(1));
      const at = this.#cells.get(name);
      if (game === "banks") {
        if (rank === 1) write(name[0], at.x - 30, at.y - 53);
        if (file === 0) write(String(rank), at.x - 58, at.y + 8);
      } else {
        if (y === 0) write(name[0], at.x, box.y + box.height - tray - 13);
        if (x === 0) write(String(rank), box.x + 14, at.y);
      }
    }
  }

  // ---- what lies where --------------------------------------------------------------------------------------

  /** Everything to be drawn: { id, at, ... } of what lies on the board, from the table where there is one. */
  #lying() {
    const { game, layout, simulated, shown_pieces: shown } = this.#state;
    const art = this.#art;
    if (!simulated || this.#table === null) {
      return Object.entries(shown).filter(([, piece]) => !piece.unknown).map(([at, piece]) => ({ id: at, at, ...(art.kind ? art.kind(piece, layout) : piece) }));
    }
    const lying = this.#table.pieces.filter((piece) => piece.cell !== null && !this.#table.held.includes(piece.id));
    if (game === "fourhigh") {
      const stacks = new Map();
      for (const piece of lying.sort((a, b) => a.level - b.level)) stacks.set(piece.cell, (stacks.get(piece.cell) ?? "") + "BW"[piece.kind]);
      return [...stacks].map(([at, stack]) => ({ id: at, at, stack }));
    }
    return lying.map((piece) => ({ id: piece.id, at: piece.cell, ...art.kind(piece, layout) }));
  }

  get #holding() {
    const table = this.#table;
    if (table === null || !this.#state?.simulated) return [];
    return table.pieces.filter((piece) => table.held.includes(piece.id)).sort((a, b) => a.level - b.level);
  }

  #inHand() {
    const pieces = this.#holding, { game, layout } = this.#state;
    if (!pieces.length) return null;
    if (game === "fourhigh") return { stack: pieces.map((piece) => "BW"[piece.kind]).join("") };
    const piece = this.#art.kind(pieces[0], layout);
    return game === "boxilies" && this.#state.announced === null ? { ...piece, turn: this.#turn } : piece;
  }

  #show() {
    const state = this.#state;
    this.#pieces = this.#lying();
    document.body.dataset.held = this.held ? "1" : "";
    this.#element.classList.toggle("hands", state.simulated);
    this.#element.classList.toggle("carrying", this.held);
    const seen = new Set();
    for (const { id, at, ...piece } of this.#pieces) {
      const look = JSON.stringify(piece), place = this.#cells.get(at);
      let shape = this.#shapes.get(id);
      if (shape === undefined) this.#shapes.set(id, (shape = { look: "", element: svg("g", { class: "piece", "data-piece": id }, this.#layers.pieces) }));
      if (shape.look !== look) {
        shape.look = look;
        shape.element.replaceChildren();
        this.#art.draw(shape.element, piece, state.layout);
      }
      shape.element.dataset.at = at;
      shape.element.style.transform = `translate(${place.x}px, ${place.y}px)`;
      seen.add(id);
    }
    for (const [id, { element }] of this.#shapes) if (!seen.has(id)) (element.remove(), this.#shapes.delete(id));
    if (state.game === "fourhigh") for (const { id } of [...this.#pieces].sort((a, b) => this.#cells.get(a.at).y - this.#cells.get(b.at).y)) {
      const { element } = this.#shapes.get(id);
      if (element !== this.#layers.pieces.lastElementChild && this.#layers.pieces.children.length > 1) this.#order();
      break;
    }
    this.#marks();
    this.#drawHand();
    this.#hint();
  }

  /** Stacks nearer to the eye lie over those behind. */
  #order() {
    const layer = this.#layers.pieces;
    const wanted = [...this.#pieces].sort((a, b) => this.#cells.get(a.at).y - this.#cells.get(b.at).y).map(({ id }) => this.#shapes.get(id).element);
    if (wanted.some((element, index) => layer.children[index] !== element)) layer.replaceChildren(...wanted);
  }

  #targets() {
    const state = this.#state, from = this.#table?.taken_from;
    if (state.game === "boxilies") {
      const free = this.held && state.phase === "open" ? state.layout.cells.filter((cell) => !cell.blocked && !state.pieces[cell.name]).map((cell) => cell.name) : [];
      return [...state.targets, ...free];
    }
    const ways = this.held && from ? (state.ways[from] ?? []).filter((name) => name !== from) : [];
    return [...new Set([...state.targets, ...ways])];
  }

  #marks() {
    const state = this.#state, { below, above, spaces } = this.#layers;
    const marks = {
      last: state.last && state.condition !== "out_of_step" ? [state.last.rests ?? state.last.to].filter(Boolean) : [],
      target: this.#targets(), lifted: state.lifted, missing: state.missing, extra: state.extra, bad: state.bad_sensors.map(({ space }) => space),
      wrong: state.wrong.filter((space) => !state.missing.includes(space) && !state.extra.includes(space)),
    };
    below.replaceChildren();
    above.replaceChildren();
    this.#art.ways?.(below, state, (name) => this.#cells.get(name), this.#aim);
    const lying = new Set(this.#pieces.map(({ at }) => at));
    for (const [kind, names] of Object.entries(marks)) for (const name of names) {
      if (!this.#cells.has(name)) continue;
      const { x, y } = this.#cells.get(name);
      const over = ["target", "missing", "extra", "wrong", "bad"].includes(kind);
      const mark = svg("g", { class: `sign ${kind}`, "data-mark": kind, "data-of": name, transform: `translate(${x} ${y})` }, over ? above : below);
      svg("circle", { r: kind === "target" && !lying.has(name) ? 20 : 45 }, mark);
      if (kind === "missing" && !state.extra.includes(name)) svg("path", { d: "M0 -24 V16 M-14 2 L0 17 L14 2" }, mark);
      if (kind === "extra") svg("path", { d: "M-14 -14 L14 14 M14 -14 L-14 14" }, mark);
      if (kind === "bad") svg("text", { y: -34 }, mark).textContent = "!";
    }
    for (const { from, to, kind } of [...state.arrows, ...(state.announced?.from ? [{ ...state.announced, kind: "announced" }] : [])]) {
      const a = this.#cells.get(from), b = this.#cells.get(to);
      if (!a || !b || (a.x === b.x && a.y === b.y)) continue;
      const arrow = svg("g", { class: `arrow ${kind}` }, above), far = Math.hypot(b.x - a.x, b.y - a.y);
      const [u, v] = [(b.x - a.x) / far, (b.y - a.y) / far], end = { x: b.x - 22 * u, y: b.y - 22 * v };
      const d = `M${a.x + 20 * u} ${a.y + 20 * v}L${end.x} ${end.y}M${end.x - 20 * u - 13 * v} ${end.y - 20 * v + 13 * u}L${end.x} ${end.y}L${end.x - 20 * u + 13 * v} ${end.y - 20 * v - 13 * u}`;
      svg("path", { class: "halo", d }, arrow);
      svg("path", { class: "ink", d }, arrow);
    }
    for (const element of spaces.children) {
      element.dataset.marks = Object.keys(marks).filter((kind) => marks[kind].includes(element.dataset.space)).join(" ");
    }
  }

  #drawHand() {
    const layer = this.#layers.hand, piece = this.#inHand(), state = this.#state;
    layer.replaceChildren();
    if (state.game === "boxilies") this.#tray(layer);
    const place = this.#drag?.at ?? this.#hover ?? this.#cells.get(this.#cursor ?? this.#table?.taken_from);
    if (piece !== null) {
      const { x, y } = place ?? this.#middle();
      const group = svg("g", { class: "carried", transform: `translate(${x} ${y - 10}) scale(1.1)` }, layer);
      this.#art.draw(group, piece, state.layout);
    }
    if (this.#cursor !== null) {
      const { x, y } = this.#cells.get(this.#cursor);
      svg("rect", { class: "cursor", x: x - 47, y: y - 47, width: 94, height: 94, rx: 18 }, layer);
    }
  }

  #hover = null;

  #middle() {
    const { x, y, width, height } = this.#live.viewBox.baseVal;
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** Boxilies: both hands beside the board, A's below and B's above. */
  #tray(layer) {
    const state = this.#state, box = this.#live.viewBox.baseVal;
    const held = new Set(this.#holding.map(({ kind }) => kind));
    state.beside.forEach(({ stones }, seat) => {
      const y = seat === 0 ? box.y + box.height - 48 : box.y + 48;
      const step = Math.min(84, (box.width - 24) / Math.max(stones.length, 1));
      const rest = state.simulated && this.#table !== null
        ? stones.filter(({ number }) => this.#table.pieces.some((piece) => piece.kind === number && piece.cell === null && !held.has(number)))
        : stones;
      rest.forEach(({ number }, index) => {
        const x = box.x + box.width / 2 + (index - (rest.length - 1) / 2) * step;
        const group = svg("g", { class: `beside${seat === state.side && state.phase === "open" ? " mine" : ""}`, "data-beside": number, transform: `translate(${x} ${y}) scale(0.72)` }, layer);
        this.#art.draw(group, this.#art.kind({ kind: number, turn: 0, pointer: seat * 2 }, state.layout), state.layout);
      });
    });
  }

  // ---- pointer --------------------------------------------------------------------------------------------

  #under(event) {
    const box = this.#live.getBoundingClientRect(), view = this.#live.viewBox.baseVal;
    return { x: view.x + ((event.clientX - box.left) / box.width) * view.width, y: view.y + ((event.clientY - box.top) / box.height) * view.height };
  }

  #near(at) {
    let best = null, far = GRIP * UNIT;
    for (const [name, { x, y }] of this.#cells) {
      const away = Math.hypot(x - at.x, y - at.y);
      if (away < far) [best, far] = [name, away];
    }
    return best;
  }

  #down(event) {
    this.#element.classList.add("pointed");
    if (!this.#state.simulated || this.#drag !== null || event.button !== 0) return;
    const at = this.#under(event), held = this.held, cell = this.#near(at);
    const stone = event.target.closest?.("[data-beside]")?.dataset.beside;
    this.#cursor = null;
    if (!held) {
      if (stone !== undefined) this.#fetch(Number(stone));
      else if (cell === null || !this.#take(cell)) return this.#point(cell);
    }
    this.#element.setPointerCapture(event.pointerId);
    this.#drag = { pointer: event.pointerId, start: at, at, at_ms: event.timeStamp, moved: false, fresh: !held };
    this.#show();
  }

  #move(event) {
    const at = this.#under(event), drag = this.#drag;
    this.#hover = at;
    this.#point(this.#near(at));
    if (drag === null || event.pointerId !== drag.pointer) return void (this.held && this.#drawHand());
    drag.at = at;
    drag.moved ||= Math.hypot(at.x - drag.start.x, at.y - drag.start.y) > TAP_WAY * UNIT;
    this.#drawHand();
  }

  #up(event) {
    const drag = this.#drag;
    if (drag === null || event.pointerId !== drag.pointer) return;
    this.#drag = null;
    this.#hover = this.#under(event);
    if (!(drag.fresh && !drag.moved && event.timeStamp - drag.at_ms < TAP_MS)) this.#put(this.#near(this.#hover));
    this.#show();
  }

  #point(cell) {
    if (cell === this.#aim) return;
    this.#aim = cell;
    this.#marks();
    this.#hint();
  }

  // ---- wishes ---------------------------------------------------------------------------------------------

  /** Take what lies there, or turn its figure where that is due. False where nothing was taken. */
  #take(cell) {
    const state = this.#state, piece = this.#pieces.find(({ at }) => at === cell);
    if (piece === undefined) return false;
    if (state.game === "boxilies") {
      const due = state.turning !== null && [...state.turning.cells, ...state.turning.wrong].includes(cell);
      if (due || (state.wrong.includes(cell) && !state.extra.includes(cell))) {
        this.#ask("turn", { space: cell, pointer: (piece.pointer + 2) % 4 });
        return false;
      }
      this.#turn = piece.turn;
    }
    this.#ask("lift", { space: cell });
    return true;
  }

  #fetch(kind) {
    this.#turn = 0;
    this.#ask("fetch", { kind });
  }

  #put(cell) {
    const { game } = this.#state;
    if (cell === null) {
      const choosing = game === "banks" && this.#choosing;
      this.#ask(choosing || (game === "boxilies" && this.#table?.taken_from === null) ? "put_aside" : "put_back");
    } else if (game === "boxilies") this.#ask("put", { space: cell, turn: this.#turn });
    else this.#ask("put", { space: cell });
  }

  get #choosing() {
    const ways = Object.entries(this.#state.ways);
    return ways.length > 0 && ways.every(([from, to]) => to.length === 1 && to[0] === from);
  }

  #back() {
    if (!this.held && this.#drag === null) return;
    this.#drag = null;
    this.#ask(this.#state.game === "boxilies" && this.#table?.taken_from === null ? "put_aside" : "put_back");
    this.#show();
  }

  #rotate() {
    this.#turn = (this.#turn + 1) % 4;
    this.#show();
  }

  #key(event) {
    this.#element.classList.remove("pointed");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const key = event.key.toLowerCase();
    if (step) this.#step(step);
    else if ((key === "enter" || key === " ") && !event.repeat) this.#enter();
    else if (key === "r" && this.held) this.#rotate();
    else if ((key === "delete" || key === "x") && this.held) this.#ask("put_aside");
    else if (/^[1-9]$/.test(key) && this.#state.game === "boxilies" && !this.held) {
      const stone = this.#state.beside[this.#state.side]?.stones[Number(key) - 1];
      if (stone) this.#fetch(stone.number);
    } else return;
    event.preventDefault();
  }

  /** To the nearest cell in that direction. */
  #step([right, down]) {
    const all = [...this.#cells], from = this.#cells.get(this.#cursor);
    if (!from) this.#cursor = all[Math.floor(all.length / 2)][0];
    else {
      const rated = all.map(([name, { x, y }]) => {
        const along = (x - from.x) * right + (y - from.y) * down, across = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
        return { name, rate: along > 20 && across <= along ? along + 1.5 * across : Infinity };
      }).sort((a, b) => a.rate - b.rate);
      if (rated[0].rate < Infinity) this.#cursor = rated[0].name;
    }
    this.#hover = null;
    this.#aim = this.#cursor;
    const piece = this.#pieces.find(({ at }) => at === this.#cursor);
    const may = this.#targets().includes(this.#cursor) ? ", may go here" : "";
    this.#say(`${this.#cursor}, ${piece ? this.#art.names(piece, this.#state.layout) : "free"}${may}`);
    this.#show();
  }

  #enter() {
    if (!this.#state.simulated || this.#cursor === null) return;
    if (this.held) this.#put(this.#cursor);
    else this.#take(this.#cursor);
  }

  // ---- beside the board -----------------------------------------------------------------------------------

  #players() {
    const { players, phase, side, scores, beside, layout, game } = this.#state;
    document.getElementById("players").replaceChildren(...players.map(({ seat, name, title }) => {
      const turn = phase !== "over" && side === seat;
      const box = html("div", { className: `player seat-${seat}${turn ? " turn" : ""}`, "data-player": String(seat) },
        html("span", { className: "dot", "aria-hidden": "true" }), html("strong", {}, name), html("span", { className: "who" }, title),
        html("span", { className: "home score", title: "score" }, String(scores?.[seat] ?? "")));
      if (game === "banks") {
        const won = svg("svg", { class: "won", viewBox: "0 0 300 44", preserveAspectRatio: "xMinYMid meet", role: "img" });
        const { disks, colours } = beside[seat];
        const label = disks.map((count, colour) => `${layout.colours[colour].name} ${count}`).join(", ");
        won.setAttribute("aria-label", `won: ${label}`);
        disks.forEach((count, colour) => {
          const group = svg("g", { transform: `translate(${20 + 50 * colour} 21)`, class: count || colours.includes(colour) ? "" : "none" }, won);
          disk(group, { colour, radius: 13 }, layout);
          if (colours.includes(colour)) svg("circle", { r: 18, class: "own" }, group);
          svg("text", { x: 21, y: 2, class: "count" }, group).textContent = count;
        });
        box.append(won);
      }
      return box;
    }));
  }

  #hintDrawn = "";

  /** What the hand may do beside the board, and the stack that is pointed at. */
  #hint() {
    const { game, simulated } = this.#state;
    const at = this.#aim ?? this.#cursor;
    const piece = game === "fourhigh" ? (this.#pieces.find((lies) => lies.at === at) ?? null) : null;
    const key = JSON.stringify([game, this.held, this.#choosing, at, piece]);
    if (key === this.#hintDrawn) return;
    this.#hintDrawn = key;
    const button = (hand, label, press, title = "") => html("button", { type: "button", "data-hand": hand, onclick: press, title }, label);
    const buttons = [];
    if (this.held && game === "boxilies") buttons.push(button("turn", "Turn it (R)", () => this.#rotate(), "A quarter turn clockwise"));
    if (this.held && game !== "fourhigh") buttons.push(button("aside", this.#choosing ? "Take this colour (X)" : "Lay it beside (X)", () => this.#ask("put_aside")));
    this.#bench.replaceChildren(...buttons);
    this.#side.hidden = game !== "fourhigh";
    if (game !== "fourhigh") return;
    const worth = at === null ? "" : `${at} · worth ${this.#state.layout.numbers[at]}`;
    const rows = piece === null ? [] : sideView(piece.stack).map(({ letter, name }, index) =>
      html("button", { type: "button", className: `slice slice-${letter}`, disabled: !simulated || this.held, "data-hand": "lift",
        title: `Lift the upper ${index + 1}`, onclick: () => this.#ask("lift", { space: at, count: index + 1 }) }, name));
    this.#side.replaceChildren(html("p", {}, worth || "Point at a stack to see it from the side."), html("div", { className: "slices" }, ...rows));
  }

  // ---- a new game -----------------------------------------------------------------------------------------

  askNewGame() {
    const { offered, game: now, players, layout, choices, phase } = this.#state;
    const field = (label, select) => html("label", {}, `${label} `, select);
    const options = (rows, chosen) => rows.map(([value, label]) => html("option", { value, selected: value === chosen }, label));
    const which = html("select", { id: "choose-game" }, ...options(offered.map(({ game, title }) => [game, title]), now));
    const rest = html("div", { className: "fields" });
    const dialog = html("dialog", { id: "other-dialog", "aria-label": "A new game" });
    const seats = () => Number(rest.querySelector("[data-tag=Players]")?.value ?? offered.find(({ game }) => game === which.value).seats[0]);
    const people = html("div", { className: "fields" });
    const fillSeats = () => people.replaceChildren(...Array.from({ length: seats() }, (_, seat) => {
      const { levels } = offered.find(({ game }) => game === which.value);
      const rows = [["human", "person"], ...levels.map((level) => [`engine:${level}`, `computer, level ${level}`]), ["random", "random player"]];
      const chosen = which.value === now ? choices.find(({ label }) => label === players[seat]?.title)?.value : undefined;
      return field(`Seat ${seat + 1}`, html("select", { "data-seat": String(seat) }, ...options(rows, chosen ?? (seat ? rows[Math.min(2, rows.length - 1)][0] : "human"))));
    }));
    const fill = () => {
      rest.replaceChildren(...offered.find(({ game }) => game === which.value).options.map(({ tag, label, values }) => {
        const chosen = which.value !== now ? values[0] : tag === "Board" ? layout.name : tag === "Players" ? String(players.length) : values[0];
        return field(label, html("select", { "data-tag": tag, onchange: fillSeats }, ...options(values.map((value) => [value, value]), chosen)));
      }));
      fillSeats();
    };
    which.onchange = fill;
    fill();
    const note = phase === "over" || phase === "setting_up" ? [] : [html("p", {}, "The game that is going on ends unfinished.")];
    dialog.append(html("form", { method: "dialog" }, html("h2", {}, "A new game"), ...note, field("Game", which), rest, people,
      html("div", { className: "row" }, html("button", { value: "" }, "Not now"), html("button", { value: "yes", className: "main" }, "Begin"))));
    dialog.onclose = () => {
      dialog.remove();
      if (dialog.returnValue !== "yes") return;
      const chosen = Object.fromEntries([...rest.querySelectorAll("select")].map((select) => [select.dataset.tag, select.value]));
      this.#ask("new_game", { game: which.value, options: chosen, players: [...people.querySelectorAll("select")].map((select) => select.value) });
    };
    document.body.append(dialog);
    dialog.showModal();
  }
}
