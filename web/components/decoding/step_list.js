// The list beside the picture: candidates of a step, all steps, or hypotheses of a beam search.

import { buttonOf, element } from "../common/element.js";

/** @typedef {Record<string, string>} Strings */

/**
 * @param {{ written: string | undefined, top: StepRecord["top"] }} step the written token is marked
 * @param {(token: string) => void} choose called with a token that is clicked
 * @param {Strings} strings
 */
export function candidates({ written, top }, choose, strings) {
  return top.flatMap(({ token, shown, probability, printed }) => {
    const isWritten = token === written;
    const button = buttonOf(isWritten ? "token written" : "token", shown, () => choose(token));
    button.disabled = isWritten;
    button.title = isWritten ? strings.written : strings.force;
    const bar = element("span", "bar");
    bar.style.width = `${100 * probability}%`;
    return [button, element("span", "track", bar), element("span", "number", printed)];
  });
}

/** @type {(all: StepRecord[], go: (step: number) => void, strings: Strings) => HTMLElement[]} */
export function everyStep(steps, go, strings) {
  return steps.flatMap(({ written, top }, step) => {
    const chosen = top.filter(({ token }) => token === written);
    const row = candidates({ written: undefined, top: chosen }, () => go(step), strings);
    row[0].title = strings.go_to_step;
    return row;
  });
}

/** @type {(all: DecodingHypothesis[], strings: Strings) => HTMLElement[]} of a step, best first */
export function hypotheses(all, strings) {
  return all.flatMap(({ text, printed, kept }) => {
    const words = element("span", kept ? "wide" : "wide dropped", text);
    words.title = kept ? strings.kept : strings.dropped;
    return [words, element("span", "number", printed)];
  });
}
