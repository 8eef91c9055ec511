// How a class joins: the join code in large digits, its QR code, and the links.

import { button, build, formatCode, message } from "../classroom/dom.js";
import { copyLink } from "../common/copying.js";
import { rootPath } from "../common/navigation.js";
import { drawQr } from "../common/qr.js";
import { shape } from "../common/svg.js";

/**
 * @param {string} code
 * @param {string} token of the teacher
 * @param {import("./desk.js").DeskData} data
 * @param {HTMLElement} count of the connected students
 * @param {boolean} large whether a projector shows it: it fills the screen, and has no buttons
 * @returns {HTMLElement}
 */
export function invitation(code, token, { origin, alone, codes }, count, large) {
  const site = `${origin || window.location.origin}${rootPath()}`;
  const link = `${site}/classroom?room=${code}`;
  const qr = shape("svg", { class: "qr", role: "img", "aria-label": message("qr") });
  // Without a connection, the code and the address are shown alone.
  if (!alone) drawQr(qr, codes, link);
  return build(
    large ? "section.out.large" : "section.out",
    build(
      "div",
      build("p.how", message("go_to", { address: link.replace(/^https?:\/\/|\?.*/g, "") })),
      build("p.code", formatCode(code)),
      build("p", count),
      !large && [
        build(
          "div.acts",
          copyButton("copy_students", link),
          copyButton("copy_teacher", `${link}#teacher=${token}`),
        ),
        build("p.small", message("teacher_secret")),
      ],
    ),
    // No phone can open a link to this computer alone. The class need not read why.
    alone ? !large && build("p.alone", alone) : qr,
  );
}

/** @param {string} name of the label's message @param {string} link */
function copyButton(name, link) {
  const labels = { copy: message(name), copied: message("copied") };
  const created = button(labels.copy, async () => {
    await copyLink(link, created);
    created.textContent = labels.copied;
    setTimeout(() => (created.textContent = labels.copy), 1500);
  });
  return created;
}
