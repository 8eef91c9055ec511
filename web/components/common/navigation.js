// Navigation to another view without a reload. It adds an entry to the browser's history; Streamlit
// reacts as to Back and Forward.

/** @returns {string} the path below which a proxy serves the pages, as in "/user/ann"; mostly "" */
export function rootPath() {
  const { pathname } = window.location;
  return pathname.slice(0, pathname.lastIndexOf("/"));
}

/** @param {string} link relative to the application's root, as in "/layers?part=profile" */
export function goTo(link) {
  window.history.pushState(null, "", `${rootPath()}${link}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/** @param {string} place in the course @returns {string} link to the current view at that place */
export function hereAt(place) {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams(search);
  parameters.set("lesson", place);
  return `${pathname.slice(pathname.lastIndexOf("/"))}?${parameters}`;
}
