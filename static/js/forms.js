// Ctrl+Enter sends the form that is typed in, and Esc leaves it; a form is sent once, however often a key is pressed.
// What is sent is the form's main button, or the only one it has; of several that destroy none. Esc follows the link
// beside it ([data-leave] or the last one there); what was typed is kept until Esc is pressed twice.
import { say } from "./words.js";
import { toast } from "./toast.js";

const visible = (element) => element.checkVisibility?.() ?? element.offsetParent !== null;
export const typed = (form) => [...form.elements].some((one) => one.type !== "hidden" && ("defaultChecked" in one && /radio|checkbox/.test(one.type) ? one.checked !== one.defaultChecked : "defaultValue" in one && one.value !== one.defaultValue));
let warned = null;

function sender(form) {
  const buttons = [...form.elements].filter((one) => one.type === "submit" && !one.disabled && !one.hasAttribute("formaction") && visible(one));
  return buttons.find((one) => one.classList.contains("primary")) ?? (buttons.length === 1 ? buttons[0] : null);
}

function leave(form) {
  const link = form.querySelector("a[data-leave]") ?? [...form.querySelectorAll(".form-actions a[href], .dialog-foot a[href]")].pop();
  if (typed(form) && warned !== form) {
    warned = form;
    document.activeElement.blur();
    if (link) toast({ level: "info", text: say("Press Esc again to leave without what you typed.") });
    return;
  }
  warned = null;
  document.activeElement.blur();
  link?.click();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  const form = event.target.form ?? (event.key === "Escape" && warned?.isConnected ? warned : null);
  // A dialog and the panel close by Esc themselves.
  if (!form || (event.key === "Escape" && event.target.closest("dialog, #panel"))) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const button = sender(form);
    if (!button) return;
    event.preventDefault();
    form.requestSubmit(button);
  } else if (event.key === "Escape" && !event.target.matches("input[type=search], button")) {
    event.preventDefault();
    leave(form);
  }
});

document.addEventListener("input", () => { warned = null; });

// A second press while the answer is on its way would decide twice.
let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (sent.has(form)) { event.preventDefault(); return; }
  sent.add(form);
  setTimeout(() => sent.delete(form), 4000);
});
addEventListener("pageshow", () => { sent = new WeakSet(); });
