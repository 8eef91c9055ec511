// The page's address carries its view; this takes it along.

/**
 * The page's address as others can open it. A class that is handed a link wants its own screens:
 * the link to a projector's page leads to the page.
 *
 * @param {string} origin scheme, name and port under which others find the server; "" for what the
 *   address bar says
 */
export function linkForOthers(origin) {
  const { pathname, search } = window.location;
  const link = new URL(pathname + search, origin || window.location.origin);
  link.searchParams.delete("present");
  return link.href;
}

/**
 * @param {string} link
 * @param {HTMLButtonElement} button says that it was done, for a moment
 * @param {{ copy: string, copied: string }} strings
 */
export async function copyLink(link, button, strings) {
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    // Browsers offer the clipboard on https and localhost only; a classroom is neither.
    const field = document.createElement("textarea");
    field.value = link;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  button.textContent = strings.copied;
  setTimeout(() => (button.textContent = strings.copy), 1500);
}
