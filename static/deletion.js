// The page of a deletion. Each event brings the part of the page that changed. Screen
// readers read out the headline when it changes, not every second.
const progress = document.querySelector("#progress[data-events]");
const announcement = document.getElementById("announcement");
const lost = document.getElementById("lost");

// How long to wait, in milliseconds, if the browser does not connect again by itself.
const pause = 3000;

function announce(text) {
  if (announcement.textContent !== text) announcement.textContent = text;
}

// show puts the new part in, and leaves the focus on the control that had it.
function show(html) {
  const focused = progress.contains(document.activeElement) ? document.activeElement.id : "";
  progress.innerHTML = html;
  if (focused) document.getElementById(focused)?.focus();
  announce(progress.firstElementChild.dataset.announce);
}

function watch() {
  const events = new EventSource(progress.dataset.events);
  let renewed = false;
  events.addEventListener("open", () => { lost.hidden = true; });
  events.addEventListener("progress", (event) => show(event.data));
  events.addEventListener("end", () => events.close());
  events.addEventListener("again", () => { renewed = true; });
  // The browser connects again after a lost connection, but not after an answer that
  // is no stream.
  events.addEventListener("error", () => {
    if (!renewed) {
      lost.hidden = false;
      announce(lost.textContent);
    }
    renewed = false;
    if (events.readyState === EventSource.CLOSED) setTimeout(ask, pause);
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

if (progress) watch();
