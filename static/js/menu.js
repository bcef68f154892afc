// Menus are <details class="menu">: close the others, close on a click outside and on Esc, move with the arrows.
const open = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details.menu[open]");
  if (!menu) return;
  if (event.key === "Escape") {
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
    event.preventDefault();
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const items = [menu.querySelector("summary"), ...menu.querySelectorAll("a[href], button")];
    const step = event.key === "ArrowDown" ? 1 : -1;
    const at = items.indexOf(document.activeElement);
    items[(at + step + items.length) % items.length].focus();
    event.preventDefault();
  }
});
