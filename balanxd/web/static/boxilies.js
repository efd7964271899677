// Boxilies: square stones with one to three arrows on their sides, and a figure that points to the other player.

import { svg } from "./shapes.js";

/** A stone round (0, 0): its base turned by quarters, its figure pointing north (A's) or south (B's). */
export function stone(group, { sides, turn, pointer, label }) {
  const owner = pointer === 0 ? 0 : pointer === 2 ? 1 : -1;
  svg("rect", { class: "drop", x: -40, y: -36, width: 86, height: 86, rx: 12 }, group);
  const base = svg("g", { class: `base owner-${owner}`, transform: `rotate(${90 * turn})` }, group);
  svg("rect", { x: -43, y: -43, width: 86, height: 86, rx: 12, class: "stone" }, base);
  sides.forEach((count, side) => {
    const edge = svg("g", { transform: `rotate(${90 * side})` }, base);
    for (let n = 0; n < count; n += 1) {
      const x = (n - (count - 1) / 2) * 19;
      svg("path", { d: `M${x - 7} -28 L${x} -40 L${x + 7} -28 Z`, class: "side-arrow" }, edge);
    }
  });
  const figure = svg("g", { class: `figure owner-${owner}`, transform: `rotate(${90 * pointer})` }, group);
  svg("path", { d: "M0 -25 L16 -3 A18 18 0 1 1 -16 -3 Z", class: "figure-body" }, figure);
  svg("text", { class: `figure-name owner-${owner}`, y: owner === 1 ? -5 : 7 }, group).textContent = label ?? "";
}

export const boxilies = {
  margin: 78,
  tray: 92,
  kind(piece, plan) {
    const kind = piece.kind ?? plan.stones.findIndex((known) => known.stone === piece.stone);
    return { kind, sides: plan.stones[kind]?.sides ?? [0, 0, 0, 0], turn: piece.turn ?? 0, pointer: piece.pointer ?? 1, label: plan.stones[kind]?.stone ?? "?" };
  },
  names: (piece) => `stone ${piece.label}, its figure ${piece.pointer === 0 ? "is A's" : piece.pointer === 2 ? "is B's" : "askew"}`,

  wood(group, plan, at) {
    for (const { name, blocked } of plan.cells) {
      const { x, y } = at(name);
      svg("rect", { x: x - 47, y: y - 47, width: 94, height: 94, rx: 13, class: blocked ? "pit blocked" : "pit" }, group);
    }
  },

  draw: stone,
};
