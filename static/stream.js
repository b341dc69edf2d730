// Follows the event stream of a page. The element with data-events says its address, and the
// events have the name of that element's id. What each brings is handed to the page's own
// script, as a "news" event of the element.
const followed = document.querySelector("[data-events]");
const announcement = document.getElementById("announcement");
const lost = document.getElementById("lost");

// How long to wait, in milliseconds, if the browser does not connect again by itself.
const pause = 3000;

let events;
function watch() {
  events?.close();
  events = new EventSource(followed.dataset.events);
  let renewed = false;
  events.addEventListener("open", () => { lost.hidden = true; });
  events.addEventListener(followed.id, ({ data }) => followed.dispatchEvent(new CustomEvent("news", { detail: data })));
  events.addEventListener("end", () => events.close());
  events.addEventListener("again", () => { renewed = true; });
  // The browser connects again after a lost connection, but not after an answer that
  // is no stream.
  events.addEventListener("error", () => {
    if (!renewed) {
      lost.hidden = false;
      announcement.textContent = lost.textContent;
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

if (followed) watch();
