// Ctrl/Cmd-K: every [data-command] of the page, the themes, and a search for what was typed.
import { setTheme } from "./theme.js";

const palette = document.getElementById("palette");
const input = palette?.querySelector("input");
const list = palette?.querySelector("[role=listbox]");
let shown = [];
let at = 0;

function commands() {
  const found = new Map();
  for (const element of document.querySelectorAll("[data-command]")) {
    if (!found.has(element.dataset.command)) found.set(element.dataset.command, { label: element.dataset.command, icon: element.dataset.commandIcon || "arrow-right", hint: element.href ? "Go" : "", run: () => element.click() });
  }
  for (const [theme, icon] of [["system", "system"], ["light", "sun"], ["dark", "moon"]]) {
    found.set(`theme ${theme}`, { label: `Theme: ${theme}`, icon, hint: "", run: () => setTheme(theme) });
  }
  return [...found.values()];
}

function matches(label, words) {
  const text = label.toLowerCase();
  return words.every((word) => text.includes(word));
}

function row(command, index) {
  const option = document.createElement("div");
  option.id = `palette-${index}`;
  option.setAttribute("role", "option");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${document.body.dataset.icons}#${command.icon}`);
  svg.append(use);
  const label = document.createElement("span");
  label.className = "grow";
  label.textContent = command.label;
  option.append(svg, label);
  option.addEventListener("pointermove", () => choose(index));
  option.addEventListener("click", run);
  return option;
}

function choose(index) {
  at = Math.max(0, Math.min(shown.length - 1, index));
  [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", shown.length ? `palette-${at}` : "");
}

function draw() {
  const text = input.value.trim();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = commands().filter((command) => matches(command.label, words));
  if (text) {
    const url = new URL(palette.dataset.searchUrl, location.href);
    url.searchParams.set("q", text);
    shown.push({ label: `Search memories for “${text}”`, icon: "search", run: () => location.assign(url) });
  }
  list.replaceChildren(...shown.map(row));
  choose(0);
}

function run() {
  palette.close();
  shown[at]?.run();
}

function open() {
  if (!palette || palette.open || document.querySelector("dialog[open]")) return;
  input.value = "";
  draw();
  palette.showModal();
}

if (palette) {
  input.addEventListener("input", draw);
  palette.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(at + 1);
    else if (event.key === "ArrowUp") choose(at - 1);
    else if (event.key === "Enter") run();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (event.target.closest("[data-palette]")) open(); });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); open(); }
  });
}
