// Every page works without this file. It only saves reloads.

// Keep relative times up to date, in the words of the server (templates/time.go).
const units = [
  // name, its length in seconds, the shortest time that is told in it, in seconds
  ["year", 31536000, 31536000],
  ["month", 2592000, 5184000],
  ["week", 604800, 604800],
  ["day", 86400, 86400],
  ["hour", 3600, 3600],
  ["minute", 60, 60],
];
function relative(seconds) {
  const ago = Math.abs(seconds);
  if (ago < 60) return "just now";
  const [unit, size] = units.find(([, , from]) => ago >= from);
  const n = Math.floor(ago / size);
  const words = `${n} ${unit}${n === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
function freshen() {
  for (const time of document.querySelectorAll("time[title]")) {
    const words = relative((Date.now() - Date.parse(time.dateTime)) / 1000);
    if (time.textContent !== words) time.textContent = words;
  }
}
setInterval(freshen, 30000);

// What forms can do more is loaded where there is one: a stranger's first visit does without.
const keys = document.querySelector(".foot [data-keys]").dataset;
if (document.querySelector("[data-limit], form[data-quick]")) import(keys.forms);

// Keys, and the arrows beside a post, are loaded when somebody first moves or presses
// something: the first visit does without.
const early = [];
const hold = (event) => early.push(event);
const use = ["keydown", "pointermove", "pointerdown"];
async function loadKeys() {
  for (const kind of use) removeEventListener(kind, loadKeys);
  const { press } = await import(keys.keys);
  removeEventListener("keydown", hold);
  early.forEach(press);
}
addEventListener("keydown", hold);
for (const kind of use) addEventListener(kind, loadKeys);

// Whoever stays is told of new posts. The first visit does without that too.
const live = document.querySelector("[data-live]");
if (live) setTimeout(() => import(live.dataset.live), 20000);
