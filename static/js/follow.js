// A list beside what it lists: <ol data-follow="#place">, whose links load into that place by htmx. j and k open the row
// they come to, after a moment; until it is there the buttons of the one before take no keys.
let soon = 0;
const place = (row) => document.querySelector(row.closest("[data-follow]")?.dataset.follow || null);

export function follow(row) {
  const target = place(row);
  const link = row.querySelector("[data-row-link]");
  if (!target || (row.hasAttribute("aria-current") && target.ariaBusy !== "true")) return;
  target.setAttribute("aria-busy", "true");
  clearTimeout(soon);
  soon = setTimeout(() => link.click(), 90);
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const row = event.target.closest?.("[data-follow] [data-row]");
  if (row) place(row).setAttribute("aria-busy", "true");
});

document.addEventListener("htmx:afterSwap", (event) => {
  const { target, requestConfig } = event.detail;
  const row = requestConfig?.elt.closest("[data-follow] [data-row]");
  if (!row || target !== place(row)) return;
  target.removeAttribute("aria-busy");
  for (const other of document.querySelectorAll("[data-follow] [data-row][aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  document.title = target.querySelector("[data-title]")?.dataset.title || document.title;
  // Who pressed Enter or the mouse goes to what opened; who moves through the list stays in it.
  if (requestConfig.triggeringEvent?.isTrusted) target.querySelector("h1")?.focus();
});
