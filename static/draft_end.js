// Removes drafts that came to an end with a form that the browser sent: all drafts of
// whoever signs out, or the one that was published by signing in. The item "draft-end"
// of sessionStorage is how the names of those drafts begin. A form that succeeded is
// answered by a redirect, and nothing else is.

const tabs = new BroadcastChannel("draft-end");

function remove(start) {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(start)) sessionStorage.removeItem(name);
}

const start = sessionStorage.getItem("draft-end");
sessionStorage.removeItem("draft-end");
if (start && performance.getEntriesByType("navigation")[0]?.redirectCount > 0) {
  remove(start);
  // Signing out is for all tabs. A draft that was published was that of this tab alone.
  if (!start.includes("/")) tabs.postMessage(start);
}
tabs.addEventListener("message", ({ data }) => remove(data));

for (const form of document.querySelectorAll("form[data-leaves]")) {
  form.addEventListener("submit", () => sessionStorage.setItem("draft-end", `draft:${form.dataset.leaves}:`));
}
