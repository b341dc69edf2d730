// The line in which a post is written opens to a form. The script only saves a
// press of a key: it puts the cursor into the text, and opens a form that the
// browser, or another script, has filled in.

const fold = document.querySelector("details.compose");
if (fold) {
  const form = fold.querySelector("form");
  const text = form.elements.text;
  const show = () => {
    if (text.value || form.elements.title.value) fold.open = true;
  };
  form.addEventListener("input", show);
  addEventListener("pageshow", show);
  // A fold also toggles when a page begins with it open. That is no reason to move.
  let pressed = false;
  fold.querySelector("summary").addEventListener("click", () => { pressed = true; });
  fold.addEventListener("toggle", () => {
    if (fold.open && pressed) text.focus();
    pressed = false;
  });
}
