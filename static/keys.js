// Single keys, for those who like to read without a mouse. Each presses, or moves to, a
// control of the page. templates/keys.go lists them for people. app.js loads this module
// when the user first uses the page, and passes on the keys that came before it.

// Speech input and a hand that slips press keys unasked, so that they can be turned off.
const setting = "keys";
const isOff = () => {
  try {
    return localStorage.getItem(setting) === "off";
  } catch {
    return false; // the browser keeps nothing for this site
  }
};

const first = (selector, within = document) => within?.querySelector(selector);
// at is the post that was read last.
let at = null;

function move(by) {
  const posts = [...document.querySelectorAll("article.post:not(.alone, .pending)")].filter((post) => post.checkVisibility());
  const next = posts[posts.indexOf(document.activeElement.closest("article") ?? at) + by];
  if (!next) return;
  at = next;
  (first(":is(h2, h3) > a", at) ?? first(".at", at)).focus();
}

const write = () => (first(".compose") ? first(".compose textarea").focus() : first(".top a.main")?.click());
const find = () => (first("#contains, #q") ?? first("#seek")).focus();
const vote = () => first("form.vote button", document.activeElement.closest("article") ?? at ?? first("article.alone"))?.click();

const keys = {
  j: () => move(1),
  k: () => move(-1),
  n: write,
  v: vote,
  "/": find,
  "?": () => first(".foot [data-keys]")?.click(),
};

addEventListener("keydown", press);

export function press(event) {
  const modified = event.ctrlKey || event.altKey || event.metaKey || event.isComposing;
  if (modified || event.defaultPrevented || !Object.hasOwn(keys, event.key) || isOff()) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  if (!event.repeat || "jk".includes(event.key)) keys[event.key]();
}

const toggle = first("p[data-keys]");
if (toggle) {
  const [button, status] = toggle.children;
  const show = () => { button.textContent = isOff() ? "Turn the keys on" : "Turn the keys off"; };
  button.addEventListener("click", () => {
    try {
      localStorage.setItem(setting, isOff() ? "on" : "off");
      status.textContent = isOff() ? "The keys are off in this browser." : "The keys are on.";
    } catch {
      status.textContent = "This browser keeps nothing for this site, so the keys stay on.";
    }
    show();
  });
  show();
  toggle.hidden = false;
}
