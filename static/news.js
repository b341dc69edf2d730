// Says how many new posts there are above the list that the page shows, or how many new replies there are below the
// post, and takes them in on a click. app.js loads it. The bar has the address to ask.

const pause = 15_000; // in milliseconds
const bar = document.querySelector("[data-news]");
const words = bar.querySelector("span");
const replies = document.querySelector(".alone") !== null; // the page is that of a post
const [one, many] = replies ? ["reply", "replies"] : ["post", "posts"];
let newest; // the id of the newest post that was asked about, or when the post was replied to
let fresh = []; // the new posts or replies
let whole = false; // whether a click loads the page again
let gone = false; // whether the post was deleted, or the channel

const isShown = ({ id }) => document.getElementById(id) !== null;

async function ask() {
  if (document.hidden || gone) return;
  // The browser asks with the tag of what it has, and gets 304 if there is nothing new.
  const answer = await fetch(bar.dataset.news, { credentials: "omit", cache: "no-cache" });
  gone = answer.status === 404 || answer.status === 410;
  if (gone) return;
  const { items, repliedOn } = await answer.json();
  const now = replies ? repliedOn : items[0]?.id;
  if (!now || now === newest || document.getElementById(`post-${now}`)) return;
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  newest = now;
  if (replies) {
    const all = [...page.querySelectorAll("article.reply")];
    fresh = all.filter((reply) => !isShown(reply));
    // The page is full and others have the rest, or more have come than the last page has.
    whole = page.querySelector("[rel=next]") !== null || (fresh.length === all.length && document.querySelector("article.reply") !== null);
    if (whole) bar.search = "?after=last";
  } else {
    const posts = [...page.querySelectorAll(".body > .post")];
    const known = posts.findIndex(isShown);
    fresh = known < 0 ? posts : posts.slice(0, known);
    whole = fresh.length > 19;
  }
  bar.hidden = fresh.length === 0 && !whole;
  words.innerHTML = `${fresh.length || ""} new<span class=unseen> ${fresh.length === 1 ? one : many}</span>`;
}

// addPosts puts the new posts above the others. What the reader reads stays where it is.
function addPosts(posts) {
  const first = document.querySelector(".body > .post");
  const before = first.getBoundingClientRect().top;
  const reads = scrollY > 0;
  first.before(...posts);
  const moved = first.getBoundingClientRect().top - before;
  if (reads) scrollBy({ top: moved, behavior: "instant" });
}

// addReply puts a new reply after those that are older: the reader's own may be below the bar. The ids sort by time.
function addReply(reply) {
  const older = [...document.querySelectorAll("article.reply[id]")].findLast(({ id }) => id < reply.id);
  if (older) older.after(reply);
  else bar.before(reply);
}

bar.addEventListener("click", (event) => {
  if (whole || !document.querySelector(".body > .post")) return;
  event.preventDefault();
  const added = fresh.filter((article) => !isShown(article));
  if (replies) added.forEach(addReply);
  else addPosts(added);
  bar.hidden = true;
});

const safely = () => ask().catch(() => {}); // the next one asks again
setInterval(safely, pause);
document.addEventListener("visibilitychange", safely);
safely();
