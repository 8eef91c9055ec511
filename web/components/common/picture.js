// Pictures of figures for the report: `files` asks for one, and the component with its key answers.

/**
 * @param {HTMLElement} root of the component
 * @param {(about: About) => Picture | Promise<Picture>} picture
 * @param {AbortSignal} signal
 */
export function onPicture(root, picture, signal) {
  const asked = async (/** @type {CustomEvent<PictureRequest>} */ { detail }) => {
    const place = root.getRootNode();
    const element = place instanceof ShadowRoot ? place.host : root;
    if (element.closest(`.st-key-${detail.figure}`))
      pin({ about: detail.about, ...(await picture(detail.about)) });
  };
  window.addEventListener("headlight-picture", asked, { signal });
}

/** @returns {Map<string, About>} where the numbers of a figure come from, by its key */
export function aboutFigures() {
  return (window.headlightAbout ??= new Map());
}

/**
 * Add a figure to the report of this browser; see components/report.
 *
 * @param {Picture} figure
 */
export function pin(figure) {
  window.dispatchEvent(new CustomEvent("headlight-pin", { detail: figure }));
}
