// What stands beside the picture of a step: the tokens that could have been written, or the
// hypotheses of a beam.

/**
 * @param {DecodingStep} step
 * @param {(token: string) => void} force writes another token
 * @param {Record<string, string>} strings
 * @returns {HTMLElement[]} three of them a row
 */
export function candidates(step, force, strings) {
  return step.top.flatMap(({ token, shown, probability, printed }) => {
    const button = cell("button", "token", shown ?? token);
    button.type = "button";
    const written = token === step.written;
    button.disabled = written;
    button.title = written ? strings.written : strings.force;
    button.onclick = () => force(token);
    button.classList.toggle("written", written);
    const bar = cell("span", "bar");
    bar.style.width = `${100 * probability}%`;
    const track = cell("span", "track");
    track.append(bar);
    bar.style.display = "block";
    return [button, track, cell("span", "number", printed)];
  });
}

/**
 * @param {DecodingStep[]} steps
 * @param {(step: number) => void} go to a step that is clicked
 * @param {Record<string, string>} strings
 * @returns {HTMLElement[]} three of them a row: what each step wrote, and how likely that was
 */
export function everyStep(steps, go, strings) {
  return steps.flatMap(({ written, top }, step) => {
    const chosen = top.filter(({ token }) => token === written);
    const row = candidates({ written: undefined, top: chosen }, () => go(step), strings);
    row[0].title = strings.look;
    return row;
  });
}

/**
 * @param {DecodingHypothesis[]} all of a step, the best first
 * @param {Record<string, string>} strings
 * @returns {HTMLElement[]} two of them a row
 */
export function hypotheses(all, strings) {
  return all.flatMap(({ text, printed, kept }) => {
    const words = cell("span", kept ? "wide" : "wide dropped", text);
    words.title = kept ? strings.kept : strings.dropped;
    return [words, cell("span", "number", printed)];
  });
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} kind its class
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Name]}
 */
function cell(name, kind, text = "") {
  const element = document.createElement(name);
  element.className = kind;
  element.textContent = text;
  return element;
}
