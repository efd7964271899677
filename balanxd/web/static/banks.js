// BANKS: a rhombus of light rails with disks of six colours, each with a mark of its own.

import { svg } from "./shapes.js";

export const INKS = ["#b3261e", "#c98a00", "#2e7d32", "#00838f", "#2457b8", "#7b3fa0"];

/** A disk's colour and mark, drawn round (0, 0). */
export function disk(group, { colour, radius = 36 }, plan) {
  svg("circle", { class: "drop", cx: 3, cy: 6, r: radius }, group);
  svg("circle", { r: radius, fill: INKS[colour] ?? "#8a7a66", class: "disk" }, group);
  svg("circle", { r: radius * 0.78, class: "disk-ring" }, group);
  const text = svg("text", { class: "disk-mark", y: 2, "font-size": radius * 1.05 }, group);
  text.textContent = plan.colours[colour]?.mark ?? "?";
}

export const banks = {
  margin: 74,
  kind: (piece) => ({ colour: piece.kind ?? piece.colour }),
  names: (piece, plan) => `${plan.colours[piece.colour]?.name ?? "unknown"} disk`,

  wood(group, plan, at) {
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

  outline(plan, at) {
    const corner = (file, rank) => at(`${String.fromCharCode(97 + file)}${rank}`);
    const ends = [corner(0, 1), corner(plan.files - 1, 1), corner(plan.files - 1, plan.ranks), corner(0, plan.ranks)];
    return `M${ends.map(({ x, y }) => `${x} ${y}`).join("L")}Z`;
  },

  draw: disk,

  /** The ways of a lifted disk, the one aimed at drawn bolder; else the way of the last move. */
  ways(group, state, at, aim) {
    const line = (names, name) => {
      const points = names.map((cell) => at(cell)).map(({ x, y }) => `${x},${y}`).join(" ");
      svg("polyline", { points, class: `way ${name}` }, group);
    };
    const lifted = Object.entries(state.routes ?? {});
    for (const [, names] of lifted) line(names, "possible");
    if (aim && state.routes?.[aim]) line(state.routes[aim], "aimed");
    if (!lifted.length && state.route?.length > 1) line(state.route, "gone");
  },
};
