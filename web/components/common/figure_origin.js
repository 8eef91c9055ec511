/** @returns {Map<string, About>} origin of the numbers of each figure, by the key of its chart */
export function aboutFigures() {
  return (window.headlightAbout ??= new Map());
}
