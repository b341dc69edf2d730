// The rows behind a channel. Each event brings all of them; only the tables that are not
// as before are replaced. Screen readers read out what has become of the channel.
const rows = document.querySelector("#rows[data-events]");
const announcement = document.getElementById("announcement");
const lost = document.getElementById("lost");

// How long to wait, in milliseconds, if the browser does not connect again by itself.
const pause = 3000;

function announce(text) {
  if (announcement.textContent !== text) announcement.textContent = text;
}

// parts are what can be replaced: the sentence, the tables and the queue.
const parts = (root) => [...root.firstElementChild.querySelectorAll(":scope > [data-key]")];

function show(html) {
  const next = document.createElement("template");
  next.innerHTML = html;
  const [before, after] = [parts(rows), parts(next.content)];
  const same = before.length === after.length && before.every((part, i) => part.dataset.key === after[i].dataset.key);
  const focused = rows.contains(document.activeElement) && document.activeElement;
  const key = focused && focused.closest("tr, li")?.dataset.key;
  if (!same) rows.replaceChildren(next.content);
  else before.forEach((part, i) => { if (part.outerHTML !== after[i].outerHTML) part.replaceWith(after[i]); });
  if (focused && !focused.isConnected && key) {
    const link = [...rows.querySelectorAll("tr, li")].find((row) => row.dataset.key === key)?.querySelector("a");
    link?.focus({ preventScroll: true });
  }
  const state = rows.querySelector("[data-key=state]");
  if (state) announce(state.textContent);
}

let events;
let over = false;
function watch() {
  events?.close();
  events = new EventSource(rows.dataset.events);
  let renewed = false;
  events.addEventListener("open", () => { lost.hidden = true; });
  events.addEventListener("rows", (event) => show(event.data));
  events.addEventListener("end", () => { over = true; events.close(); });
  events.addEventListener("again", () => { renewed = true; });
  // The browser connects again after a lost connection, but not after an answer that
  // is no stream.
  events.addEventListener("error", () => {
    if (!renewed) {
      lost.hidden = false;
      announce(lost.textContent);
    }
    renewed = false;
    if (events.readyState === EventSource.CLOSED && !document.hidden) setTimeout(ask, pause);
  });
}

// ask finds out why there is no stream. If the page has something else to say, such as
// that the session has ended, it is loaded again.
async function ask() {
  try {
    const { status } = await fetch(location.href, { method: "HEAD" });
    if (status >= 400 && status < 500) location.reload();
    else watch();
  } catch {
    setTimeout(ask, pause);
  }
}

if (rows) {
  watch();
  // A page that nobody looks at reads nothing.
  document.addEventListener("visibilitychange", () => {
    if (over) return;
    events.close();
    if (!document.hidden) watch();
  });
}
