// Ctrl/Cmd-K: pages, acts, and what the site finds by a few letters; what is used often comes first.
// How often is kept in this browser alone, by address: no text, and nothing that the server notes.
import { say } from "./words.js";
import { setTheme } from "./theme.js";

const FEWEST = 2;
const WAIT = 150;
const MOST_USES = 200;

const palette = document.getElementById("palette");
const input = palette?.querySelector("input");
const list = palette?.querySelector("[role=listbox]");
const status = document.getElementById("palette-status");
let shown = [];
let at = 0;
let found = [];
let foundFor = "";
let timer;
let asking;

function commands() {
  const all = new Map();
  for (const element of document.querySelectorAll("[data-command]")) {
    const label = element.dataset.command;
    if (!all.has(label)) all.set(label, { key: element.getAttribute("href") || label, label, icon: element.dataset.commandIcon || "arrow-right", kind: element.href ? say("Page") : "", run: () => element.click() });
  }
  for (const [theme, icon] of [["system", "system"], ["light", "sun"], ["dark", "moon"]]) {
    all.set(`theme ${theme}`, { key: `theme ${theme}`, label: say(`Theme: ${theme}`), icon, kind: "", run: () => setTheme(theme) });
  }
  return [...all.values()];
}

function uses() {
  try {
    const kept = JSON.parse(localStorage.getItem(palette.dataset.uses) || "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

function note(key) {
  if (!palette.dataset.uses || !key) return;
  const kept = Object.entries({ ...uses(), [key]: (Number(uses()[key]) || 0) + 1 });
  kept.sort((a, b) => b[1] - a[1]);
  try {
    localStorage.setItem(palette.dataset.uses, JSON.stringify(Object.fromEntries(kept.slice(0, MOST_USES))));
  } catch { /* A full or closed store: then nothing is ranked. */ }
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
  if (command.kind) {
    const kind = document.createElement("span");
    kind.className = "note";
    kind.textContent = command.kind;
    option.append(kind);
  }
  option.addEventListener("pointermove", () => choose(index));
  option.addEventListener("click", run);
  return option;
}

function choose(index) {
  at = Math.max(0, Math.min(shown.length - 1, index));
  [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-expanded", String(shown.length > 0));
  if (shown.length) input.setAttribute("aria-activedescendant", `palette-${at}`);
  else input.removeAttribute("aria-activedescendant");
}

function draw() {
  const text = input.value.trim();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const often = uses();
  const count = (one) => Number(often[one.key]) || 0;
  const here = commands().filter((command) => matches(command.label, words));
  const there = text.length >= FEWEST && foundFor === text ? found : [];
  // A stable sort: what was never used keeps its order, pages before what was found.
  shown = [...here, ...there].sort((a, b) => count(b) - count(a));
  if (text) {
    const url = new URL(palette.dataset.searchUrl, location.href);
    url.searchParams.set("q", text);
    shown.push({ label: say("Search memories for “{text}”", { text }), icon: "search", run: () => location.assign(url) });
  }
  list.replaceChildren(...shown.map(row));
  choose(0);
  status.textContent = say("{count} found", { count: shown.length });
}

async function ask() {
  const text = input.value.trim();
  asking?.abort();
  if (!palette.dataset.findUrl || text.length < FEWEST) return;
  asking = new AbortController();
  const url = new URL(palette.dataset.findUrl, location.href);
  url.searchParams.set("q", text);
  try {
    const answer = await fetch(url, { signal: asking.signal, headers: { Accept: "application/json" }, redirect: "error" });
    if (!answer.ok) return;
    const told = (await answer.json()).found;
    if (input.value.trim() !== text) return;
    found = told.filter((one) => /^\/(?!\/)/.test(one.url)).map((one) => ({ ...one, key: one.url, run: () => location.assign(one.url) }));
    foundFor = text;
    const kept = shown[at]?.key;
    draw();
    // What was chosen meanwhile with the arrows stays chosen.
    const again = shown.findIndex((one) => one.key && one.key === kept);
    if (again > 0 && moved) choose(again);
  } catch { /* Left, or typed on: the pages and the search are there. */ }
}

let moved = false;

function typed() {
  moved = false;
  draw();
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
}

function run() {
  const chosen = shown[at];
  palette.close();
  note(chosen?.key);
  chosen?.run();
}

function open() {
  if (!palette || palette.open || document.querySelector("dialog[open]")) return;
  input.value = "";
  moved = false;
  draw();
  palette.showModal();
}

if (palette) {
  input.addEventListener("input", typed);
  palette.addEventListener("close", () => { asking?.abort(); clearTimeout(timer); });
  palette.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { moved = true; choose(at + (event.key === "ArrowDown" ? 1 : -1)); }
    else if (event.key === "Enter") run();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (event.target.closest("[data-palette]")) open(); });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); open(); }
  });
}
