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
const posts = [...document.querySelectorAll("article.post:not(.alone)")];

// at is the number of the post next to which the arrows are.
let at = -1;
const arrows = document.createElement("span");
arrows.className = "arrows";
for (const [by, sign, name] of [[-1, "↑", "Previous post"], [1, "↓", "Next post"]]) {
  const button = document.createElement("button");
  button.className = "plain";
  button.type = "button";
  button.ariaLabel = name;
  button.textContent = sign;
  button.addEventListener("click", () => {
    move(by);
    button.focus();
  });
  arrows.append(button);
}
if (posts.length > 1) first(".meta", posts[0]).append(arrows);

function move(by) {
  const focused = posts.findIndex((post) => post.contains(document.activeElement));
  const next = (focused < 0 || arrows.contains(document.activeElement) ? at : focused) + by;
  if (!posts[next]) return;
  at = next;
  first(".meta", posts[at]).append(arrows);
  first(":is(h2, h3) a, .meta a:has(time)", posts[at]).focus();
}

function write() {
  const fold = first("details.compose");
  if (fold && !fold.open) first("summary", fold).click();
  else first("textarea", fold)?.focus();
}

const vote = () => first("form.vote button", document.activeElement.closest("article") ?? posts[at] ?? (posts.length > 0 ? null : document))?.click();

const keys = {
  j: () => move(1),
  k: () => move(-1),
  n: write,
  v: vote,
  "/": () => (first("#contains") ? first("#contains").focus() : first(".places a[href='/channels']")?.click()),
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
