// Which columns a list of memories has: seen at once, and kept by the browser as the cookie "columns".
import { write } from "./settings.js";

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-columns]");
  if (!form) return;
  const boxes = [...form.querySelectorAll("[name=column]")];
  for (const table of document.querySelectorAll("table.lines")) {
    for (const box of boxes) table.classList.toggle(`without-${box.value}`, !box.checked);
  }
  const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
  write("columns", chosen.join(".") || "none");
});
