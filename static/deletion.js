// The page of a deletion. Each event brings the part of the page that changed. Screen
// readers read out the headline when it changes, not every second.
const progress = document.querySelector("#progress[data-events]");
const announcement = document.getElementById("announcement");
const lost = document.getElementById("lost");

// How long to wait, in milliseconds, before an order is sent again that did not get through.
const pause = 2000;

function announce(text) {
  if (announcement.textContent !== text) announcement.textContent = text;
}

// show puts the new part in, and leaves the focus on the control that had it. While that
// control is away, as a button is while its worker works, the section of the lesson has it.
let wanted = "";
function show(html) {
  if (pressing) {
    held = html;
    return;
  }
  const { id } = document.activeElement;
  const inside = progress.contains(document.activeElement);
  if (inside && id !== "lesson") wanted = id;
  progress.innerHTML = html;
  if (inside) (document.getElementById(wanted) ?? document.getElementById("lesson"))?.focus();
  announce(progress.firstElementChild.dataset.announce);
  countDown();
}

// While a button is held down the part stays as it is: otherwise the click would be lost.
let pressing = false;
let held = "";
function release() {
  pressing = false;
  if (held) show(held);
  held = "";
}

// countDown shows how long the lease of a worker still lasts that was killed.
let counting = 0;
function countDown() {
  clearInterval(counting);
  const parts = [...progress.querySelectorAll("[data-left]")];
  const began = performance.now();
  if (parts.length === 0) return;
  counting = setInterval(() => {
    for (const part of parts) {
      const left = Math.max(0, part.dataset.left - Math.floor((performance.now() - began) / 1000));
      part.querySelector("b").textContent = left;
    }
  }, 250);
}

// An order of a lesson is sent without leaving the page, whose stream shows what comes of
// it. If it is refused, the browser sends it and shows why. The page may have changed by
// then, and the browser sends no form that is not part of it.
async function stay(form) {
  if (await taken(form)) return;
  document.body.append(form);
  form.submit();
}

// taken sends an order until it is answered. One that arrives twice does no harm.
async function taken(form) {
  const body = new URLSearchParams(new FormData(form));
  for (;;) {
    try {
      // form.action would be the field of that name.
      const { type } = await fetch(form.getAttribute("action"), { method: "POST", body, redirect: "manual" });
      lost.hidden = true;
      return type === "opaqueredirect";
    } catch {
      lost.hidden = false;
      announce(lost.textContent);
    }
    await new Promise((next) => setTimeout(next, pause));
  }
}

if (progress) {
  countDown();
  progress.addEventListener("news", (event) => show(event.detail));
  progress.addEventListener("pointerdown", () => { pressing = true; });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(release));
  progress.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-stay]")) return;
    event.preventDefault();
    stay(event.target);
  });
}
