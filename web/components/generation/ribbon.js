// The text as a ribbon of tokens that wraps like text. Each token is coloured by its weight; below a
// generated token are its probability and the alternatives.

import { MASKED, WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";
import { tag } from "../decoding/step_list.js";

const MAX_ALTERNATIVES = 3;
const MIN_PROBABILITY = 0.01; // of an alternative; less would print as 0.00
const DARKEST = 72; // per cent of the hue for a weight of 1

/**
 * @param {GenerationHeader} data
 * @param {(step: number) => void} go called with the step of a generated token that is clicked
 * @param {(step: number, token: string) => void} force called with an alternative that is clicked
 * @returns {HTMLElement[]} a cell for each token
 */
export function tokenCells({ tokens, prompt, control, steps, strings }, go, force) {
  return tokens.map((token, place) => {
    const step = place - prompt;
    const generated = step >= 0;
    const cell = tag("div", "cell");
    cell.classList.toggle("written", generated);
    cell.classList.toggle("control", control.includes(place));
    const word = generated ? tag("button", "word", token) : tag("span", "word", token);
    if (control.includes(place)) word.title = strings.control;
    cell.append(tag("span", "weight"), word);
    if (!generated) return cell;
    word.title = strings.go_to_step;
    word.onclick = () => go(step);
    const { top, forced, written } = steps[step];
    const [chosen] = top.filter((each) => each.token === written);
    const own = tag("span", "own", shortProbability(chosen.probability));
    const note = forced ? [tag("span", "forced", strings.forced)] : [];
    const others = alternatives(top, written).map(({ token: other, shown, probability }) => {
      const button = tag("button", "other", `${shown} ${shortProbability(probability)}`);
      button.title = strings.force;
      button.onclick = () => force(step, other);
      return button;
    });
    cell.append(own, ...note, ...others);
    return cell;
  });
}

/**
 * Put the cells into the ribbon, with the names of the numbers above and below the tokens.
 *
 * @param {HTMLElement} ribbon
 * @param {HTMLElement[]} cells
 * @param {GenerationHeader} data
 */
export function fillRibbon(ribbon, cells, { prompt, steps, strings }) {
  const above = tag("div", "legend");
  above.append(tag("span", "above", strings.above));
  ribbon.replaceChildren(above, ...cells);
  if (!steps.length) return;
  const below = tag("div", "legend");
  below.append(
    tag("span", "above", ""),
    tag("span", "below", strings.below),
    tag("span", "below", strings.others),
  );
  const first = tag("div", "first"); // one element, so that a line break does not separate them
  cells[prompt].before(first);
  first.append(below, cells[prompt]);
}

/**
 * @param {StepRecord["top"]} top
 * @param {string} written the token that was chosen
 * @returns {StepRecord["top"]} the most probable other tokens, at least one
 */
export function alternatives(top, written) {
  const others = top.filter(({ token }) => token !== written);
  const likely = others.filter(({ probability }) => probability >= MIN_PROBABILITY);
  return (likely.length ? likely : others.slice(0, 1)).slice(0, MAX_ALTERNATIVES);
}

/**
 * @param {number} probability
 * @returns {string} two decimals without the leading 0; "<.01" for what would print as .00
 */
export function shortProbability(probability) {
  return probability < 0.005 ? "<.01" : probability.toFixed(2).replace(/^0/, "");
}

/**
 * Colour the cells for a step.
 *
 * @param {HTMLElement[]} cells
 * @param {object} given
 * @param {number} given.prompt number of tokens of the prompt
 * @param {number} given.step
 * @param {boolean} given.whole whether all steps are shown
 * @param {(key: number) => number} given.weight of each token, in ten-thousandths
 * @param {string} given.template tooltip of a weight
 */
export function colourCells(cells, { prompt, step, whole, weight, template }) {
  const at = prompt + step;
  cells.forEach((cell, place) => {
    const value = weight(place);
    const shown = value === MASKED ? 0 : value;
    cell.style.setProperty("--strength", (DARKEST * Math.sqrt(shown / WHOLE)).toFixed(1));
    const number = /** @type {HTMLElement} */ (cell.firstElementChild);
    number.textContent = shown < 50 ? "" : two(shown);
    number.title = template.replace("{weight}", two(shown));
    cell.classList.toggle("now", !whole && place === at);
    cell.classList.toggle("on", !whole && place === at - 1);
    cell.classList.toggle("later", !whole && place > at);
  });
}

/** @param {HTMLElement} ribbon on the page @returns {SVGElement} the same as a picture */
export function ribbonPicture(ribbon) {
  const { left, top, width } = ribbon.getBoundingClientRect();
  const height = ribbon.scrollHeight;
  const drawn = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const hue = getComputedStyle(ribbon).getPropertyValue("--hue");
  const parts = ".weight, .word, .own, .forced, .other, .legend span";
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (ribbon.querySelectorAll(parts))) {
    const box = element.getBoundingClientRect();
    if (!box.width) continue;
    const { fontSize, fontWeight } = getComputedStyle(element);
    const [x, y] = [box.left - left, box.top - top + ribbon.scrollTop];
    if (element.classList.contains("word")) {
      const strength = Number(getComputedStyle(element).getPropertyValue("--strength")) / 100;
      const size = { x, y, width: box.width, height: box.height, rx: 7 };
      drawn.append(
        shape("rect", {
          ...size,
          fill: hue,
          "fill-opacity": strength,
          stroke: hue,
          "stroke-opacity": 0.4,
        }),
      );
    }
    const middle = { x: x + box.width / 2, y: y + box.height / 2 };
    const look = { "font-size": fontSize, "font-weight": fontWeight, fill: "currentColor" };
    drawn.append(
      shape("text", { ...middle, "dominant-baseline": "central", ...look }, element.textContent),
    );
  }
  return drawn;
}
