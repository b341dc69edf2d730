// The rows behind a channel. Each event brings all of them; only the tables that are not
// as before are replaced. Screen readers read out what has become of the channel.
const rows = document.querySelector("#rows[data-events]");
const announcement = document.getElementById("announcement");

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

rows?.addEventListener("news", (event) => show(event.detail));
