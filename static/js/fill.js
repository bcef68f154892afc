// A button with data-fill="#field" puts its data-text into that field; the field stays to be changed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill]");
  const field = button && document.querySelector(button.dataset.fill);
  if (!field) return;
  field.value = button.dataset.text;
  field.focus();
});
