// The page's address carries its view; this takes it along.

/**
 * @param {HTMLButtonElement} button says that it was done, for a moment
 * @param {{ copy: string, copied: string }} strings
 */
export async function copyLink(button, strings) {
  const link = window.location.href;
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
