// ESLint's own recommendations, and a few rules of this house.

import js from "@eslint/js";
import globals from "globals";

const HTML = "What a user typed only ever becomes textContent.";

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["web/{components,streamlit_patches}/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc"].map((property) => ({
          property,
          message: HTML,
        })),
      ],
      "no-eval": "error",
      "no-implied-eval": "error",
    },
  },
  { files: ["tests/js/**"], languageOptions: { globals: globals.nodeBuiltin } },
];
