// The text as its tokens, which flow like text: each as dark as it was looked at, and under each that
// was written what was passed over for it.

import { MASKED, WHOLE, two } from "../common/scale.js";
import { shape } from "../common/svg.js";

const MOST_OTHERS = 3;
const LEAST = 0.01; // of what was passed over; less would read 0.00
const DARKEST = 72; // per cent of the hue that lies on what has all the weight

/**
 * @param {GenerationHeader} data
 * @param {(step: number) => void} go to the step at which a token was written
 * @param {(step: number, token: string) => void} force
 * @returns {HTMLElement[]} a cell for each token
 */
export function cellsOf({ tokens, prompt, control, steps, strings }, go, force) {
  return tokens.map((token, place) => {
    const step = place - prompt;
    const written = step >= 0;
    const cell = part("div", "cell");
    cell.classList.toggle("written", written);
    cell.classList.toggle("control", control.includes(place));
    const word = written ? part("button", "word", token) : part("span", "word", token);
    if (control.includes(place)) word.title = strings.control;
    cell.append(part("span", "weight"), word);
    if (!written) return cell;
    word.title = strings.look;
    word.onclick = () => go(step);
    const { top, forced, written: own } = steps[step];
    const chosen = top.find((each) => each.token === own);
    cell.append(part("span", "own", `${rounded(chosen.probability)}${forced ? "!" : ""}`));
    if (forced) cell.lastElementChild.setAttribute("title", strings.forced);
    cell.append(
      ...passedOver(top, own).map((other) => {
        const button = part("button", "other", `${other.shown} ${rounded(other.probability)}`);
        button.title = strings.force;
        button.onclick = () => force(step, other.token);
        return button;
      }),
    );
    return cell;
  });
}

/**
 * @param {GenerationStep["top"]} top
 * @param {string} own the token that was written
 * @returns {GenerationStep["top"]} the likeliest others; one of them in any case
 */
export function passedOver(top, own) {
  const others = top.filter(({ token }) => token !== own);
  const likely = others.filter(({ probability }) => probability >= LEAST);
  return (likely.length ? likely : others.slice(0, 1)).slice(0, MOST_OTHERS);
}

/**
 * @param {number} probability
 * @returns {string} two decimals, and of what would read 0.00 that it is less
 */
export function rounded(probability) {
  return probability < 0.005 ? "<.01" : probability.toFixed(2).replace(/^0/, "");
}

/**
 * Colour the cells as a step has it.
 *
 * @param {HTMLElement[]} cells
 * @param {object} given
 * @param {number} given.prompt how many tokens it has
 * @param {number} given.step
 * @param {boolean} given.whole whether all steps are shown
 * @param {(key: number) => number} given.weight what each token got, in ten-thousandths
 * @param {string} given.said of a weight
 */
export function colour(cells, { prompt, step, whole, weight, said }) {
  const at = prompt + step;
  cells.forEach((cell, place) => {
    const got = weight(place);
    const shown = got === MASKED ? 0 : got;
    cell.style.setProperty("--lit", (DARKEST * Math.sqrt(shown / WHOLE)).toFixed(1));
    const number = /** @type {HTMLElement} */ (cell.firstElementChild);
    number.textContent = shown < 50 ? "" : two(shown);
    number.title = said.replace("{weight}", two(shown));
    cell.classList.toggle("now", !whole && place === at);
    cell.classList.toggle("on", !whole && place === at - 1);
    cell.classList.toggle("later", !whole && place > at);
  });
}

/**
 * @param {HTMLElement} ribbon as it stands on the page
 * @returns {SVGElement} the same as a picture
 */
export function pictureOf(ribbon) {
  const { left, top, width } = ribbon.getBoundingClientRect();
  const height = ribbon.scrollHeight;
  const drawn = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const hue = getComputedStyle(ribbon).getPropertyValue("--hue");
  const parts = ".weight, .word, .own, .other";
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (ribbon.querySelectorAll(parts))) {
    const box = element.getBoundingClientRect();
    if (!box.width) continue;
    const { fontSize, fontWeight } = getComputedStyle(element);
    const [x, y] = [box.left - left, box.top - top + ribbon.scrollTop];
    if (element.classList.contains("word")) {
      const lit = Number(getComputedStyle(element).getPropertyValue("--lit")) / 100;
      const size = { x, y, width: box.width, height: box.height, rx: 7 };
      drawn.append(
        shape("rect", {
          ...size,
          fill: hue,
          "fill-opacity": lit,
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

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} kind its class
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Name]}
 */
function part(name, kind, text = "") {
  const element = document.createElement(name);
  element.className = kind;
  element.textContent = text;
  if (element instanceof HTMLButtonElement) element.type = "button";
  return element;
}
