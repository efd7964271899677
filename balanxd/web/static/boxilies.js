// Boxilies: square stones with one to three arrows on their sides, and a figure that points to the other player.

import { svg } from "./shapes.js";

/** A stone round (0, 0): its base turned by quarters, its figure pointing to B's side (A's own) or to A's (B's own). */
function stone(group, { sides, turn, pointer, label }, _, turned) {
  const owner = pointer === 0 ? 0 : pointer === 2 ? 1 : -1;
  const seen = turned ? 2 : 0, up = (pointer + seen) % 4 !== 2;
  svg("rect", { class: "drop", x: -40, y: -36, width: 86, height: 86, rx: 12 }, group);
  const base = svg("g", { class: `base owner-${owner}`, transform: `rotate(${90 * (turn + seen)})` }, group);
  svg("rect", { x: -43, y: -43, width: 86, height: 86, rx: 12, class: "stone" }, base);
  sides.forEach((count, side) => {
    const edge = svg("g", { transform: `rotate(${90 * side})` }, base);
    for (let n = 0; n < count; n += 1) {
      const x = (n - (count - 1) / 2) * 19;
      svg("path", { d: `M${x - 7} -28 L${x} -40 L${x + 7} -28 Z`, class: "side-arrow" }, edge);
    }
  });
  const figure = svg("g", { class: `figure owner-${owner}`, transform: `rotate(${90 * (pointer + seen)})` }, group);
  svg("path", { d: "M0 -25 L16 -3 A18 18 0 1 1 -16 -3 Z", class: "figure-body" }, figure);
  svg("text", { class: "figure-name", y: up ? 7 : -5 }, group).textContent = label;
}

const kind = (piece, plan) => piece.kind ?? plan.stones.findIndex((known) => known.stone === piece.stone);

function piece(of, plan) {
  const { stone: label, sides } = plan.stones[kind(of, plan)];
  return { label, sides, turn: of.turn, pointer: of.pointer };
}

export const boxilies = {
  margin: 78,
  keys: "1 to 5 take a stone of your own, R turns it, Enter puts it down. Enter also lifts a stone, or turns it over where that is due.",
  tray: 84,
  square: true,
  kind,
  piece,
  gather: (pieces, plan) => pieces.map((each) => ({ id: each.id, at: each.cell, ...piece(each, plan) })),
  names: ({ label, pointer }) => `stone ${label}, its figure ${pointer === 0 ? "is A's" : pointer === 2 ? "is B's" : "askew"}`,

  wood(group, plan, at) {
    for (const { name, blocked } of plan.cells) {
      const { x, y } = at(name);
      svg("rect", { x: x - 47, y: y - 47, width: 94, height: 94, rx: 13, class: blocked ? "pit blocked" : "pit" }, group);
    }
  },

  draw: stone,
};
