// The keys of the lab. Each presses a control of the page. templates/keys.go lists them for
// people. app.js loads this module instead of keys.js when the user first uses a page of
// the lab, and passes on the keys that came before it.

// The switch is the one of all keys of the site: see keys.js.
const isOff = () => {
  try {
    return localStorage.getItem("keys") === "off";
  } catch {
    return false; // the browser keeps nothing for this site
  }
};

const first = (selector, within = document) => within.querySelector(selector);
const move = (name) => first(`[data-move=${name}][href]`)?.click();

const said = document.createElement("p");
said.className = "unseen";
said.role = "status";
document.body.append(said);
const say = (...words) => { said.textContent = words.filter(Boolean).join(". "); };

const keys = {
  ArrowLeft: () => move("back"),
  ArrowRight: () => move("forth"),
  u: () => move("undo"),
  "/": () => first(".top a[href='/channels']")?.click(),
  "?": list,
};

// take lets the call of an actor take effect. If it may receive one of several messages,
// that is still to be chosen.
function take(card) {
  const [take, other] = card.querySelectorAll(".act[href]");
  if (other) take.focus();
  else if (take) take.click();
  else say(first("h3", card).textContent, first(".state, .why", card).textContent);
}

// faults leads to what else may happen to the call of an actor.
const faults = (card) => (first(".faults a", card) ?? first(".act[href]", card))?.focus();

// list shows the keys above the page. They are those of the page of keys, to which the
// link leads where this fails.
async function list() {
  const link = first(".foot [data-keys]");
  try {
    let dialog = first("dialog.keys-here");
    if (!dialog) {
      const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), "text/html");
      dialog = document.createElement("dialog");
      dialog.className = "keys-here";
      dialog.setAttribute("aria-labelledby", "lab-keys-title");
      const acts = document.createElement("form");
      acts.method = "dialog";
      acts.className = "acts";
      const [close, more] = [document.createElement("button"), document.createElement("a")];
      close.textContent = "Close";
      more.textContent = "Turn the keys off";
      more.href = link.href;
      acts.append(close, more);
      dialog.append(first("#lab-keys", page), acts);
      document.body.append(dialog);
    }
    dialog.showModal();
  } catch {
    link.click();
  }
}

addEventListener("keydown", press);

export function press(event) {
  const { key, code, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented || isOff()) return;
  if (target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
  const [, number] = (event.shiftKey ? /^Digit([1-9])$/ : /^(?:Digit|Numpad)([1-9])$/).exec(code) ?? [];
  const card = number && first(`.card[data-number="${number}"]`);
  const act = card ? () => (event.shiftKey ? faults : take)(card) : Object.hasOwn(keys, key) && keys[key];
  if (!act) return;
  const scrolls = key.startsWith("Arrow");
  // Where something can be scrolled sideways, the arrows do that. Shift selects.
  if (scrolls && (event.shiftKey || target.closest?.("[tabindex='0']"))) return;
  event.preventDefault();
  // A key that is held down goes on when the page is ready.
  if (!event.repeat || scrolls && first("main").ariaBusy !== "true") act();
}
