// The side panel: a link with data-panel loads into #panel-body (by htmx) and opens it; Esc closes it, focus goes back.
const panel = document.getElementById("panel");
let origin = null;

export function closePanel() {
  if (!panel?.hasAttribute("data-open")) return false;
  panel.removeAttribute("data-open");
  for (const row of document.querySelectorAll("[data-row][aria-current]")) row.removeAttribute("aria-current");
  origin?.isConnected && origin.focus();
  origin = null;
  return true;
}

function openPanel(link) {
  origin = link;
  for (const row of document.querySelectorAll("[data-row][aria-current]")) row.removeAttribute("aria-current");
  link.closest("[data-row]")?.setAttribute("aria-current", "true");
  panel.querySelector("[data-panel-open]").href = link.href;
  panel.setAttribute("data-open", "");
  panel.querySelector(".panel-body").scrollTop = 0;
  panel.focus({ preventScroll: true });
}

if (panel) {
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "panel-body") return;
    const link = event.detail.requestConfig?.elt.closest("[data-panel]");
    if (link) openPanel(link);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-panel-close]")) closePanel();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]") && closePanel()) event.preventDefault();
  });
}
