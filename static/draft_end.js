// Removes drafts that came to an end with a form that the browser sent: all drafts of
// a user who signs out, or the one that was published by signing in. The item "draft-end"
// of sessionStorage is how the names of those drafts begin. A form that succeeded is
// answered by a redirect, and nothing else is.

const start = sessionStorage.getItem("draft-end");
sessionStorage.removeItem("draft-end");
if (start && performance.getEntriesByType("navigation")[0]?.redirectCount > 0) {
  for (const name of Object.keys(localStorage)) if (name.startsWith(start)) localStorage.removeItem(name);
}

for (const form of document.querySelectorAll("form[data-leaves]")) {
  form.addEventListener("submit", () => sessionStorage.setItem("draft-end", `draft:${form.dataset.leaves}:`));
}
