// A vote in a list does not load the page again: the form is sent as it is, and the
// server's answer holds the form that follows it, with the new count. And a post or a reply is deleted
// after 8 s in which that can be undone.

const status = document.createElement("p");
status.className = "unseen";
status.role = "status";
document.body.append(status);

const post = (form, button, prefer) => fetch(form.getAttribute("action"), { // a field is named action, and hides the property
  method: "POST", keepalive: true, headers: { Prefer: prefer }, body: new URLSearchParams(new FormData(form, button)),
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".post .vote")) return;
  event.preventDefault();
  if (event.target.ariaBusy !== "true") vote(event.target, event.submitter);
});

// vote shows the new state, muted, until the server has answered.
async function vote(form, button) {
  document.querySelectorAll(".post > .error").forEach((said) => said.remove());
  const { value, textContent, ariaLabel } = button;
  const sent = post(form, button, "return=representation");
  const gives = value === "vote";
  form.ariaBusy = "true";
  button.value = gives ? "unvote" : "vote";
  if (/^\d*$/.test(textContent)) button.textContent = Number(textContent) + (gives ? 1 : -1) || "";
  button.ariaLabel = `Sending your vote ${button.textContent}`;
  const stays = (...why) => {
    Object.assign(button, { value, textContent, ariaLabel });
    refuse(form.parentElement, "Your vote", gives ? "was not counted" : "was not taken back", ...why);
  };
  try {
    const response = await sent;
    if (response.ok && !response.headers.get("Preference-Applied")) location.reload(); // an older process has answered
    const answer = await parse(response);
    if (response.ok) replace(form, answer.querySelector("form"));
    else stays(response, answer);
  } catch {
    stays();
  }
  form.ariaBusy = null;
}

const parse = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

// replace leaves the focus where it was.
function replace(form, next) {
  const focused = form.contains(document.activeElement);
  form.replaceWith(next);
  if (focused) next.querySelector("button").focus();
  status.textContent = next.dataset.said;
}

// refuse says in a post why something was not done. Who is signed out is led to sign in, and so to this page again.
// If no answer came, the server may have done it all the same.
function refuse(article, thing, failed, response, answer) {
  const said = document.createElement("p");
  said.className = "error";
  said.role = "alert";
  const [title, detail] = ["h1", ".lead"].map((part) => answer?.querySelector(part)?.textContent);
  said.textContent = detail ? `${title}. ${detail}` : `The site does not answer. ${thing} is shown as it was before. Try again.`;
  if (response?.status === 404) said.textContent = `This ${article.matches(".reply") ? "reply" : "post"} has been deleted.`;
  if (response?.status === 401) {
    said.textContent = `${thing} ${failed}. You are not signed in any more. `;
    const link = document.createElement("a");
    link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = "Sign in";
    said.append(link);
  }
  article.querySelector("header").after(said);
}

// waiting are the deletions that are not answered, by the form of each. A page that is left sends them. The next one that
// shows the post sends the same again and says what the answer is: the one to the page that was left is lost.
const waiting = new Map();
const key = ({ elements: { etag, reply }, attributes }) => `${attributes.action.value} ${(reply ?? etag).value}`;
const earlier = sessionStorage.getItem("deleting")?.split("\n") ?? [];
sessionStorage.removeItem("deleting");
let left = false; // whether the page was left while one waited: if it is shown again, it is old
addEventListener("pagehide", () => {
  left = waiting.size > 0;
  if (left) sessionStorage.setItem("deleting", [...waiting.keys()].map(key).join("\n"));
  waiting.forEach((send) => send());
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && left) location.reload();
});

document.addEventListener("click", (event) => {
  const fold = event.target.closest("[data-delete] > summary")?.parentElement;
  if (!fold) return;
  event.preventDefault();
  remove(fold.closest("article"), fold.querySelector("form"));
});

// remove folds a post to what will be done with it, and does it when the time is over or the page is left.
function remove(article, form, now = false) {
  const what = form.parentElement.dataset.delete;
  document.querySelector("main > .notice")?.remove(); // it may say that another is deleted
  const bar = document.createElement("div");
  bar.className = "undo";
  bar.dataset.left = "";
  bar.innerHTML = `<p>Will be deleted in <b>8</b> s, or when you leave this page${"answered" in form.parentElement.dataset ? ", with its replies" : ""}.</p><button type=button>Undo</button>`;
  const [words, undo] = bar.children;
  const title = article.querySelector("h1")?.cloneNode(true); // the page of the post keeps its heading
  if (title) bar.append(title);
  title?.classList.add("unseen");
  const seconds = words.querySelector("b");
  const begun = Date.now();
  const fold = (folded) => {
    article.hidden = folded;
    if (folded) article.before(bar);
    else bar.remove();
  };
  const tick = setInterval(() => {
    seconds.textContent = Math.max(0, 8 - Math.floor((Date.now() - begun) / 1000));
    bar.style.setProperty("--left", 1 - (Date.now() - begun) / 8000);
    if (Date.now() - begun >= 8000) send();
  }, 250);
  async function send() {
    if (!undo.isConnected) return; // it is sent
    clearInterval(tick);
    undo.remove();
    words.textContent = "Deleting…";
    const response = await post(form, null, "return=minimal").catch(() => null);
    waiting.delete(form);
    if (response?.status === 204 || response?.status === 404) {
      words.textContent = status.textContent = "Deleted.";
      delete bar.dataset.left;
      if (article.matches(".alone")) location.assign(response.headers.get("Location") ?? "/"); // its replies stay hidden until then
      else article.remove();
      return;
    }
    fold(false);
    refuse(article, `The ${what}`, "was not deleted", response, response && await parse(response));
  }
  waiting.set(form, send);
  fold(true);
  if (now) return void send();
  undo.focus();
  status.textContent = `The ${what} will be deleted in 8 seconds, or when you leave this page. You can undo that.`;
  undo.addEventListener("click", () => {
    clearInterval(tick);
    waiting.delete(form);
    fold(false);
    form.closest(".drop")?.removeAttribute("open");
    (form.closest(".drop, article > .acts") ?? article).querySelector("summary")?.focus();
    status.textContent = `The ${what} stays.`;
  });
}

for (const form of document.querySelectorAll("[data-delete] form")) {
  if (earlier.includes(key(form))) remove(form.closest("article"), form, true);
}

// A user is told of new replies to their own posts: those since this browser last showed the last page of the post, or else
// since it first showed any list or a user signed out (draft_end.js). Other times are those that the server writes, to the second.
function tellOfReplies() {
  const since = localStorage.getItem("replied") ?? `${new Date().toISOString().slice(0, 19)}Z`;
  localStorage.setItem("replied", since);
  for (const link of document.querySelectorAll("a[data-replied]")) {
    const seen = localStorage.getItem(`replied:${link.closest("[id]").id}`) ?? since;
    if (link.dataset.replied <= seen) continue;
    link.firstChild.replaceWith(Object.assign(document.createElement("mark"), { textContent: "New replies" }));
    link.search = "?after=last"; // the first page may not have them
  }
  const own = document.querySelector("article[data-replied]");
  const note = () => {
    if (localStorage.getItem("replied") !== since) return; // the user has signed out in another tab
    const times = [...document.querySelectorAll(".reply time")].map(({ dateTime }) => dateTime);
    localStorage.setItem(`replied:${own.id}`, [own.dataset.replied, ...times].sort().at(-1));
  };
  if (!own || !document.querySelector("[data-news]")) return; // a later page has the newest
  note();
  addEventListener("pagehide", note); // with the author's own replies
}
try {
  tellOfReplies();
} catch {
  // This browser keeps nothing for this site.
}
