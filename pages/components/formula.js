// Formulas arrive as MathML. It is parsed as XML, which never runs a script.

function formula(mathml) {
  const parsed = new DOMParser().parseFromString(mathml, "application/xml");
  return document.importNode(parsed.documentElement, true);
}
