// Single keys. Any control takes one by data-key="e"; rows are [data-row] in a [data-list].
// j k move (with the panel open they show the next memory in it), Enter opens (the link is focused), x selects,
// z takes the last act back, ? shows the list. In a list with data-follow the row that is moved to opens beside it.
// The cookie keys=off switches these off.
import { openDialog } from "./dialog.js";
import { follow } from "./follow.js";
import { isOpen, opensHere, show, shownRow } from "./panel.js";
import { read, write } from "./settings.js";
import { undoLast } from "./undo.js";

const toggle = document.querySelector("[data-keys-toggle]");
const off = () => read("keys") === "off";

if (toggle) {
  toggle.checked = !off();
  toggle.addEventListener("change", () => write("keys", toggle.checked ? "" : "off"));
}

const typing = (target) => target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])");
const visible = (element) => element.checkVisibility?.() ?? element.offsetParent !== null;
const rows = () => [...document.querySelectorAll("[data-list] [data-row]")].filter(visible);
const current = () => document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row].is-focused, [data-follow] [data-row][aria-current]");

function focusRow(row) {
  for (const other of document.querySelectorAll("[data-row].is-focused")) other.classList.remove("is-focused");
  row.classList.add("is-focused");
  row.querySelector("[data-row-link]")?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  follow(row);
}

function move(step) {
  const all = rows();
  if (!all.length) return false;
  if (isOpen()) {
    const here = all.filter(opensHere);
    const next = here[here.indexOf(shownRow()) + step];
    if (next) { next.scrollIntoView({ block: "nearest" }); show(next); }
    return true;
  }
  const at = all.indexOf(current());
  focusRow(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))]);
  return true;
}

function press(key) {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const inPanel = isOpen() ? document.querySelector(`#panel ${selector}`) : null;
  const control = inPanel ?? current()?.querySelector(selector) ?? [...document.querySelectorAll(selector)].find((one) => !one.closest("[data-row], [aria-busy=true]") && visible(one));
  if (!control) return false;
  if (control.matches("input, textarea")) { control.focus(); control.select?.(); } else {
    // What has just come into the panel is htmx's a moment later; a form that is sent before would leave the page.
    window.htmx?.process(inPanel?.form ?? control);
    control.click();
  }
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && event.target.matches?.("input[type=search]")) { event.target.blur(); return; }
  if (off() || typing(event.target) || document.querySelector("dialog[open]") || event.key.length !== 1) return;
  // A key that is held down moves on; it never decides again.
  if (event.repeat && !"jk".includes(event.key)) return;
  let done = false;
  if (event.key === "?") done = Boolean(openDialog("shortcuts"));
  else if (event.key === "j" || event.key === "k") done = move(event.key === "j" ? 1 : -1) || press(event.key);
  else if (event.key === "z") done = undoLast();
  else if (event.key === "x") { const box = current()?.querySelector("[data-row-check]"); if (box) { box.click(); done = true; } }
  else done = press(event.key);
  if (done) event.preventDefault();
});

document.addEventListener("focusin", (event) => {
  const row = event.target.closest("[data-row]");
  if (row) return;
  for (const other of document.querySelectorAll("[data-row].is-focused")) other.classList.remove("is-focused");
});

if (/Mac|iPhone|iPad/.test(navigator.platform)) for (const cap of document.querySelectorAll("[data-mod-key]")) cap.textContent = "⌘ K";
