// A minimal document for tests: elements that record their attributes.

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

globalThis.document = {
  createElementNS: (_space, name) => new FakeElement(name),
  importNode: (node) => node,
};

globalThis.DOMParser = class {
  parseFromString(text) {
    return { documentElement: Object.assign(new FakeElement("math"), { source: text }) };
  }
};
