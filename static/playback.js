// Plays back the trace of a deletion, so that what took 40 ms can be read. Nothing moves
// until it is asked for, and it can be paused. With reduced motion, numbers do not run.
const dwell = 1800; // how long each step is shown, in milliseconds
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const cascade = ["pivot", "shut", "sweep", "remove-gate", "release"];
const gates = ["open", "shut", "shut", "gone", "gone"]; // what each step leaves
const places = new Intl.NumberFormat("en");

// say tells a row of the table with the names of its columns.
function say(row) {
  const names = row.closest("table").tHead.rows[0].cells;
  return [...row.cells].map((cell, i) => `${names[i].textContent}: ${cell.innerText}`).join(", ");
}

class Player {
  constructor(panel) {
    this.button = panel.querySelector("[data-play]");
    this.line = panel.querySelector("[role=status]");
    this.page = panel.closest(".deletion");
    this.rows = [...this.page.querySelectorAll("tr[data-step]")];
    this.counter = this.page.querySelector("[data-removed]");
    this.total = this.counter.textContent;
    this.at = -1; // the row that is shown; -1 before the first
    this.removed = 0;
    this.reached = -1; // the furthest step that was shown: a worker may repeat steps
    this.button.addEventListener("click", () => this.#press());
    panel.hidden = false;
  }

  #press() {
    if (this.timer) this.#stop("Go on");
    else this.#play();
  }

  #play() {
    if (this.at < 0) [this.removed, this.reached] = [0, -1];
    this.button.textContent = "Pause";
    this.#next();
  }

  #stop(label) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.button.textContent = label;
  }

  #next() {
    this.#mark(false);
    this.at++;
    const row = this.rows[this.at];
    if (!row || !this.button.isConnected) return this.#finish();
    this.#mark(true);
    this.line.textContent = say(row);
    this.#steps(row.dataset.step);
    this.#count(Number(row.dataset.rows));
    this.timer = setTimeout(() => this.#next(), dwell);
  }

  #finish() {
    this.at = -1;
    this.#stop("Play back again");
    this.line.textContent = "That was all.";
    this.#steps("");
    this.counter.textContent = this.total;
  }

  #mark(on) {
    this.rows[this.at]?.toggleAttribute("data-playing", on);
  }

  // steps shows the step in the list and in the bar. An empty step is the end.
  #steps(step) {
    const at = step ? Math.max(this.reached, cascade.indexOf(step)) : cascade.length;
    this.reached = at;
    const gate = at < 0 ? "open" : (gates[at] ?? "gone");
    for (const li of this.page.querySelectorAll(".gate-strip li")) {
      if (li.classList.contains(gate)) li.setAttribute("aria-current", "step");
      else li.removeAttribute("aria-current");
    }
    this.page.querySelectorAll(".steps li").forEach((li, i) => {
      const state = i < at ? "done" : i === at ? "current" : "ahead";
      li.className = state;
      li.querySelector(".unseen").textContent = `(${state})`;
      if (state === "current") li.setAttribute("aria-current", "step");
      else li.removeAttribute("aria-current");
    });
    this.page.querySelector("progress").value = Math.max(at, 0);
  }

  // count lets the number of removed rows run up to what it was after this step.
  #count(rows) {
    const from = this.removed;
    const began = performance.now();
    this.removed += rows;
    const to = this.removed;
    const run = (now) => {
      const part = calm.matches ? 1 : Math.min(1, Math.max(0, (now - began) / (dwell / 2)));
      if (this.removed !== to || this.at < 0) return;
      this.counter.textContent = places.format(Math.round(from + (to - from) * part));
      if (part < 1) requestAnimationFrame(run);
    };
    run(began);
  }
}

// The end of a deletion brings the panel into a page that is open.
function ready() {
  const panel = document.querySelector("[data-player][hidden]");
  if (panel) new Player(panel);
}
const progress = document.getElementById("progress");
new MutationObserver(ready).observe(progress, { childList: true });
ready();
