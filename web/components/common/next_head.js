// Movement between heads. After the last head of a layer comes the first of the next layer.

const inside = (/** @type {number} */ at, /** @type {number} */ count) =>
  Math.min(Math.max(at, 0), count - 1);

/** @param {Walk} from @param {Move} move @returns {Walk} it stays at the first and the last head */
export function walked({ layer, head, layers, heads }, { down, across }) {
  if (heads === 1) return { layer: inside(layer + down + across, layers), head, layers, heads };
  const at = inside(inside(layer + down, layers) * heads + head + across, layers * heads);
  return { layer: Math.floor(at / heads), head: at % heads, layers, heads };
}
