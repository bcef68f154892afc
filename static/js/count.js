// Counts the characters of a field as they are typed: <span data-count-of="#field"> and the field's data-count-to.
// What is over the limit is said before anything is sent. Lines end by one character, as the server counts.
const show = (field) => {
  const span = document.querySelector(`[data-count-of="#${CSS.escape(field.id)}"]`);
  if (!span) return;
  const length = [...field.value].length;
  const over = length - Number(field.dataset.countTo);
  span.textContent = length.toLocaleString("en");
  span.parentElement.classList.toggle("is-over", over > 0);
  span.parentElement.dataset.over = over > 0 ? `, ${over.toLocaleString("en")} too many` : "";
};
for (const field of document.querySelectorAll("[data-count-to]")) {
  show(field);
  field.addEventListener("input", () => show(field));
}
