// Runs in the page's head, before anything is painted.
const scriptLost = ({ target }) => {
  if (target.type !== "module") return;
  removeEventListener("error", scriptLost, true);
  document.getElementById("root").textContent =
    "Headlight's scripts cannot be loaded from this address. Reload the page. If a proxy serves it " +
    "below a path, the path must end with / and the server may need --base-path (docs/install.md).";
};
addEventListener("error", scriptLost, true);
// Reconnect.js reloads the page, also if its own script arrives only after the error.
for (const type of ["vite:preloadError", "headlight-script-error"])
  addEventListener(type, () => (window.headlightScriptLost = true));
// A term of the glossary shows its sentence and leads nowhere.
const termAt = ({ target }) => target.closest?.('a[href="#term"]');
addEventListener("click", (event) => termAt(event) && event.preventDefault());
// page.css shows the description at once; the browser would show a title late, and not on a tap.
for (const type of ["pointerover", "focusin"])
  addEventListener(type, (event) => {
    const term = termAt(event);
    if (!term?.title) return;
    term.ariaDescription = term.title;
    term.removeAttribute("title");
  });
try {
  // On a phone, Streamlit would open the menu of pages again, over the page.
  if (matchMedia("(max-width: 768px)").matches)
    for (const key of Object.keys(localStorage))
      if (key.startsWith("stSidebarCollapsed")) localStorage.removeItem(key);
} catch {}
