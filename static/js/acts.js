// An act in a row or in the panel leaves the list where it is. The server answers with events:
// memory-saved {id}: the row is drawn anew; memory-gone {id}: it leaves the list; memory-back {id}: it comes back.
// Focus goes on to the next row. What a page says of all of it is drawn anew where it is marked: <... id data-fresh>.
import { closePanel, isOpen, opensHere, refreshPanel, show, shownRow } from "./panel.js";

const gone = new Map();
const rowOf = (id) => document.querySelector(`[data-row][data-id="${CSS.escape(id)}"]`);
const rows = () => [...document.querySelectorAll("[data-list] [data-row]")];
const beside = (row) => {
  const all = isOpen() ? rows().filter(opensHere) : rows();
  const at = all.indexOf(row);
  return all[at + 1] ?? all[at - 1] ?? null;
};

function focus(row) {
  for (const other of document.querySelectorAll("[data-row].is-focused")) other.classList.remove("is-focused");
  row?.classList.add("is-focused");
  row?.querySelector("[data-row-link]")?.focus({ preventScroll: true });
}

async function fetched(url) {
  const answer = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
  return answer.ok ? answer.text() : "";
}

async function refreshNumbers() {
  const marked = [...document.querySelectorAll("[data-fresh][id]")];
  const html = marked.length ? await fetched(location.href) : "";
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const one of marked) {
    const now = page.getElementById(one.id);
    if (now) one.replaceWith(document.importNode(now, true));
  }
}

async function redraw(row) {
  if (!row?.dataset.rowUrl) return row;
  const holder = document.createElement("template");
  holder.innerHTML = (await fetched(row.dataset.rowUrl)).trim();
  const fresh = holder.content.querySelector("[data-row]");
  if (!fresh || !row.isConnected) return row;
  for (const name of ["aria-current"]) if (row.hasAttribute(name)) fresh.setAttribute(name, row.getAttribute(name));
  if (row.classList.contains("is-focused")) fresh.classList.add("is-focused");
  const held = row.contains(document.activeElement);
  row.replaceWith(fresh);
  window.htmx.process(fresh);
  if (held) focus(fresh);
  return fresh;
}

document.addEventListener("memory-saved", async (event) => {
  const row = rowOf(event.detail.id);
  if (isOpen()) await refreshPanel();
  const fresh = await redraw(row);
  focus(fresh && beside(fresh));
  refreshNumbers();
});

document.addEventListener("memory-gone", (event) => {
  const row = rowOf(event.detail.id);
  const shown = isOpen() && (!row || row === shownRow());
  const next = row && beside(row);
  if (row) {
    gone.set(event.detail.id, { row, before: row.nextElementSibling, list: row.parentElement });
    row.remove();
  }
  if (shown && next && opensHere(next)) show(next);
  else if (shown) closePanel();
  focus(next);
  refreshNumbers();
});

document.addEventListener("memory-back", async (event) => {
  const was = gone.get(event.detail.id);
  gone.delete(event.detail.id);
  if (was?.list.isConnected) {
    was.list.insertBefore(was.row, was.before?.isConnected ? was.before : null);
    focus(was.row);
    if (isOpen()) show(was.row);
  }
  const fresh = await redraw(rowOf(event.detail.id));
  if (!isOpen()) focus(fresh);
  refreshNumbers();
});
