// Asks before a form with choices that were not saved is left (form[data-leave]). What is typed into it as text is kept by
// draft.js, but for names.

const form = document.querySelector("form[data-leave]");
if (form) {
  let unsaved = form.hasAttribute("data-choices");
  form.addEventListener("change", (event) => {
    if (!event.target.matches("textarea, #name")) unsaved = true;
  });
  form.addEventListener("submit", () => (unsaved = false));
  for (const end of document.querySelectorAll("[data-cancel], form#offer")) {
    end.addEventListener(end.tagName === "A" ? "click" : "submit", () => (unsaved = false));
  }
  addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
}
