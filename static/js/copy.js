// [data-copy="selector"] copies that element's text; [data-copy-from="pre"] the one beside it.
import { say } from "./words.js";
async function put(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : button.parentElement.querySelector(button.dataset.copyFrom);
  if (!source || !(await put(source.textContent, source))) return;
  const label = button.querySelector("span") ?? button;
  const icon = button.querySelector("use");
  const [before, was] = [label.textContent, icon?.getAttribute("href")];
  label.textContent = say("Copied");
  icon?.setAttribute("href", was.replace(/#.*/, "#check"));
  setTimeout(() => { label.textContent = before; icon?.setAttribute("href", was); }, 2000);
});
