// BANKS: a rhombus of light rails with disks of six colours, each with a mark of its own.

import { svg } from "./shapes.js";

const INKS = ["#b3261e", "#c98a00", "#2e7d32", "#00838f", "#2457b8", "#7b3fa0"];

/** A disk's colour and mark, drawn round (0, 0). */
export function disk(group, { colour, radius = 36 }, plan) {
  svg("circle", { class: "drop", cx: 3, cy: 6, r: radius }, group);
  svg("circle", { r: radius, fill: INKS[colour] ?? "#8a7a66", class: "disk" }, group);
  svg("circle", { r: radius * 0.78, class: "disk-ring" }, group);
  const text = svg("text", { class: "disk-mark", y: 2, "font-size": radius * 1.05 }, group);
  text.textContent = plan.colours[colour]?.mark ?? "?";
}

/** The disks that a player has won, by colour; a ring round those whose colour is his own. */
export function won({ disks, colours }, plan) {
  const label = disks.map((count, colour) => `${plan.colours[colour].name} ${count}`).join(", ");
  const row = svg("svg", { class: "won", viewBox: "0 0 372 44", preserveAspectRatio: "xMinYMid meet", role: "img", "aria-label": `won: ${label}` });
  disks.forEach((count, colour) => {
    const own = colours.includes(colour);
    const group = svg("g", { transform: `translate(${20 + 62 * colour} 21)`, class: count || own ? "" : "none" }, row);
    disk(group, { colour, radius: 13 }, plan);
    if (own) svg("circle", { r: 18, class: "own" }, group);
    svg("text", { x: 22, y: 2, class: "count" }, group).textContent = count;
  });
  return row;
}

const file = (number) => String.fromCharCode(96 + number);

export const banks = {
  margin: 74,
  keys: "Enter lifts the disk there, and puts it down. X takes it for its colour, or lays it beside the board.",
  piece: ({ colour }) => ({ colour }),
  gather: (pieces) => pieces.map(({ id, cell, kind }) => ({ id, at: cell, colour: kind })),
  kind: ({ colour }) => colour,
  names: (piece, plan) => `${plan.colours[piece.colour]?.name ?? "unknown"} disk`,

  wood(group, plan, at) {
    const ends = ["a1", `${file(plan.files)}1`, `${file(plan.files)}${plan.ranks}`, `a${plan.ranks}`].map(at);
    svg("path", { d: `M${ends.map(({ x, y }) => `${x} ${y}`).join("L")}Z`, class: "rhombus" }, group);
    for (const rail of plan.rails) {
      const points = rail.map((name) => at(name)).map(({ x, y }) => `${x},${y}`).join(" ");
      svg("polyline", { points, class: "rail-glow" }, group);
      svg("polyline", { points, class: "rail" }, group);
    }
    for (const { name, edge } of plan.cells) {
      const { x, y } = at(name);
      svg("circle", { cx: x, cy: y, r: 40, class: edge ? "node edge" : "node" }, group);
    }
  },

  letters({ cells }, at, _, write) {
    for (const { name } of cells) {
      const { x, y } = at(name);
      if (name.slice(1) === "1") write(name[0], { x: x - 30, y: y - 53 });
      if (name[0] === "a") write(name.slice(1), { x: x - 58, y: y + 8 });
    }
  },

  draw: disk,

  /** The ways of a lifted disk, the one aimed at drawn bolder; else the way of the last move. */
  ways(group, state, at, aim) {
    const line = (names, name) => {
      const points = names.map((cell) => at(cell)).map(({ x, y }) => `${x},${y}`).join(" ");
      svg("polyline", { points, class: `way ${name}` }, group);
    };
    const lifted = Object.values(state.routes);
    for (const names of lifted) line(names, "possible");
    if (state.routes[aim]) line(state.routes[aim], "aimed");
    if (!lifted.length && state.route.length > 1) line(state.route, "gone");
  },
};
