// The page of rows. While a deletion is under way, the part that changes is fetched again.

const pause = 1000; // in milliseconds

let shown = document.getElementById("rows");
let known = shown.outerHTML;

// renew puts in what is new. The folds that are open stay open, and the focus stays.
async function renew() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("rows");
  if (!next || next.outerHTML === known || shown.querySelector(":active")) return;
  known = next.outerHTML;
  for (const fold of next.querySelectorAll("details")) fold.open = document.getElementById(fold.id)?.open ?? fold.open;
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : "";
  shown.replaceWith(next);
  shown = next;
  if (focused) document.getElementById(focused)?.focus();
}

async function follow() {
  while ("live" in shown.dataset) {
    await new Promise((next) => setTimeout(next, pause));
    if (!document.hidden) await renew().catch(() => {}); // the next one asks again
  }
}

// A link to what is in a fold opens it.
document.addEventListener("click", ({ target }) => {
  const fold = document.getElementById(target.closest?.("main a[href^='#']")?.hash.slice(1))?.closest("details");
  if (fold) fold.open = true;
});

follow();
