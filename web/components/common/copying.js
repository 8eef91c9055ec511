// Copying the page's URL, which contains its view.

/** The URL of the page, not presented. @param {string} origin for others; "" for this page's */
export function linkForOthers(origin) {
  const { pathname, search } = window.location;
  const link = new URL(pathname + search, origin || window.location.origin);
  link.searchParams.delete("present");
  return link.href;
}

/** @type {(link: string, button: HTMLElement, strings: Record<string, string>) => void} */
export async function copyLink(link, button, strings) {
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    // Browsers offer the clipboard only on https and localhost, and a classroom often has neither.
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
