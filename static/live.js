// Tells how many posts are newer than those on the page. It asks at once, since app.js
// loads it late, and then now and then, while somebody looks at the page. After a failure
// it asks less often. Nothing is inserted: the notice is a link, which loads the page again.
const place = document.querySelector("[data-news]");
const answers = {}; // by continuation: a feed answers for a few channels at a time
const least = 20000, most = 600000;
let wait = least, after = "";

async function ask() {
  if (!document.hidden) {
    const known = answers[after];
    const reply = await fetch(place.dataset.news + "&after=" + after, {
      headers: known ? { "If-None-Match": known.tag } : {},
    }).catch(() => ({}));
    const { status } = reply;
    if (status === 404 || status === 410 || status === 401) return; // there is no more to come
    // What a proxy has written in the site's place is a failure, too.
    const answer = reply.ok && await reply.json().catch(() => null);
    if (answer) answers[after] = { tag: reply.headers.get("ETag"), ...answer };
    if (answer || status === 304) {
      after = answers[after].next ?? "";
      wait = least;
      tell();
    } else {
      wait = Math.min(2 * wait, most);
    }
  }
  later();
}

function tell() {
  const n = Object.values(answers).reduce((sum, answer) => sum + answer.new, 0);
  if (!n) return;
  const link = place.firstElementChild ?? document.createElement("a");
  const words = `${n > 20 ? "20+" : n} new post${n > 1 ? "s" : ""}: show`;
  if (link.textContent === words) return;
  link.textContent = words;
  link.href = location.pathname;
  link.className = "button";
  place.append(link);
}

// A random time keeps many readers from asking at once.
const later = () => setTimeout(ask, wait * (1 + Math.random() / 2));
ask();
