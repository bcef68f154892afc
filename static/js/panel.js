// The side panel: a link with data-panel loads into #panel-body (by htmx) and opens it. It lies over the page.
// It has an address: where the list says so (data-opens) the list's own with ?open=<id>, else the memory's.
// Back, Esc and the cross close it and focus goes back to the row; j and k (keys.js) show the next memory in it.
// What is typed in it stays until leaving is asked for twice; Cancel leaves at once.
import { say } from "./words.js";
import { typed } from "./forms.js";
import { toast } from "./toast.js";

const panel = document.getElementById("panel");
const bare = (address) => {
  const url = new URL(address, location.href);
  url.searchParams.delete("open");
  url.hash = "";
  return url.href;
};
let home = bare(panel?.dataset.home ?? location.href);
let origin = null;
let warned = null;
let sending = false;

// Whether something typed in the panel would be lost: then it is said once, and the second time it goes.
function keepsTyped(how) {
  const form = [...panel.querySelectorAll("form")].find(typed);
  if (!form || warned === form) { warned = null; return false; }
  warned = form;
  toast({ level: "info", text: say(`${how} again to leave without what you typed.`) });
  return true;
}

export const isOpen = () => Boolean(panel?.hasAttribute("data-open"));
export const shownRow = () => document.querySelector("[data-row][aria-current]");

function mark(row) {
  for (const other of document.querySelectorAll("[data-row][aria-current]")) other.removeAttribute("aria-current");
  row?.setAttribute("aria-current", "true");
}

function hide() {
  if (!isOpen()) return;
  panel.removeAttribute("data-open");
  const link = shownRow()?.querySelector("[data-row-link]") ?? origin;
  mark(null);
  if (link?.isConnected) link.focus({ preventScroll: true });
  origin = null;
}

// Closing is a step back where opening was a step; an address that came with the panel loses it.
export function closePanel() {
  if (!isOpen()) return false;
  if (history.state?.panel) history.back();
  else if (location.href !== home && bare(location.href) === home) history.replaceState(history.state, "", home);
  hide();
  return true;
}

function address(link) {
  const row = link.closest("[data-row]");
  if (!row?.dataset.id || !row.closest("[data-opens]")) return link.href;
  const url = new URL(home);
  url.searchParams.set("open", row.dataset.id);
  return url.href;
}

function openPanel(link) {
  const row = link.closest("[data-row]");
  const main = row?.querySelector("[data-row-link]");
  const step = isOpen() ? "replaceState" : "pushState";
  // A link of the panel itself (Edit, Cancel) shows another side of the same memory.
  if (row) {
    if (!isOpen()) home = bare(location.href);
    history[step]({ htmx: true, panel: main.href, home }, "", address(main));
    panel.querySelector("[data-panel-open]").href = main.href;
    origin = link;
    mark(row);
  }
  panel.setAttribute("data-open", "");
  panel.querySelector(".panel-body").scrollTop = 0;
  (panel.querySelector(".form :is(textarea, input:not([type=hidden]))") ?? panel).focus({ preventScroll: true });
}

// A conversation is a page of its own: with the panel open its line is passed over.
export const opensHere = (row) => Boolean(row?.querySelector("[data-row-link][data-panel]"));

// Shows the memory of a row in the panel; focus stays where it is until it is there.
export function show(row) {
  row?.querySelector("[data-row-link]")?.click();
}

export function refreshPanel() {
  const url = panel.querySelector("[data-panel-open]").href;
  return window.htmx.ajax("GET", url, { target: "#panel-body", swap: "innerHTML" });
}

if (panel) {
  if (isOpen()) {
    const id = new URL(location.href).searchParams.get("open");
    mark(id && document.querySelector(`[data-row][data-id="${CSS.escape(id)}"]`));
  }
  document.addEventListener("htmx:afterSwap", (event) => {
    sending = false;
    if (event.detail.target?.id !== "panel-body") return;
    const link = event.detail.requestConfig?.elt.closest("[data-panel]");
    if (link) openPanel(link);
  });
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, () => { home = bare(location.href); });
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-panel-close]")) return;
    event.preventDefault();
    if (!keepsTyped("Press it")) closePanel();
  });
  // Another memory would come into the place of what is typed.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, target } = event.detail;
    const opens = target?.id === "panel-body" && elt.closest("[data-panel]") && !panel.contains(elt);
    if (opens && keepsTyped("Open it")) event.preventDefault();
  });
  document.addEventListener("submit", () => { sending = true; });
  addEventListener("beforeunload", (event) => {
    if (!sending && isOpen() && [...panel.querySelectorAll("form")].some(typed)) event.preventDefault();
  });
  panel.addEventListener("input", () => { warned = null; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const cancel = panel.querySelector("[data-panel-cancel]");
    if (isOpen() && keepsTyped("Press Esc")) { document.activeElement.blur(); event.preventDefault(); return; }
    // What has just been swapped in is htmx's a moment later; a click before would leave the page.
    if (isOpen() && cancel) { window.htmx?.process(cancel); cancel.click(); }
    else if (!closePanel()) return;
    event.preventDefault();
  });
  // Before htmx, which would load the page anew.
  window.addEventListener("popstate", (event) => {
    const there = event.state?.panel;
    if (there && event.state.home === home) {
      const row = [...document.querySelectorAll("[data-row]")].find((one) => one.querySelector("[data-row-link]")?.href === there);
      panel.querySelector("[data-panel-open]").href = there;
      panel.setAttribute("data-open", "");
      mark(row);
      refreshPanel();
    } else if (bare(location.href) === home && !new URL(location.href).searchParams.has("open")) hide();
    else return;
    event.stopImmediatePropagation();
  }, { capture: true });
}
