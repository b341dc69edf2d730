// Asks before a form with choices that were not saved is left (form[data-leave]). What is typed into it as text is kept by
// draft.js, but for names.

const form = document.querySelector("form[data-leave]");
if (form) {
  let unsaved = form.hasAttribute("data-choices");
  form.addEventListener("change", (event) => {
    if (!event.target.matches("textarea, #name")) unsaved = true;
  });
  form.addEventListener("submit", () => (unsaved = false));
  form.querySelector("[data-cancel]").addEventListener("click", () => (unsaved = false));
  addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
}
