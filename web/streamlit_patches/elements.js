// Selectors of the parts of Streamlit's page that our components look for.
//
// Replaces: nothing. Streamlit names the parts of its page for tests only.
// Upstream: not reported.
// Delete it when Streamlit documents names for the parts of its page.

export const STREAMLIT = {
  block: '[data-testid="stMainBlockContainer"]',
  header: '[data-testid="stHeader"]',
  sidebar: '[data-testid="stSidebar"]',
  popover: '[data-testid="stPopoverBody"]',
  dialog: '[data-testid="stDialog"]',
  /** The parts with labels of Streamlit's own, beside words that are not. */
  labelled: [
    "stSelectbox",
    "stMultiSelect",
    "stNumberInput",
    "stSlider",
    "stCheckbox",
    "stHeaderActionElements",
    "stCode",
  ]
    .map((name) => `[data-testid="${name}"] :is(a, button, input, [role="group"])`)
    .join(),
  /** The parts with words of Streamlit's own. */
  worded:
    '[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stSkipToContent"], ' +
    '[data-testid="stMainMenuPopover"], [data-testid="stTooltipContent"], [data-key="__select_all__"]',
};
