// What was done in the steps and the server has not heard of yet. Of two messages that are sent
// before the first was read, the server gets the second: each one says it all. A cell of the mask is
// told as it shall be, not as one that changes, so that hearing of it twice does no harm.

export class Unheard {
  constructor() {
    this.number = 0; // of the last act
    this.look = null;
    this.toggles = [];
  }

  // The server has heard of all acts up to this number.
  forget(heard) {
    this.number = Math.max(this.number, heard);
    if (this.look?.number <= heard) this.look = null;
    this.toggles = this.toggles.filter((cell) => cell.number > heard);
  }

  looked(look) {
    this.look = { ...look, number: ++this.number };
  }

  // A cell of the mask is clicked that the server last said is allowed, or is not.
  toggled(query, key, allowed) {
    const same = (cell) => cell.query === query && cell.key === key;
    const wanted = !(this.toggles.find(same)?.allowed ?? allowed);
    const others = this.toggles.filter((cell) => !same(cell));
    this.toggles = [...others, { query, key, allowed: wanted, number: ++this.number }];
  }

  message() {
    const { number, look, toggles } = this;
    return { number, look, toggles };
  }
}
