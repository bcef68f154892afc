// Which saved view ([data-view]) the address is, after filters have changed it without a new page.
const parts = (address) => {
  const query = new URL(address, location.href).searchParams;
  query.delete("open");
  query.sort();
  return query.toString();
};

function mark() {
  const here = parts(location.href);
  for (const link of document.querySelectorAll("[data-view]")) {
    if (parts(link.href) === here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory", "htmx:historyRestore"]) document.addEventListener(name, mark);
