// The view in a file, which no server serves: web/notebook.py writes the page.

import { drawView } from "./view.js";

const { payload, selection } = window.headlightFile;
const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
const setTriggerValue = () => {}; // no server listens
const box = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

window.headlightPlotly = Promise.resolve(/** @type {PlotlyLibrary} */ (window.Plotly));
drawView({ parentElement: box("view"), data: bytes, setTriggerValue });
const data = [{ key: "view", selection, acknowledged: 0 }];
drawView({ parentElement: box("state"), data, setTriggerValue });
