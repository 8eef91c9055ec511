// The text as a ribbon of tokens that wraps like text. Each token is coloured by its weight; below a
// generated token are its probability and the alternatives.

import { buttonOf, element } from "../common/element.js";
import { MASKED, WHOLE, two } from "../common/scale.js";

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
    const cell = element("div", "cell");
    cell.classList.toggle("written", generated);
    cell.classList.toggle("control", control.includes(place));
    const word = generated ? element("button", "word", token) : element("span", "word", token);
    if (control.includes(place)) word.title = strings.control;
    cell.append(element("span", "weight"), word);
    if (!generated) return cell;
    word.title = strings.go_to_step;
    word.onclick = () => go(step);
    const { top, forced, written } = steps[step];
    const [chosen] = top.filter((each) => each.token === written);
    const own = element("span", "own", shortProbability(chosen.probability));
    const note = forced ? [element("span", "forced", strings.forced)] : [];
    const others = alternatives(top, written).map(({ token: other, shown, probability }) => {
      const label = `${shown} ${shortProbability(probability)}`;
      const button = buttonOf("other", label, () => force(step, other));
      button.title = strings.force;
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
  const above = element("div", "legend", element("span", "above", strings.above));
  ribbon.replaceChildren(above, ...cells);
  if (!steps.length) return;
  const names = [element("span", "below", strings.below), element("span", "below", strings.others)];
  const below = element("div", "legend", element("span", "above"), ...names);
  const first = element("div", "first"); // one element, so that a line break does not separate them
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
