// As much of a browser as the tests need: elements that remember what was done to them.

export class FakeElement extends EventTarget {
  constructor(name) {
    super();
    this.name = name;
    this.attributes = {};
    this.textContent = "";
    this.dataset = {};
  }

  setAttribute(key, value) {
    this.attributes[key] = value;
  }

  cloneNode() {
    return Object.assign(new FakeElement(this.name), { source: this.source });
  }
}

/** What was parsed, in order. */
export const parsed = [];

globalThis.document = {
  createElementNS: (_space, name) => new FakeElement(name),
  importNode: (node) => node,
};

globalThis.DOMParser = class {
  parseFromString(text, type) {
    parsed.push([text, type]);
    return { documentElement: Object.assign(new FakeElement("math"), { source: text }) };
  }
};
