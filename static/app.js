// Every page works without this file. It only saves reloads.

// Show times as a reader would say them. Without this file they are in UTC.
const units = [
  // name, its length in seconds, the shortest time that is told in it, in seconds
  ["year", 31536000, 31536000],
  ["month", 2592000, 5184000],
  ["week", 604800, 604800],
  ["day", 86400, 86400],
  ["h", 3600, 3600],
  ["min", 60, 60],
];
function relative(seconds, countdown) {
  const ago = Math.abs(seconds);
  // The clock of a server may be ahead of the browser's, so what is just to come is just now.
  if (ago < 60 && countdown) return seconds < -1 ? `in ${Math.floor(ago)}\u00a0s` : "now";
  if (ago < 60) return "just now";
  const [unit, size] = units.find(([, , from]) => ago >= from);
  const n = Math.floor(ago / size + (seconds < 0 ? 0.5 : 0)); // 7 days less a second are to come: "in 7 days"
  const words = `${n} ${unit}${n === 1 || size <= 3600 ? "" : "s"}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});
function freshen() {
  for (const time of document.querySelectorAll('time[datetime*="T"]')) {
    const at = new Date(time.dateTime);
    const seconds = (Date.now() - at) / 1000;
    const ago = relative(seconds, "countdown" in time.dataset);
    time.title ||= clock.format(at);
    // Where it is the link to a post, there is no room for more.
    let words = time.closest("a, .list") ? ago.replace(" ago", "") : ago;
    // The last minute until something ends is not "just now".
    if ("exact" in time.dataset) words = seconds > -60 && seconds < 0 ? time.title : `${time.title} (${ago})`;
    if (time.textContent !== words) time.textContent = words;
    const bar = time.closest(".undo");
    bar?.style.setProperty("--left", -seconds / bar.dataset.left);
  }
}
freshen();
setInterval(freshen, document.querySelector("[data-countdown]") ? 1000 : 30000);
// A part of the page that a script puts in has times as the server wrote them.
new MutationObserver(freshen).observe(document.body, { childList: true, subtree: true });

// What hangs over the page closes when the user clicks elsewhere or presses Escape.
const shut = (within) => document.querySelectorAll(".drop[open]").forEach((drop) => { drop.open = drop.contains(within); });
addEventListener("click", (event) => shut(event.target));
addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape") return;
  shut(null);
  if (target.type === "search") target.blur(); // the next key is for the page
});

// Ctrl+Enter or Cmd+Enter sends a form for a post, also before the file for forms is there.
addEventListener("keydown", ({ key, ctrlKey, metaKey, target }) => {
  if (key === "Enter" && (ctrlKey || metaKey)) target.closest("form[data-quick]")?.requestSubmit();
});

// A click on the words of a post opens it, unless something was selected or pressed.
addEventListener("click", ({ target, ctrlKey, metaKey, shiftKey }) => {
  if (ctrlKey || metaKey || shiftKey) return; // a link would open elsewhere
  const text = target.closest(".post:not(.alone, .reply, .pending) > .text");
  if (text && !target.closest("a, summary") && getSelection().isCollapsed) text.parentElement.querySelector(".at").click();
});

// What is new is asked for once the reader has had time to read.
const news = document.querySelector("[data-news]");
if (news) setTimeout(() => news.isConnected && import(news.dataset.script), 5000); // a refusal may have replaced it

// What forms can do more is loaded where there is one: an anonymous client's first visit does without.
const keys = document.querySelector(".foot [data-keys]").dataset;
if (document.querySelector("[data-limit], form[data-quick]")) import(keys.forms);

// Keys are loaded when the user first moves the pointer or presses
// a key: a first visit does not need them.
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
