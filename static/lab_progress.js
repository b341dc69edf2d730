// Remembers in this browser which levels of the lab were won, and the shortest run of each. The
// page of a level says that it is won; the index and the handout show what is remembered, make a
// link of it that can be handed in, and forget it on request. Without this file nothing is
// remembered.

const place = "lab";
const levels = [...document.querySelectorAll("[data-level]")];
const line = document.querySelector("[data-progress]");
const goOn = document.querySelector("[data-go-on]");
const start = goOn?.cloneNode(true);

// best returns the fewest steps by level, and their run. It throws if the browser keeps nothing for this
// site.
function best() {
  const known = new Map();
  const kept = localStorage.getItem(place);
  try {
    for (const [name, value] of Object.entries(JSON.parse(kept) ?? {})) {
      const [steps, run] = [value].flat(); // it was once a number, without a run
      if (steps > 0) known.set(name, [steps, typeof run === "string" && /^[\w,*:@-]+$/.test(run) ? run : ""]);
    }
  } catch {
    // Something else has written there. It counts for nothing.
  }
  return known;
}

const keep = (known) => localStorage.setItem(place, JSON.stringify(Object.fromEntries(known)));

// A level is won by a choice, and not by looking at a solution. So the last choice is
// remembered until the page that it leads to is shown.
const choice = "lab:choice";
const here = ({ pathname, search }) => pathname + search;
function chosen(address) {
  try {
    sessionStorage.setItem(choice, address);
  } catch {
    // Nothing is remembered.
  }
}
// Where running on leads, or a condition that is checked, is known when it is shown.
addEventListener("click", ({ target }) => {
  const link = target.closest?.("a:is([data-choice], [data-hint], [data-run])[href]");
  if (link) chosen("run" in link.dataset ? "" : here(link));
}, { capture: true });
addEventListener("submit", () => chosen(""), { capture: true });

function win() {
  try {
    if (sessionStorage.getItem(choice) === "") sessionStorage.setItem(choice, here(location));
  } catch {
    // Nothing is remembered.
  }
  const won = document.querySelector("[data-won]");
  if (!won) return;
  const { won: name } = won.dataset;
  const steps = Number(won.dataset.steps);
  try {
    const known = best();
    const [before = Infinity, run] = known.get(name) ?? [];
    if (sessionStorage.getItem(choice) !== here(location) || before < steps || before === steps && run) return;
    const query = new URLSearchParams(location.search); // of a run, or of a condition
    keep(known.set(name, [steps, query.get("s") ?? query.get("c") ?? ""]));
  } catch {
    // The level is won all the same.
  }
}

function show(forgotten) {
  if (!line) return;
  let known;
  try {
    known = best();
  } catch {
    line.textContent = "This browser keeps nothing for this site, so it does not remember which levels you win.";
    line.hidden = false;
    return;
  }
  for (const level of levels) {
    const mark = level.querySelector("[data-won-mark]");
    const [steps] = known.get(level.dataset.level) ?? [];
    mark.hidden = !steps;
    mark.textContent = !steps ? "" : "build" in level.dataset ? "✓ built" : `✓ won in ${steps}`;
  }
  const can = levels.filter((level) => !("wonNever" in level.dataset)); // the production code is not won
  const won = can.filter((level) => known.has(level.dataset.level)).length;
  const [next] = levels.filter((level) => !known.has(level.dataset.level));
  if (goOn && next) {
    const link = won ? next.querySelector("a") : start;
    goOn.href = link.href;
    goOn.textContent = won ? `Continue: ${link.textContent}` : start.textContent;
  }
  line.hidden = !won && !forgotten;
  if (won) line.replaceChildren(`You have won ${won} of ${can.length}. `, handIn(known), " ", button("Forget that", () => forget(known)));
  else if (forgotten) line.replaceChildren("Forgotten. ", button("Undo", () => { keep(forgotten); show(); }));
}

function forget(known) {
  localStorage.removeItem(place);
  show(known);
}

// handIn leads to a page on which the server checks what was won, with the text to hand in.
function handIn(known) {
  const link = document.createElement("a");
  const runs = [...known].filter(([, [, run]]) => run).map(([name, [, run]]) => `${name}=${run}`);
  if (!runs.length) return "";
  link.href = `${line.dataset.handIn}?${runs.join("&")}`;
  link.textContent = "What to hand in";
  return link;
}

function button(label, act) {
  const control = document.createElement("button");
  control.type = "button";
  control.textContent = label;
  control.addEventListener("click", () => {
    act();
    line.querySelector("button")?.focus();
  });
  return control;
}

if (line) line.role = "status";
win();
show();
document.addEventListener("lab:shown", win);
for (const kind of ["storage", "pageshow"]) addEventListener(kind, () => show());
