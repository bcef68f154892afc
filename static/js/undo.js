// `z` takes the last act back: it presses the newest visible [data-undo]. What has left the page is kept in this tab for
// ten minutes, so that the key works on every page; the next act takes its place, and signing out forgets it.
const KEPT = 10 * 60 * 1000;
const visible = (element) => element.checkVisibility?.() ?? element.offsetParent !== null;

function kept() {
  try {
    const last = JSON.parse(sessionStorage.getItem("undo"));
    return last && Date.now() - last.at < KEPT && last.url.startsWith("/") ? last : null;
  } catch { return null; }
}

export function keepUndo(url) {
  sessionStorage.setItem("undo", JSON.stringify({ url, at: Date.now() }));
}

export function undoLast() {
  const button = [...document.querySelectorAll("button[data-undo]")].filter(visible).pop();
  if (button) { button.click(); return true; }
  const last = kept();
  if (!last || !document.body.dataset.csrf) return false;
  const form = document.createElement("form");
  form.method = "post";
  form.action = last.url;
  form.hidden = true;
  const token = document.createElement("input");
  Object.assign(token, { type: "hidden", name: "csrfmiddlewaretoken", value: document.body.dataset.csrf });
  form.append(token);
  document.body.append(form);
  form.requestSubmit();
  return true;
}

function forget(url) {
  if (kept()?.url === url) sessionStorage.removeItem("undo");
}

// Taken back, it is no more to be taken back; another account in this tab begins with nothing.
document.addEventListener("submit", (event) => {
  forget(new URL(event.target.action, location.href).pathname);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && event.target.matches?.("form")) forget(event.detail.pathInfo.requestPath);
});
if (!document.querySelector(".frame")) sessionStorage.removeItem("undo");
