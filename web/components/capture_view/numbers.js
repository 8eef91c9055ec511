// The numbers in the cells of a map. Plotly needs longer to write them than for all the rest.

import { sharp } from "../common/canvas.js";

const VEILED = 0.65; // opacity of the numbers below the veil of map.js

/**
 * @param {PlotlyChart} area with a drawn map
 * @param {HTMLCanvasElement} canvas
 * @param {string[][]} text of each cell; [] without numbers
 * @param {{ family: string, size: number, color: string }} font
 * @param {(row: number, column: number) => boolean} plain whether no veil covers a cell
 */
export function drawNumbers(area, canvas, text, { family, size, color }, plain) {
  const cells = area.querySelector(".main-svg");
  if (cells?.nextElementSibling !== canvas) cells?.after(canvas); // below the label of the pointer
  const { xaxis, yaxis, _size: box } = area._fullLayout;
  Object.assign(canvas.style, { left: `${box.l}px`, top: `${box.t}px`, width: `${box.w}px` });
  const context = sharp(canvas, box.w, box.h);
  context.font = `${size}px ${family}`;
  context.fillStyle = color;
  context.textAlign = "center";
  context.textBaseline = "middle";
  text.forEach((row, down) => {
    row.forEach((number, across) => {
      if (!number) return;
      context.globalAlpha = plain(down, across) ? 1 : VEILED;
      context.fillText(number, xaxis.l2p(across), yaxis.l2p(down));
    });
  });
}
