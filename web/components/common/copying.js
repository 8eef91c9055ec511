// Copying the page's URL, which contains its view.

/** The URL of the page, not presented. @param {string} origin for others; "" for this page's */
export function linkForOthers(origin) {
  const { pathname, search } = window.location;
  const link = new URL(pathname + search, origin || window.location.origin);
  link.searchParams.delete("present");
  return link.href;
}

/** @param {string} link @param {HTMLElement} button that has the focus afterwards */
export async function copyLink(link, button) {
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
}
