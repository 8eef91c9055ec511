// Text whose addresses become links. The text is a stranger's: it only ever becomes textContent, and
// no other scheme than https is a link.

const ADDRESS = /(https:\/\/[^\s;]*[^\s;.,)])/;

/** @param {string} text @returns {(string | Node)[]} */
export function linked(text) {
  return text.split(ADDRESS).map((part, index) => (index % 2 ? link(part) : part));
}

/** @param {string} address @returns {string | Node} the text itself if it is no valid address */
function link(address) {
  const url = URL.canParse(address) && new URL(address);
  if (!url || url.username || url.password) return address; // a name before the host misleads
  const made = document.createElement("a");
  Object.assign(made, { href: url.href, target: "_blank", rel: "noopener noreferrer" });
  made.textContent = url.href.slice("https://".length); // the host as the browser opens it
  return made;
}
