// The page of a deletion. Each event brings the part of the page that changed. Its heading
// says the state, which screen readers read out when it changes, not every second. The fold stays as its reader left it.
const progress = document.querySelector("#progress[data-events]");
const state = document.getElementById("state");
const announcement = document.getElementById("announcement");

progress?.addEventListener("news", ({ detail }) => {
  const open = progress.querySelector(".how")?.open;
  progress.innerHTML = detail;
  progress.querySelector(".how").open = open;
  state.textContent = progress.firstElementChild.getAttribute("data-state");
  const heading = state.parentElement.textContent;
  if (announcement.textContent !== heading) announcement.textContent = heading;
});
