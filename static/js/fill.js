// A button with data-fill="#field" puts its data-text into that field; the field stays to be changed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill]");
  const field = button && document.querySelector(button.dataset.fill);
  if (!field) return;
  field.value = button.dataset.text;
  field.focus();
});

// A choice with data-fill-empty="#field" fills it as well, as long as it holds nothing but what a choice has put there.
let filled = "";
document.addEventListener("change", (event) => {
  const choice = event.target.closest?.("[data-fill-empty]");
  const field = choice && document.querySelector(choice.dataset.fillEmpty);
  if (!field || (field.value.trim() && field.value !== filled)) return;
  field.value = choice.dataset.text;
  filled = field.value;
});
