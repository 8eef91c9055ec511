// SVG elements.

/** @type {(name: string, attributes: Record<string, string | number>, text?: string) => SVGElement} */
export function shape(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return /** @type {SVGElement} */ (element);
}
