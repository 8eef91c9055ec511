// The view in a notebook: a module of anywidget. The selection is kept in step with Python.

import { element } from "../common/element.js";
import { drawView } from "./view.js";

let count = 0; // of views in this notebook

/** @param {{ model: NotebookModel, el: HTMLElement }} cell */
function render({ model, el }) {
  if (!window.Plotly) {
    const library = document.createElement("script");
    library.textContent = model.get("plotly");
    document.head.append(library);
  }
  window.headlightPlotly ??= Promise.resolve(/** @type {PlotlyLibrary} */ (window.Plotly));
  const key = `notebook ${++count}`; // each view has its own selection
  const parsed = new DOMParser().parseFromString(model.get("html"), "text/html");
  const view = element("div", "", ...parsed.body.children);
  const state = element("div", "", element("i", "state"));
  state.hidden = true;
  el.append(view, state);
  /** @type {HTMLElement} */ (view.firstElementChild).dataset.key = key;
  const { buffer, byteOffset, byteLength } = model.get("payload");
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  drawView({ parentElement: view, data: bytes, setTriggerValue: () => {} });
  let acknowledged = 0;
  const setTriggerValue = (/** @type {string} */ _name, /** @type {any} */ edit) => {
    acknowledged = edit.number;
    model.set("selection", { ...model.get("selection"), ...edit.fields });
    model.save_changes();
  };
  const draw = () => {
    const data = [{ key, selection: model.get("selection"), acknowledged }];
    drawView({ parentElement: state, data, setTriggerValue });
  };
  model.on("change:selection", draw);
  draw();
}

export default { render };
