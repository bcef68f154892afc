// z takes the last act back: it presses the newest Undo that is in sight (a button with data-undo).
export function undoLast() {
  const seen = [...document.querySelectorAll("button[data-undo]")].filter((one) => one.checkVisibility?.() ?? one.offsetParent !== null);
  const newest = seen.at(-1);
  newest?.click();
  return Boolean(newest);
}
