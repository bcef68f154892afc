// [data-dialog="id"] opens <dialog id>; [data-close] and a click beside it close it. Focus goes back by itself.
// An input with data-confirm="word" keeps the form's submit button off until the word is typed.
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return null;
  for (const input of dialog.querySelectorAll("[data-confirm]")) check(input);
  dialog.showModal();
  return dialog;
}

function check(input) {
  const submit = input.form?.querySelector("[type=submit]");
  if (submit) submit.disabled = input.value.trim() !== input.dataset.confirm;
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener && openDialog(opener.dataset.dialog)) event.preventDefault();
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
  if (event.target.closest("[data-shortcuts]")) openDialog("shortcuts");
  if (event.target instanceof HTMLDialogElement) event.target.close();
});

document.addEventListener("input", (event) => {
  if (event.target.matches?.("[data-confirm]")) check(event.target);
});
