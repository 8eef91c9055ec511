// From head to head, and over a layer's end to the next one.

import { clamp } from "./scale.js";

/**
 * @param {Walk} from
 * @param {Move} move
 * @returns {Walk} where it leads; at the first and the last head it stays
 */
export function walked({ layer, head, layers, heads }, { down, across }) {
  if (heads === 1)
    return { layer: clamp(layer + down + across, 0, layers - 1), head, layers, heads };
  const last = layers * heads - 1;
  const to = clamp(layer + down, 0, layers - 1) * heads + head + across;
  const at = clamp(to, 0, last);
  return { layer: Math.floor(at / heads), head: at % heads, layers, heads };
}
