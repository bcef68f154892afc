// Selected rows: the count in the bulk bar, and "Select none". Shift-click selects a range.
let last = null;

function count(form) {
  const chosen = form.querySelectorAll("[data-row-check]:checked").length;
  for (const label of form.querySelectorAll("[data-selected-count]")) label.textContent = `${chosen} selected`;
}

document.addEventListener("click", (event) => {
  const none = event.target.closest("[data-select-none]");
  if (none) {
    for (const box of none.form.querySelectorAll("[data-row-check]:checked")) box.checked = false;
    count(none.form);
  }
  const box = event.target.closest("[data-row-check]");
  if (!box) return;
  if (event.shiftKey && last?.form === box.form) {
    const boxes = [...box.form.querySelectorAll("[data-row-check]")];
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
    for (const other of boxes.slice(from, to + 1)) other.checked = box.checked;
  }
  last = box;
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-row-check]") && event.target.form) count(event.target.form);
});
