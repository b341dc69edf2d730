// Goes from one state of a run to another in place: the page of the other state is fetched,
// and only what differs there is changed. So nothing moves under the pointer, the focus
// stays on its control, and what was unfolded stays so. Without this file each link loads
// its page, and so it does when anything fails here.

const main = document.querySelector("main");
const first = (selector, within = main) => within?.querySelector(selector);
const address = ({ pathname, search }) => pathname + search;

// How long to wait for a state before the browser is asked to load it, in milliseconds.
const patience = 15000;

// How long to ask again while the lab is busy, in milliseconds: a hall asks in one moment.
const rush = 60000;

// The address of the state that is shown.
let shown = address(location);
// What was pressed and is not done yet. The first is under way.
const pressed = [];
// Counts what was asked for. An answer to an older question is too late.
let asked = 0;
let pointer = null;

const said = document.createElement("p");
said.className = "unseen";
said.role = "status";
document.body.append(said);

for (const kind of ["pointermove", "pointerdown"]) {
  addEventListener(kind, ({ clientX: x, clientY: y }) => { pointer = { x, y }; }, { passive: true });
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("main a[href]");
  const modified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || modified || event.button || event.defaultPrevented || link.target) return;
  if (link.origin !== location.origin || link.pathname !== location.pathname) return;
  // Another part of this page.
  if (link.getAttribute("href").startsWith("#") || (address(link) === shown && pressed.length === 0)) return;
  event.preventDefault();
  pressed.push(link);
  if (pressed.length === 1) work();
});

// A control that is pressed again before the page has changed is pressed in the page that
// comes: so two quick presses are two steps. One that has gone until then does nothing.
async function work() {
  main.ariaBusy = "true";
  const long = setTimeout(() => { said.textContent = "Working…"; }, 500); // the style sheet shows it as late
  for (; pressed.length > 0; pressed.shift()) {
    const link = pressed[0];
    if (link.isConnected && link.hasAttribute("href") && address(link) !== shown && !await go(link.href, link)) break;
  }
  clearTimeout(long);
  main.ariaBusy = null;
}

addEventListener("popstate", () => {
  if (address(location) === shown) return; // another part of this page
  pressed.length = 0;
  go(location.href);
});

// go shows a state. It returns false if something else was asked for meanwhile.
async function go(url, link) {
  const turn = ++asked;
  const began = Date.now();
  const ask = () => fetch(url, { signal: AbortSignal.timeout(patience) });
  try {
    let answer = await ask();
    while (answer.status === 503 && Date.now() - began < rush) {
      const seconds = Number(answer.headers.get("Retry-After")) || 2; // a proxy in front of the site may not say it
      await new Promise((resolve) => { setTimeout(resolve, 1000 * Math.min(seconds, 10)); });
      if (turn !== asked) return false;
      answer = await ask();
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turn !== asked) return false;
    if (!answer.ok || files(page) !== files(document)) throw new Error("not this page in another state");
    show(page, link);
    shown = address(new URL(answer.url));
    if (link) remember();
    tell();
    return true;
  } catch {
    if (turn === asked) {
      pressed.length = 0;
      location.assign(url);
    }
    return false;
  }
}

// files are the style sheets and scripts of a page. Another release has other ones.
const files = (page) => [...page.querySelectorAll("head :is(link[rel=stylesheet], script)")].map((e) => e.outerHTML).join();

// remember adds the state to the history.
function remember() {
  history.scrollRestoration = "manual";
  history.pushState(null, "", shown);
}

function show(page, link) {
  const focused = main.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.closest("[data-key]");
  const stay = hold(link);
  const { end } = first(".say")?.dataset ?? {};
  document.title = page.title;
  keyed = new Map([...main.querySelectorAll("[data-key], [id]")].map((e) => [key(e), e]));
  patchChildren(main, page.querySelector("main"));
  if (focused) refocus(focused, place);
  scrollRuns();
  stay();
  if (link) conclude(end, link);
}

// scrollRuns scrolls each box of steps to its end, or to the present one if others come after it.
function scrollRuns() {
  for (const box of main.querySelectorAll(".run .trail, .both .trail")) {
    const now = first(".now", box);
    const middle = (now?.offsetTop ?? 0) - box.clientHeight / 2;
    box.scrollTop = first(".left", box) ? middle : box.scrollHeight;
  }
}

scrollRuns();

// conclude shows how the run has ended, if it has only now, unless the reader sees it and can go on from there.
function conclude(before, link) {
  const say = first(".say");
  if (!say?.dataset.end || say.dataset.end === before) return;
  const { top } = say.getBoundingClientRect();
  const seen = top >= 0 && top < innerHeight * 0.8;
  if (seen && link.isConnected) return;
  say.focus({ preventScroll: true });
  if (seen) return;
  say.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
}

// hold remembers where the thing is that the reader points at, or has pressed. What it
// returns scrolls so that it is there again.
function hold(control) {
  const under = pointer && document.elementFromPoint(pointer.x, pointer.y)?.closest("main :is(a, summary, button, [data-key])");
  // A control that a key has pressed from afar may move.
  const thing = control?.contains(under ?? document.activeElement) ? control : under;
  const before = thing?.getBoundingClientRect().top;
  const moved = () => (thing?.isConnected ? thing.getBoundingClientRect().top - before : 0);
  const scroll = () => { if (Math.abs(moved()) > 0.5) scrollBy({ top: moved(), behavior: "instant" }); };
  return () => {
    main.style.marginBlockStart = main.style.minBlockSize = "";
    scroll();
    if (thing?.closest(".choices")) return; // on a phone it stays where it is
    // At the end of the page there may be nothing to scroll. Then room is made.
    const left = moved();
    if (left <= -1) main.style.marginBlockStart = `${parseFloat(getComputedStyle(main).marginBlockStart) - left}px`;
    if (left >= 1) main.style.minBlockSize = `${main.getBoundingClientRect().height + left}px`;
    scroll();
  };
}

// What a step has touched lights up with it: its line of the run, and its rows.
function light({ target }) {
  const steps = (e) => e?.dataset.step?.split(" ") ?? [];
  const on = steps(target.closest?.("[data-step]"));
  for (const e of main.querySelectorAll("[data-step]")) e.classList.toggle("lit", steps(e).some((n) => n && on.includes(n)));
}

for (const kind of ["pointerover", "focusin"]) main.addEventListener(kind, light);

// refocus keeps the focus where it was, also on a link that leads nowhere now.
function refocus(control, place) {
  if (!control.isConnected) control = first("a[href], summary", place?.isConnected ? place : main) ?? main;
  if (control.matches("a:not([href])")) control.tabIndex = -1;
  if (control !== document.activeElement || control.tabIndex < 0) control.focus({ preventScroll: true });
}

// tell lets a screen reader say what has happened.
function tell() {
  const words = [".position", "[data-key=say] :is(p:not(.acts), li)"].flatMap((selector) =>
    [...main.querySelectorAll(selector)].map((e) => e.textContent.trim().replaceAll(/\s+/g, " ")));
  said.textContent = words.map((text) => (/[.!?:]$/.test(text) ? text : `${text}.`)).join(" ");
  document.dispatchEvent(new Event("lab:shown"));
}

// What another script has put into the page stays, and so does what is unfolded.
const own = (node) => node.dataset?.own !== undefined;
const key = (node) => node.dataset?.key ?? (node.id || "");

// keyed are the elements with a key, to be found again wherever they belong now.
let keyed;

// patch makes a node like another one. What is the same is not touched.
function patch(node, model) {
  if (node.isEqualNode(model)) return;
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== model.data) node.data = model.data;
    return;
  }
  for (const { name } of [...node.attributes]) if (!model.hasAttribute(name) && !["open", "style"].includes(name)) node.removeAttribute(name);
  for (const { name, value } of model.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  patchChildren(node, model);
}

function patchChildren(node, model) {
  const keys = new Set([...model.children].map(key).filter(Boolean));
  for (const child of [...node.children]) if (key(child) && !keys.has(key(child)) && !own(child)) child.remove();
  let at = node.firstChild;
  for (const child of [...model.childNodes]) {
    while (at && own(at)) at = at.nextSibling;
    const same = key(child) ? keyed.get(key(child)) : alike(at, child);
    if (same?.nodeName !== child.nodeName) {
      node.insertBefore(child, at);
      continue;
    }
    // The nodes in between have no counterpart.
    while (same.parentNode === node && at && at !== same && !key(at) && !own(at)) at = removed(at);
    if (at === same) at = at.nextSibling;
    else node.insertBefore(same, at);
    patch(same, child);
  }
  while (at) at = own(at) ? at.nextSibling : removed(at);
}

// alike is the next node from here on that could be the other one, if no node with a key
// is before it.
function alike(node, other) {
  for (; node && !key(node); node = node.nextSibling) {
    if (!own(node) && node.nodeName === other.nodeName && node.getAttribute?.("class") === other.getAttribute?.("class")) return node;
  }
  return null;
}

function removed(node) {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}
