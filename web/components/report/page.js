// The report as one HTML file, without scripts. Every text is escaped, because people typed it.

import { escaped } from "../common/saving.js";

const STYLE = `body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff; }
img { max-width: 100%; border: 1px solid #ccc; }
figure { margin: 0; }
section { border-top: 1px solid #ccc; margin-top: 2rem; break-inside: avoid-page; }
.note { white-space: pre-wrap; font-size: 18px; }
a, dd, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; font-size: 14px; }
dd { margin: 0; }`;

/**
 * @param {import("./pins.js").Pin[]} pins
 * @param {Record<"title" | "origin", string>} words
 * @param {string} language
 * @returns {string}
 */
export function reportPage(pins, words, language) {
  const title = escaped(words.title);
  // The policy turns off scripts and requests of the file, also those of an SVG picture.
  return `<!doctype html><html lang="${escaped(language)}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1>
${pins.map((pin, index) => section(pin, index + 1, words)).join("\n")}
</body></html>
`;
}

/**
 * @param {import("./pins.js").Pin} pin
 * @param {number} number
 * @param {Record<"origin", string>} words
 */
function section({ picture, caption, alt = caption, about = {}, note, at, page }, number, words) {
  const link = escaped(String(about.link ?? ""));
  return `<section><h2>${number} · ${escaped(page)}</h2>
<p class="note">${escaped(note)}</p>
<figure><img src="${escaped(picture)}" alt="${escaped(alt)}"><figcaption>${escaped(caption)}</figcaption></figure>
<p><a href="${link}">${link}</a></p>
<details><summary>${escaped(words.origin)}</summary><dl>${facts({ time: at, ...about })}</dl></details></section>`;
}

/**
 * @param {About} about
 * @returns {string} a term and its value for each fact
 */
function facts(about) {
  return Object.entries(about)
    .filter(([name, value]) => name !== "link" && value !== null && value !== "")
    .map(([name, value]) => {
      if (name === "others") return /** @type {About[]} */ (value).map(facts).join("");
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`;
    })
    .join("");
}
