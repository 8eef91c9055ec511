// What a class is handed: the code, large; its QR code; the links.

import { make, pressed, say, spelled } from "../classroom/bits.js";
import { copyLink } from "../common/copying.js";
import { drawQr } from "../common/qr.js";
import { shape } from "../common/svg.js";

/**
 * @param {string} code
 * @param {string} token the teacher's
 * @param {{ words: Record<string, string>, origin: string, alone: string, codes: string }} data
 * @param {HTMLElement} count how many are there
 * @returns {HTMLElement}
 */
export function handedOut(code, token, { words, origin, alone, codes }, count) {
  const place = origin || window.location.origin;
  const link = `${place}/classroom?room=${code}`;
  const qr = shape("svg", { class: "qr", role: "img", "aria-label": words.qr });
  drawCode(qr, codes, link);
  const copied = (text, said) => {
    const button = pressed(said, () =>
      copyLink(text, button, { copy: said, copied: words.copied }),
    );
    return button;
  };
  return make(
    "section",
    { className: "out" },
    make(
      "div",
      {},
      make(
        "p",
        { className: "how" },
        say(words.go_to, { address: `${new URL(place).host}/classroom` }),
      ),
      make("p", { className: "code" }, spelled(code)),
      make("p", {}, count),
      ...(alone ? [make("p", { className: "alone" }, alone)] : []),
      make(
        "div",
        { className: "acts" },
        copied(link, words.copy_students),
        copied(`${link}#teacher=${token}`, words.copy_teacher),
      ),
      make("p", { className: "small" }, words.teacher_secret),
    ),
    qr,
  );
}

/**
 * @param {SVGElement} qr
 * @param {string} codes
 * @param {string} link
 */
async function drawCode(qr, codes, link) {
  try {
    const answer = await fetch(codes, { method: "POST", body: link });
    if (answer.ok) drawQr(qr, await answer.json());
  } catch {
    // The code and the address are there without it.
  }
}
