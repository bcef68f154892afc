// Toasts: 7 s for news; the clock stands still while the pointer or the focus is on it. Errors stay. One with Undo
// stays until the next act, whose note takes its place.
import { say } from "./words.js";
import { keepUndo } from "./undo.js";

const NEWS = 7000;
const region = document.getElementById("toasts");
const use = (name) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const inner = document.createElementNS("http://www.w3.org/2000/svg", "use");
  inner.setAttribute("href", `${document.body.dataset.icons}#${name}`);
  svg.append(inner);
  return svg;
};

function leave(toast) {
  toast.dataset.leaving = "";
  setTimeout(() => toast.remove(), 180);
}

function time(toast) {
  const form = toast.querySelector("form:has([data-undo])");
  if (form) keepUndo(form.getAttribute("action"));
  if (toast.classList.contains("error") || toast.querySelector("[data-undo]")) return;
  let left = NEWS;
  let since = 0;
  let timer = 0;
  const run = () => { since = Date.now(); timer = setTimeout(() => leave(toast), left); };
  const hold = () => { clearTimeout(timer); left = Math.max(2000, left - (Date.now() - since)); };
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("pointerleave", run);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("focusout", run);
  run();
}

function undoForm(url) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  const token = document.createElement("input");
  Object.assign(token, { type: "hidden", name: "csrfmiddlewaretoken", value: document.body.dataset.csrf || "" });
  const button = document.createElement("button");
  Object.assign(button, { type: "submit", className: "button small", textContent: say("Undo") });
  button.dataset.undo = "";
  button.setAttribute("aria-keyshortcuts", "z");
  form.append(token, button);
  // The list stays: what the act changed comes back in its place.
  form.setAttribute("hx-post", url);
  form.setAttribute("hx-swap", "none");
  form.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) leave(form.closest("[data-toast]")); });
  return form;
}

export function toast({ text, undo = "", level = "success" }) {
  const box = document.createElement("div");
  box.className = `toast ${level}`;
  box.dataset.toast = "";
  const words = document.createElement("p");
  words.textContent = text;
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "button quiet icon-only small" });
  close.dataset.toastClose = "";
  close.setAttribute("aria-label", say("Dismiss"));
  close.append(use("close"));
  for (const button of region.querySelectorAll("[data-undo]")) button.closest("[data-toast]").remove();
  box.append(use(level === "success" ? "done" : level === "info" ? "info" : "warning"), words);
  if (undo.startsWith("/")) box.append(undoForm(undo));
  box.append(close);
  region.append(box);
  window.htmx?.process(box);
  time(box);
}

document.addEventListener("click", (event) => {
  const close = event.target.closest("[data-toast-close]");
  if (close) leave(close.closest("[data-toast]"));
});
document.addEventListener("toast", (event) => toast(event.detail));
document.addEventListener("htmx:responseError", (event) => {
  const id = event.detail.xhr.getResponseHeader("X-Request-ID");
  toast({ level: "error", text: say(id ? "That did not work, and nothing was changed. Request {id}." : "That did not work, and nothing was changed.", { id }) });
});
document.addEventListener("htmx:sendError", () => {
  toast({ level: "error", text: say("The server cannot be reached. What you see is what was loaded before.") });
});
for (const box of region?.querySelectorAll("[data-toast]") ?? []) time(box);
