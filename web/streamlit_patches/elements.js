// Selectors of the parts of Streamlit's page that our components look for.
//
// Replaces: nothing. Streamlit names the parts of its page for tests only.
// Upstream: not reported.
// Delete it when Streamlit documents names for the parts of its page.

export const STREAMLIT = {
  main: '[data-testid="stMain"]',
  block: '[data-testid="stMainBlockContainer"]',
  column: '[data-testid="stColumn"]',
  header: '[data-testid="stHeader"]',
  sidebar: '[data-testid="stSidebar"]',
  popover: '[data-testid="stPopoverBody"]',
  dialog: '[data-testid="stDialog"]',
  table: '[data-testid="stDataFrame"]',
};
