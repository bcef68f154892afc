// How long support may still look: the minutes on every page of the console go down while it stands open.
import { say } from "./words.js";
const lines = document.querySelectorAll(".lookbar-left[data-until]");
const tick = () => {
  for (const line of lines) {
    const left = Math.ceil((Date.parse(line.dataset.until) - Date.now()) / 60000);
    line.textContent = left > 0 ? say(left === 1 ? "{left} minute left." : "{left} minutes left.", { left }) : say("The time is over.");
    line.classList.toggle("is-over", left <= 0);
  }
};
if (lines.length) setInterval(tick, 15000);
