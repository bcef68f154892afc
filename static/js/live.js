// What is new while a page is open: the numbers in the rail, and "3 new" over a list, which moves nothing and is a link.
// Asked when the page is there and every few seconds while somebody sees it.
const PERIOD = 10_000;
const frame = document.querySelector("[data-live]");

async function look() {
  if (document.hidden) return;
  const list = document.querySelector("[data-live-newest]");
  const asked = new URLSearchParams(list?.dataset.liveQuery || "");
  if (list) asked.set("newest", list.dataset.liveNewest);
  let found;
  try {
    const answer = await fetch(`${frame.dataset.live}?${asked}`, { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) return;
    found = await answer.json();
  } catch {
    return; // The next one may come through.
  }
  for (const place of document.querySelectorAll("[data-live-count]")) fill(place, found[place.dataset.liveCount]);
  // The list may be another one by now.
  if (list?.isConnected) fill(list.querySelector("[data-live-newer]"), found.newer);
}

function fill(place, words) {
  if (!place || words === undefined) return;
  place.hidden = !words;
  place.querySelector("[data-live-number]").textContent = words;
}

if (frame) {
  look();
  setInterval(look, PERIOD);
  document.addEventListener("visibilitychange", look);
}
