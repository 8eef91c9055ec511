// The header's choice of a language. It loads the page again: its URL has the view.

/** @typedef {{ language: string, languages: Record<string, string>, cookie: string, choose: string }} Languages */

const YEAR = 365 * 24 * 3600; // seconds

/** @param {HTMLSelectElement} select @param {Languages} data */
export function drawLanguages(select, { language, languages, cookie, choose }) {
  document.documentElement.lang = language; // Chinese and Japanese share characters, not their forms
  Object.assign(select, { title: choose, ariaLabel: choose });
  const names = Object.entries(languages);
  select.replaceChildren(...names.map(([code, name]) => new Option(name, code)));
  select.value = language;
  select.onchange = () => {
    document.cookie = `${cookie}=${select.value}; path=/; max-age=${YEAR}; samesite=lax`;
    const address = new URL(window.location.href);
    address.searchParams.delete("lang"); // it would come before the choice
    window.location.replace(address);
  };
}
