// The page of a deletion. Each event brings the part of the page that changed. Screen
// readers read out the headline when it changes, not every second. The fold stays as its reader left it.
const progress = document.querySelector("#progress[data-events]");
const announcement = document.getElementById("announcement");

progress?.addEventListener("news", ({ detail }) => {
  const open = progress.querySelector(".how")?.open;
  progress.innerHTML = detail;
  progress.querySelector(".how").open = open;
  const text = progress.firstElementChild.getAttribute("data-announce");
  if (announcement.textContent !== text) announcement.textContent = text;
});
