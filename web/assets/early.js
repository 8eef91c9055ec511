// Runs in the page's head, before anything is painted.
const scriptLost = ({ target }) => {
  if (target.type !== "module") return;
  removeEventListener("error", scriptLost, true);
  document.getElementById("root").textContent =
    "Headlight's scripts cannot be loaded from this address. Reload the page. If a proxy serves it " +
    "below a path, the path must end with / and the server may need --base-path (docs/install.md).";
};
addEventListener("error", scriptLost, true);
// A term of the glossary shows its sentence and leads nowhere.
addEventListener("click", (event) => {
  if (event.target.closest?.('a[href="#term"]')) event.preventDefault();
});
try {
  // On a phone, Streamlit would open the menu of pages again, over the page.
  if (matchMedia("(max-width: 768px)").matches)
    for (const key of Object.keys(localStorage))
      if (key.startsWith("stSidebarCollapsed")) localStorage.removeItem(key);
} catch {}
