// Says how many new posts there are above the list that the page shows, and takes them in on a click.
// app.js loads it. The bar has the address to ask.

const pause = 15_000; // in milliseconds
const bar = document.querySelector("[data-news]");
const words = bar.querySelector("span");
let newest; // the id of the newest post that was asked about
let fresh = []; // the new posts

async function ask() {
  if (document.hidden) return;
  // The browser asks with the tag of what it has, and gets 304 if there is nothing new.
  const answer = await fetch(bar.dataset.news, { credentials: "omit", cache: "no-cache" });
  const [first] = (await answer.json()).items;
  if (!first || first.id === newest || document.getElementById(`post-${first.id}`)) return;
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  newest = first.id;
  const posts = [...page.querySelectorAll(".body > .post")];
  const known = posts.findIndex(({ id }) => document.getElementById(id));
  fresh = known < 0 ? posts : posts.slice(0, known);
  bar.hidden = fresh.length === 0;
  words.innerHTML = `${fresh.length} new<span class=unseen> post${fresh.length === 1 ? "" : "s"}</span>`;
}

// takeIn puts the new posts above the others. What the reader reads stays where it is.
bar.addEventListener("click", (event) => {
  const first = document.querySelector(".body > .post");
  if (!first || fresh.length > 19) return; // the page is loaded again
  event.preventDefault();
  const before = first.getBoundingClientRect().top;
  const reads = scrollY > 0;
  first.before(...fresh.filter(({ id }) => !document.getElementById(id)));
  const moved = first.getBoundingClientRect().top - before;
  if (reads) scrollBy({ top: moved, behavior: "instant" });
  bar.hidden = true;
});

const safely = () => ask().catch(() => {}); // the next one asks again
setInterval(safely, pause);
document.addEventListener("visibilitychange", safely);
safely();
