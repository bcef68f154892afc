// Theme (system, light, dark) and row height (compact, comfortable).
import { read, write } from "./settings.js";

const root = document.documentElement;

function mark(attribute, chosen) {
  for (const button of document.querySelectorAll(`[${attribute}]`)) {
    button.setAttribute("aria-pressed", String(button.getAttribute(attribute) === chosen));
  }
}

export function setTheme(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  write("theme", theme === "system" ? "" : theme);
  mark("data-theme-set", theme);
}

export function setDensity(density) {
  if (density === "compact") delete root.dataset.density;
  else root.dataset.density = density;
  write("density", density === "compact" ? "" : density);
  mark("data-density-set", density);
}

document.addEventListener("click", (event) => {
  const theme = event.target.closest("[data-theme-set]");
  if (theme) setTheme(theme.dataset.themeSet);
  const density = event.target.closest("[data-density-set]");
  if (density) setDensity(density.dataset.densitySet);
});

mark("data-theme-set", read("theme") || "system");
mark("data-density-set", read("density") || "compact");
