// A link with data-readers shows its sheet of readers beside it: on hover after a moment, and on focus by the keyboard.
// The sheet is fetched when it is asked for, and once a page. Esc closes it; the pointer may move into it.
import { say } from "./words.js";
const WAIT = 250, LEAVE = 200, GAP = 6;
const known = new Map();
let box = null, anchor = null, timer = 0;

function made() {
  if (box) return box;
  box = document.createElement("div");
  box.id = "readers-sheet";
  box.className = "readers-sheet";
  box.popover = "manual";
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", say("Who can read it"));
  box.tabIndex = -1;
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", later);
  document.body.append(box);
  return box;
}

function place(link) {
  const at = link.getBoundingClientRect(), wide = box.offsetWidth, high = box.offsetHeight;
  const below = at.bottom + GAP + high <= innerHeight || at.top < high + GAP;
  box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - wide - 8))}px`;
  box.style.top = `${Math.max(8, below ? Math.min(at.bottom + GAP, innerHeight - high - 8) : at.top - GAP - high)}px`;
}

async function show(link) {
  if (anchor === link || !link.isConnected) return;
  hide();
  anchor = link;
  let text = known.get(link.href);
  if (!text) {
    try {
      const answer = await fetch(link.href, { headers: { "HX-Request": "true" }, credentials: "same-origin", redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      text = await answer.text();
      known.set(link.href, text);
    } catch {
      if (anchor === link) anchor = null;
      return;
    }
  }
  if (anchor !== link) return;
  made().innerHTML = text;
  box.scrollTop = 0;
  box.showPopover();
  place(link);
  link.setAttribute("aria-describedby", box.id);
}

function hide() {
  clearTimeout(timer);
  anchor?.removeAttribute("aria-describedby");
  anchor = null;
  if (box?.matches(":popover-open")) box.hidePopover();
}

// After an act others may read it.
document.addEventListener("memory-saved", () => known.clear());

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => { if (document.activeElement !== anchor || !anchor?.matches(":focus-visible")) hide(); }, LEAVE);
}

const linkOf = (event) => event.target.closest?.("a[data-readers]");

if (HTMLElement.prototype.showPopover) {
  document.addEventListener("pointerover", (event) => {
    const link = event.pointerType === "mouse" && linkOf(event);
    if (!link) return;
    clearTimeout(timer);
    timer = setTimeout(() => show(link), WAIT);
  });
  document.addEventListener("pointerout", (event) => {
    const link = linkOf(event);
    if (link && !link.contains(event.relatedTarget)) later();
  });
  document.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link?.matches(":focus-visible")) show(link);
    else if (!box?.contains(event.target)) hide();
  });
  document.addEventListener("scroll", (event) => { if (box?.matches(":popover-open") && !box.contains(event.target)) hide(); }, { capture: true, passive: true });
  document.addEventListener("htmx:beforeSwap", hide);
  document.addEventListener("keydown", (event) => {
    if (!box?.matches(":popover-open")) return;
    // What is longer than it shows is scrolled by the keyboard: Tab goes into it, and Tab or Esc back to its link.
    const inside = box.contains(event.target);
    const enters = event.key === "Tab" && !event.shiftKey && event.target === anchor && box.scrollHeight > box.clientHeight;
    if (enters) box.focus();
    else if (event.key === "Escape" || (event.key === "Tab" && event.target === box)) { const link = anchor; if (inside) link.focus(); hide(); } else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}
