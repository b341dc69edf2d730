// Everything works without this file; it only saves a reload or a look.

// A deletion that is watched: each event brings the part of the page that
// changed. The headline is read out when it changes, not every second.
const progress = document.querySelector("#progress[data-events]");
if (progress) {
  const announcement = document.getElementById("announcement");
  const events = new EventSource(progress.dataset.events);
  events.addEventListener("progress", (event) => {
    progress.innerHTML = event.data;
    const { announce } = progress.firstElementChild.dataset;
    if (announcement.textContent !== announce) announcement.textContent = announce;
    freshen();
  });
  events.addEventListener("end", () => events.close());
  // A lost connection is taken up again by itself; a refused one is not.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  });
}

// Relative times age. The words are those of the server (when.go).
const units = [
  // name, seconds in one, seconds from which on it is used
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
  for (const time of document.querySelectorAll("time[datetime]")) {
    const words = relative((Date.now() - Date.parse(time.dateTime)) / 1000);
    if (time.textContent !== words) time.textContent = words;
  }
}
setInterval(freshen, 30000);

// How much room is left, once it gets short. It counts characters as the server
// does, not UTF-16 units as maxlength would.
for (const control of document.querySelectorAll("[data-limit]")) {
  const limit = Number(control.dataset.limit);
  const counter = document.createElement("p");
  counter.className = "counter";
  control.after(counter);
  const show = () => {
    const left = limit - [...control.value].length;
    counter.hidden = left > limit / 5;
    counter.classList.toggle("over", left < 0);
    counter.textContent = left < 0 ? `${-left} too many` : `${left} left`;
  };
  control.addEventListener("input", show);
  show();
}

// Ctrl+Enter or Cmd+Enter sends a form for a post.
for (const form of document.querySelectorAll("form[data-quick]")) {
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

// Back at a form that was sent, a browser restores what was typed but gets
// another key from the server, and sending it again would make a second post.
// So the key stays with the entry of the history.
const key = document.querySelector("input[name=key]");
if (key) {
  if (history.state?.key) key.value = history.state.key;
  else history.replaceState({ key: key.value }, "");
}
