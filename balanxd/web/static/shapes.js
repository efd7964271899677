// Small things to draw with.

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element with attributes, appended to `parent` if given. */
export function svg(name, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (parent !== null) parent.append(element);
  return element;
}

/** A new HTML element with properties, and children or a text. */
export function html(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("data-") || key.startsWith("aria-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Ask a question. yes(value): how it was answered, where it was not with the empty value or Escape. */
export function openDialog(dialog, yes) {
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue && yes(dialog.returnValue);
  dialog.showModal();
}

/** Wood: wavy lines along the ranks, the same each time. */
export function grain(group, { x, y, width, height }) {
  let seed = 7;
  const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let line = y - 20; line < y + height + 20; line += 7 + 16 * chance()) {
    const sway = 4 + 10 * chance(), phase = 6 * chance(), long = 260 + 320 * chance();
    let d = "";
    for (let step = 0; step <= 12; step += 1) {
      const at = x + (width * step) / 12;
      const rise = line + sway * Math.sin(phase + at / long) + 2 * Math.sin(at / 61 + phase * 3);
      d += `${step ? "L" : "M"}${at.toFixed(1)} ${rise.toFixed(1)} `;
    }
    svg("path", { d, "stroke-width": (0.6 + 2.2 * chance()).toFixed(2), opacity: (0.25 + 0.75 * chance()).toFixed(2) }, group);
  }
}
