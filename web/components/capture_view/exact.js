// Exact weights of single heads. For a long sentence, the first message contains only the
// resolution of the thumbnails. An enlarged head then needs its own request of a few kilobytes.

export class Exact {
  known = /** @type {Map<number, Uint16Array>} */ (new Map());
  wanted = -1; // head on its way

  /** @param {SubjectHeader & Cells} data @param {() => void} arrived called after a request */
  constructor(data, arrived) {
    this.data = data;
    this.arrived = arrived;
    this.area = data.size * (data.keys ?? data).size;
  }

  /** By rows; undefined before the response to `request`. @param {Head} head */
  of(head) {
    const index = this.index(head);
    if (this.data.exact) return this.known.get(index);
    return this.data.cells.subarray(index * this.area, (index + 1) * this.area);
  }

  /** Replaces a request for another head. After a failure, the next call retries. @param {Head} head */
  async request(head) {
    const index = this.index(head);
    if (this.wanted === index) return;
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.wanted = index;
    const start = 2 * index * this.area; // 16 bits each
    const address = `${this.data.exact}/${start}/${start + 2 * this.area}`;
    try {
      const answer = await fetch(address, { signal: asking.signal });
      if (answer.ok) this.known.set(index, new Uint16Array(await answer.arrayBuffer()));
    } catch {
      // no connection, or replaced
    }
    if (this.asking === asking) this.wanted = -1;
    if (this.known.has(index)) this.arrived();
  }

  /** @param {Head} head */
  index([layer, head]) {
    return layer * this.data.heads + head;
  }
}
