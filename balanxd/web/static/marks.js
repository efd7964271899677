// Marks: what the state says of spaces in; shapes on them out, each kind with a shape of its own, the same in all games.

import { svg } from "./shapes.js";

/** The spaces to be marked: { kind: [space, ...] }. targets: where what is in the hand may go. */
export function marksOf(state, targets = state.targets) {
  return {
    last: state.last === null || state.condition === "out_of_step" ? [] : [state.last.rests],
    lifted: state.lifted,
    target: targets,
    wrong: state.wrong.filter((space) => !state.missing.includes(space) && !state.extra.includes(space)),
    missing: state.missing,
    extra: state.extra,
    bad: state.bad_sensors.map((sensor) => sensor.space),
  };
}

/**
 * Draw marks instead of those before. spaces: { space: element }, which get data-marks; at(space): its place in the
 * drawing; under, over: groups below and above the pieces; wanted(group, space): what is missing there; taken(space):
 * something lies there, so that a target must be seen above it; square: pieces are.
 */
export function drawMarks(marks, { spaces, at, under, over, wanted, taken, square = false }) {
  under.replaceChildren();
  over.replaceChildren();
  for (const [kind, names] of Object.entries(marks)) {
    for (const name of names) {
      if (!spaces.has(name)) continue;
      const { x, y } = at(name), hidden = kind === "target" && taken(name);
      const mark = svg("g", { class: `mark ${kind}${hidden ? " taken" : ""}`, "data-mark": kind, "data-of": name, transform: `translate(${x} ${y})` });
      (UNDER.includes(kind) && !hidden ? under : over).append(mark);
      SHAPES[kind](mark, { name, wanted, hidden, square });
    }
  }
  for (const [name, element] of spaces) {
    element.dataset.marks = Object.keys(marks).filter((kind) => marks[kind].includes(name)).join(" ");
  }
}

const UNDER = ["last", "target", "lifted"];
const round = (mark, r, square) => (square ? svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 14 }, mark) : svg("circle", { r }, mark));

const SHAPES = {
  last: (mark, { square }) => round(mark, 46, square),
  target: (mark, { hidden, square }) => (hidden ? round(mark, 45, square) : (svg("circle", { class: "glow", r: 40 }, mark), svg("circle", { class: "dot", r: 11 }, mark))),
  lifted: (mark) => svg("circle", { r: 36 }, mark),
  missing: (mark, { name, wanted }) => {
    svg("circle", { class: "hole", r: 41 }, mark);
    wanted(svg("g", { class: "wanted", transform: "translate(0 15)" }, mark), name);
    svg("path", { d: "M0 -28 V-9 M-10 -18 L0 -8 L10 -18" }, mark);
  },
  extra: (mark) => (svg("circle", { r: 47 }, mark), svg("circle", { class: "badge", cx: 32, cy: -32, r: 17 }, mark), svg("path", { d: "M25 -39 L39 -25 M39 -39 L25 -25" }, mark)),
  wrong: (mark) => svg("rect", { x: -45, y: -45, width: 90, height: 90, rx: 20 }, mark),
  bad: (mark) => (svg("path", { class: "badge", d: "M-34 -18 L-19 -45 L-4 -18 Z" }, mark), svg("path", { class: "sign", d: "M-19 -36 V-28 M-19 -23.5 V-23" }, mark)),
};

/** Arrows between spaces: [{ from, to, kind }]. */
export function drawArrows(layer, arrows, at) {
  for (const { from, to, kind } of arrows) {
    const a = at(from), b = at(to), length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length === 0) continue;
    const ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    const bend = Math.min(60, length / 5);
    const start = { x: a.x + ux * 20, y: a.y + uy * 20 }, tip = { x: b.x - ux * 12, y: b.y - uy * 12 };
    const middle = { x: (a.x + b.x) / 2 - uy * bend, y: (a.y + b.y) / 2 + ux * bend };
    const aim = Math.atan2(tip.y - middle.y, tip.x - middle.x);
    const head = [2.65, -2.65].map((turn) => `${tip.x + 30 * Math.cos(aim + turn)} ${tip.y + 30 * Math.sin(aim + turn)}`);
    const group = svg("g", { class: `arrow ${kind}`, "data-arrow": kind, "data-from": from, "data-to": to }, layer);
    for (const ink of ["halo", "ink"]) {
      svg("path", { class: ink, d: `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${tip.x} ${tip.y}` }, group);
      svg("path", { class: ink, d: `M${head[0]} L${tip.x} ${tip.y} L${head[1]}` }, group);
    }
  }
}
