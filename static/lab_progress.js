// Remembers in this browser which levels of the lab were won, and in how few steps. The page
// of a level says that it is won; the index shows what is remembered, and forgets it on
// request. Without this file nothing is remembered.

const place = "lab";
const levels = [...document.querySelectorAll("[data-level]")];
const line = document.querySelector("[data-progress]");
const goOn = document.querySelector("[data-go-on]");
const start = goOn?.cloneNode(true);

// best returns the fewest steps by level. It throws if the browser keeps nothing for this
// site.
function best() {
  const known = new Map();
  const kept = localStorage.getItem(place);
  try {
    for (const [name, steps] of Object.entries(JSON.parse(kept) ?? {})) if (steps > 0) known.set(name, steps);
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
addEventListener("click", ({ target }) => {
  const link = target.closest?.("a:is([data-choice], [data-hint], [data-run])[href]");
  try {
    // Where running on leads is known when it is shown.
    if (link) sessionStorage.setItem(choice, "run" in link.dataset ? "" : here(link));
  } catch {
    // Nothing is remembered.
  }
}, { capture: true });

function win() {
  try {
    if (sessionStorage.getItem(choice) === "") sessionStorage.setItem(choice, here(location));
  } catch {
    // Nothing is remembered.
  }
  const won = document.querySelector("[data-won]");
  if (!won) return;
  const { won: name, steps } = won.dataset;
  try {
    const known = best();
    if (sessionStorage.getItem(choice) !== here(location) || known.get(name) <= Number(steps)) return;
    keep(known.set(name, Number(steps)));
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
    const steps = known.get(level.dataset.level);
    mark.hidden = !steps;
    mark.textContent = steps ? `✓ won in ${steps}` : "";
  }
  const won = levels.filter((level) => known.has(level.dataset.level)).length;
  const [next] = levels.filter((level) => !known.has(level.dataset.level));
  if (goOn && next) {
    const link = won ? next.querySelector("a") : start;
    goOn.href = link.href;
    goOn.textContent = won ? `Continue: ${link.textContent}` : start.textContent;
  }
  line.hidden = !won && !forgotten;
  if (won) line.replaceChildren(`You have won ${won} of ${levels.length}. `, button("Forget that", () => forget(known)));
  else if (forgotten) line.replaceChildren("Forgotten. ", button("Undo", () => { keep(forgotten); show(); }));
}

function forget(known) {
  localStorage.removeItem(place);
  show(known);
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
