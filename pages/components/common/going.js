// Going to another view of the product, as one step of the browser's history and without loading it
// anew: Streamlit answers as it does to the browser's own Back and Forward.

/** @param {string} link from the product's root on, "/layers?part=profile" */
export function goTo(link) {
  const { pathname } = window.location;
  const root = pathname.slice(0, pathname.lastIndexOf("/"));
  window.history.pushState(null, "", `${root}${link}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * The present view, at another place of the course.
 *
 * @param {string} place
 * @returns {string}
 */
export function hereAt(place) {
  const { pathname, search } = window.location;
  const said = new URLSearchParams(search);
  said.set("lesson", place);
  return `${pathname.slice(pathname.lastIndexOf("/"))}?${said}`;
}
