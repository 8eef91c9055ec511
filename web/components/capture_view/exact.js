// Exact weights of single heads. For a long sentence, the first message contains only the
// resolution of the thumbnails. An enlarged head then needs its own request of a few kilobytes.

export class Exact {
  /** @param {ExactData} data */
  constructor(data) {
    this.data = data;
    this.area = data.size * (data.keys ?? data).size;
    this.known = /** @type {Map<number, Uint16Array>} */ (new Map());
    this.wanted = -1; // head on its way
  }

  /**
   * @param {[layer: number, head: number]} place
   * @returns {Uint16Array | undefined} by rows; undefined before the response to `request`
   */
  of(place) {
    const index = this.index(place);
    if (this.data.exact) return this.known.get(index);
    return this.data.cells.subarray(index * this.area, (index + 1) * this.area);
  }

  /**
   * @param {[layer: number, head: number]} place
   * @returns {Promise<boolean>} whether the weights have arrived. False while they are on their way, and
   *   after a newer request or a failed one; the next call retries.
   */
  async request(place) {
    const index = this.index(place);
    if (this.wanted === index) return false;
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.wanted = index;
    const start = 2 * index * this.area; // 16 bits each
    const address = `${this.data.exact}/${start}/${start + 2 * this.area}`;
    try {
      const answer = await fetch(address, { signal: asking.signal });
      if (!answer.ok) return false;
      this.known.set(index, new Uint16Array(await answer.arrayBuffer()));
    } catch {
      return false;
    } finally {
      if (this.asking === asking) this.wanted = -1;
    }
    return true;
  }

  /** @param {[layer: number, head: number]} place */
  index([layer, head]) {
    return layer * this.data.heads + head;
  }
}
