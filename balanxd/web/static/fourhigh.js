// Four High: stacks of up to four pieces; a numeral says how high, and the side view shows all of them.

import { svg } from "./shapes.js";

export const PIECES = { B: "black", W: "white" };

/** A stack as letters from bottom to top, round (0, 0), seen from a little in front. */
function stack(group, { stack: pieces }) {
  const rise = 8;
  svg("ellipse", { class: "drop", cx: 5, cy: 15, rx: 38, ry: 33 }, group);
  [...pieces].forEach((letter, level) => {
    const y = 8 - level * rise;
    svg("ellipse", { cx: 0, cy: y + 6, rx: 35, ry: 30, class: `rim-${letter}` }, group);
    svg("ellipse", { cx: 0, cy: y, rx: 35, ry: 30, class: `top-${letter}` }, group);
  });
  const top = pieces.at(-1) ?? "B", y = 8 - (pieces.length - 1) * rise;
  svg("ellipse", { cx: 0, cy: y, rx: 25, ry: 21, class: `groove-${top}` }, group);
  if (pieces.length > 1) svg("text", { class: `height on-${top}`, y: y + 1 }, group).textContent = String(pieces.length);
}

export const fourhigh = {
  margin: 78,
  keys: "Enter lifts the stack there, and puts it down. 1 to 4 lift so many pieces from its top.",
  square: true,
  piece: ({ stack: pieces }) => ({ stack: pieces }),
  gather(pieces) {
    const stacks = new Map();
    for (const { cell, kind } of pieces.sort((a, b) => a.level - b.level)) stacks.set(cell, (stacks.get(cell) ?? "") + "BW"[kind]);
    return [...stacks].map(([at, letters]) => ({ id: at, at, stack: letters }));
  },
  names: ({ stack: pieces }) => `stack of ${pieces.length}, from the top: ${[...pieces].reverse().map((letter) => PIECES[letter]).join(", ")}`,

  wood(group, plan, at) {
    for (const { name, x: file, y: rank } of plan.cells) {
      const { x, y } = at(name);
      svg("rect", { x: x - 50, y: y - 50, width: 100, height: 100, class: `square ring-${plan.numbers[name]} ${(file + rank) % 2 ? "pale" : "deep"}` }, group);
      svg("text", { x: x + 39, y: y - 36, class: "worth" }, group).textContent = plan.numbers[name];
    }
  },

  draw: stack,
};
