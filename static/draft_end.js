// Removes drafts that came to an end with a form that the browser sent: all drafts of
// a user who signs out, and which posts' replies were read (post.js), or the draft of an edit that its author gave up. The item "draft-end"
// of sessionStorage is how the names of those drafts begin. A form that succeeded is
// answered by a redirect, and nothing else is.

const start = sessionStorage.getItem("draft-end");
sessionStorage.removeItem("draft-end");
if (start && performance.getEntriesByType("navigation")[0]?.redirectCount > 0) {
  const signsOut = start.endsWith(":");
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(start) || (signsOut && name.startsWith("replied:"))) localStorage.removeItem(name);
  }
  // Replies from now on are new to the next who signs in. The milliseconds make it another time than that of post.js.
  if (signsOut) localStorage.setItem("replied", new Date().toISOString());
  // Other tabs hear of it, and keep no more.
  localStorage.setItem("draft-end", start);
  localStorage.removeItem("draft-end");
}

for (const form of document.querySelectorAll("form[data-leaves]")) {
  form.addEventListener("submit", (event) => {
    const drafts = `draft:${form.dataset.leaves}:`;
    const kept = Object.keys(localStorage).filter((name) => name.startsWith(drafts)).map((name) => {
      const { typed } = JSON.parse(localStorage.getItem(name));
      return `“${Object.values(typed).join(" ").trim().replaceAll(/\s+/g, " ").slice(0, 60)}”`;
    });
    if (kept.length > 0 && !confirm(`Your drafts in this browser will be removed:\n\n${kept.sort().join("\n")}\n\nGo on?`)) event.preventDefault();
    else sessionStorage.setItem("draft-end", drafts);
  });
}

// "Cancel" has led here, and can be undone: the form finds its draft again.
const cancelled = JSON.parse(sessionStorage.getItem("cancelled"));
sessionStorage.removeItem("cancelled");
if (cancelled && cancelled.from !== location.href) {
  const bar = document.createElement("div");
  bar.className = "undo";
  bar.role = "status";
  bar.innerHTML = "<p>Your changes were thrown away.</p><button>Bring them back</button>";
  bar.lastChild.addEventListener("click", () => {
    localStorage.setItem(cancelled.name, cancelled.draft);
    location.assign(cancelled.from);
  });
  document.querySelector("main").prepend(bar);
}
