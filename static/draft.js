// Keeps what is typed into a form for text (form[data-draft]) in this browser, and sends it
// once, whatever happens on the way. Without this file the browser sends the form, and
// keeps what was typed as well as it can.
//
// A draft is an item of localStorage under "draft:USER:PATH:INCARNATION:TAB". It holds all
// fields of the form, those that were typed, what was chosen, and the rest, so also the idempotency key: a draft
// that comes back is the same post. A post that is on its way is such an item too, with ":KEY"
// behind its name, until the server has answered. draft_end.js removes the drafts of a user who signs out.

// How long to wait before a form is sent again, in milliseconds: at first, and at most.
const soon = 1000;
const late = 30_000;
// How long to wait for an answer. The server gives up before.
const patience = 20_000;

const typed = ({ type, readOnly }) => (type === "text" || type === "textarea") && !readOnly;
const rest = ({ type, name }) => (type === "hidden" && !["user", "incarnation", "next"].includes(name)) || type === "select-one";
const choice = ({ type }) => type === "radio" || type === "checkbox";

const read = (name) => JSON.parse(localStorage.getItem(name));
const named = (start) => Object.keys(localStorage).filter((name) => name.startsWith(start)).sort();
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const make = (tag, fields) => Object.assign(document.createElement(tag), fields);
// place is a path without the day and the words of a post, which are others once it is edited.
const place = (path) => path.replace(/^(\/channels\/[^/]+)\/[^/]+\/(?:[^/]*-)?([^/-]+)$/, "$1/blogs/$2");
const words = (draft) => Object.values(draft.typed).filter(Boolean).join("\n\n");

// A tab has a name, for as long as it is open. It holds a lock, so that others know that it is. A
// tab that was made as a copy of another gets a name of its own.
const hold = (name) => new Promise((held) => {
  if (!navigator.locks) held(true); // a site without HTTPS
  else {
    navigator.locks.request(`tab:${name}`, { signal: AbortSignal.timeout(500) }, () => {
      held(true);
      return new Promise(() => {});
    }).catch(() => held(false));
  }
});
let tab = sessionStorage.getItem("tab") ?? newKey();
if (!await hold(tab)) await hold(tab = newKey());
sessionStorage.setItem("tab", tab);
const open = (await navigator.locks?.query())?.held.map(({ name }) => name);
const isOpen = (name) => open?.includes(`tab:${name}`) ?? true;

// Whether the user has signed out in another tab. What is typed here is then kept no more.
let signedOut = false;

// waking are called when the network or the reader comes back.
const waking = new Set();
const wake = () => waking.forEach((go) => go());
addEventListener("online", wake);
document.addEventListener("visibilitychange", wake);

// deliver sends a form until it is answered. Each time it has the same key, and what else says that it is
// the same, so it takes effect once, also if the page is left meanwhile. It returns null if it was stopped.
async function deliver(path, body, prefer, stop, tell) {
  const slow = setTimeout(() => tell("Sending…"), soon);
  for (let wait = soon; ; wait = Math.min(2 * wait, late)) {
    const answer = await fetch(path, {
      // A browser refuses to keep alive what is larger than 64 KiB.
      method: "POST", body, keepalive: String(body).length < 30_000, headers: { Prefer: prefer }, signal: AbortSignal.timeout(patience),
    }).catch(() => null);
    clearTimeout(slow);
    if (stop.aborted) return null;
    // A proxy answers 502 or 504 for a server that is not there.
    if (answer && answer.status < 502) return answer;
    tell(navigator.onLine ? "The server does not answer. Sent when it does." : "No network. Sent when it is back.");
    // A proxy may name a date, which is no number.
    const asked = 1000 * Number(answer?.headers.get("Retry-After")) || 0;
    await new Promise((resolve) => {
      const go = () => resolve(waking.delete(go));
      waking.add(go);
      stop.addEventListener("abort", go);
      setTimeout(go, Math.max(wait * (0.5 + Math.random()), asked));
    });
    if (stop.aborted) return null;
  }
}

class Draft {
  #stop = null;

  constructor(form) {
    this.form = form;
    this.path = new URL(form.getAttribute("action"), location.href).pathname;
    const { user, incarnation, titled } = form.elements;
    // The drafts of one form, for all channels that have had the name.
    this.family = `draft:${user?.value ?? ""}:${place(this.path)}:`;
    this.base = `${this.family}${incarnation?.value ?? ""}:`;
    this.name = this.base + tab;
    this.#line();
    this.#begin();
    form.addEventListener("input", () => this.#keep());
    form.addEventListener("submit", (event) => this.#submit(event));
    form.querySelector("[data-cancel]")?.addEventListener("click", () => this.#cancel());
    titled?.addEventListener("change", () => {
      if (titled.checked) form.elements.title.focus();
      else this.#put("title", "");
    });
    addEventListener("storage", ({ key, newValue }) => this.#hear(key, newValue));
    document.dispatchEvent(new Event("form:new")); // form.js counts its characters
  }

  #controls(which) {
    return [...this.form.elements].filter((control) => control.name && which(control));
  }

  // #line makes the line that says what becomes of the draft.
  #line() {
    const line = make("div", { className: "kept" });
    this.status = make("p", { role: "status" });
    this.button = make("button", { type: "button", className: "plain", hidden: true });
    this.button.addEventListener("click", () => this.act());
    line.append(this.status, this.button);
    this.form.querySelector(".acts").before(line);
  }

  // #say shows a sentence, and a button if there is something to do about it.
  #say(sentence, label = "", act = null) {
    if (this.status.textContent !== sentence) this.status.textContent = sentence;
    this.button.textContent = label;
    this.button.hidden = !label;
    this.act = act;
  }

  // #begin finds out what the form is to hold: what was refused, what was kept, or
  // what the server wrote into it. A draft of a tab that was closed belongs to the first who comes.
  #begin() {
    const drafts = named(this.base).map((name) => ({ name, of: name.slice(this.base.length).split(":") }));
    const mine = drafts.filter(({ of: [by] }) => by === tab || !isOpen(by));
    const kept = mine.find(({ of, name }) => of.length === 1 && name === this.name) ?? mine.find(({ of }) => of.length === 1);
    if (this.form.dataset.draft === "merge") {
      this.before = localStorage.getItem(this.name); // a merge is no draft while nothing is typed into it
    } else if (this.form.dataset.draft === "sent") {
      this.#restore();
      this.#forget(named(this.family).filter((name) => this.#same(read(name))));
      this.#keep();
    } else if (kept) {
      this.#fill(read(kept.name), () => true);
      this.#forget([kept.name]);
      this.#keep();
    } else {
      this.#renew(); // the page in another tab has the same key
      this.#offer();
    }
    for (const { name } of mine.filter(({ of }) => of.length === 2)) {
      if (localStorage.getItem(name)) this.#pend(name, read(name));
    }
  }

  // #restore makes what is saved what the form begins with: the server wrote into it what was refused.
  // The field "base" has what is saved, in the order of the fields. A form for something new has none.
  #restore() {
    const saved = JSON.parse(this.form.elements.base?.value || "[]");
    for (const [i, control] of this.#controls(typed).entries()) {
      const { value } = control;
      control.defaultValue = control.name.startsWith("add-") ? "" : saved[i] ?? ""; // what adds to a list is never saved as such
      control.value = value;
    }
  }

  #put(name, value) {
    this.form.elements[name].value = value;
    this.form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  }

  #fill(draft, which) {
    const values = { ...draft.typed, ...draft.rest };
    for (const control of this.#controls((c) => (typed(c) || rest(c)) && c.name in values && which(c))) {
      // A choice that there is no more stays as it is.
      if (control.type !== "select-one" || [...control.options].some(({ value }) => value === values[control.name])) control.value = values[control.name];
    }
    for (const control of this.#controls((c) => choice(c) && draft.chosen?.[c.name] && which(c))) control.checked = draft.chosen[control.name].includes(control.value);
    if (this.form.elements.titled) this.form.elements.titled.checked = Boolean(values.title);
    for (const control of this.#controls(typed)) control.dispatchEvent(new Event("input"));
    for (let fold = this.form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  get #values() {
    const of = (which) => Object.fromEntries(this.#controls(which).map(({ name, value }) => [name, value]));
    const chosen = {};
    for (const { name, value, checked } of this.#controls(choice)) chosen[name] = [...chosen[name] ?? [], ...checked ? [value] : []];
    return { typed: of(typed), rest: of(rest), chosen };
  }

  #same(draft) {
    return this.#controls(typed).every(({ name, value }) => value === draft.typed[name]);
  }

  // sharesFields reports whether another form sends what is typed into this one.
  sharesFields(other) {
    return this.#controls(typed).some(({ name }) => other.elements[name]);
  }

  get #changed() {
    return this.#controls(typed).some(({ value, defaultValue }) => value !== defaultValue);
  }

  #keep() {
    if (this.#stop) return;
    if (signedOut) return void this.#say(this.#changed ? "You have signed out in another tab, so this draft is not kept." : "");
    if (!this.#changed) {
      this.#forget([this.name]);
      if (this.before) localStorage.setItem(this.name, this.before);
      this.#say("");
      return;
    }
    try {
      localStorage.setItem(this.name, JSON.stringify(this.#values));
      const label = this.form.dataset.draft === "merge" ? "" : "Discard"; // there it would be next to "Discard mine"
      this.#say("Draft kept in this browser until you sign out.", label, () => this.#discard());
    } catch {
      this.#say("This browser has no room to keep the draft.");
    }
  }

  // #empty leaves the form as it began, with a new key: the old one may have been sent,
  // and then it belongs to the old text.
  #empty() {
    this.#forget([this.name]);
    for (const control of this.#controls(typed)) {
      control.value = control.defaultValue;
      control.dispatchEvent(new Event("input")); // form.js counts its characters
    }
    for (const control of this.#controls(choice)) control.checked = control.defaultChecked;
    this.#renew();
    if (this.form.elements.titled) this.form.elements.titled.checked = false;
  }

  #renew() {
    if (this.form.elements.key) this.form.elements.key.value = newKey();
  }

  // #acquit takes away what was said of a text that the form holds no more.
  #acquit() {
    for (const past of this.form.parentElement.querySelectorAll(":scope > form[data-draft] :is(.error, .notice), :scope > .preview")) past.remove();
    for (const control of this.form.elements) control.removeAttribute("aria-invalid");
    document.title = document.title.replace(/^Error: /, "");
  }

  #discard() {
    const values = this.#values;
    this.#empty();
    this.#acquit();
    this.#say("Draft discarded.", "Undo", () => {
      this.#fill(values, () => true);
      this.#keep();
    });
    // The form is shorter now.
    this.button.focus({ preventScroll: true });
    this.status.parentElement.scrollIntoView({ block: "nearest" });
  }

  // #cancel lets the next page offer to bring back what was typed.
  #cancel() {
    const draft = localStorage.getItem(this.name);
    if (draft) sessionStorage.setItem("cancelled", JSON.stringify({ name: this.name, draft, from: location.href }));
    this.#forget([this.name]);
  }

  #forget(names) {
    for (const name of names) localStorage.removeItem(name);
  }

  // concludes lets draft_end.js remove the draft, if the form that the browser sends succeeds.
  concludes() {
    sessionStorage.setItem("draft-end", this.name);
  }

  // #offer offers what is typed into this form in another tab, or was for an earlier channel of the name. It is
  // not put into the form unasked: a post for one channel is none for another.
  #offer() {
    const other = named(this.family).find((name) => name.split(":").length === 5 && name !== this.name && !this.#same(read(name)));
    if (!other) return;
    const tabs = other.startsWith(this.base);
    const begin = words(read(other)).replaceAll(/\s+/g, " ");
    const sentence = tabs
      ? `Another tab has a draft of this: “${begin.length > 30 ? `${begin.slice(0, 30)}…` : begin}”`
      : "A new channel has this name now. A draft for the old one is kept in this browser.";
    this.#say(sentence, tabs ? "Take it here" : "Put my text in this form", () => {
      const taken = read(other);
      if (taken) this.#fill(taken, tabs ? () => true : typed);
      this.#forget([other]);
      this.#keep();
    });
    for (let fold = this.form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  // #hear is told what another tab has changed.
  #hear(name, value) {
    if (name === "draft-end" && value && this.name.startsWith(value)) {
      signedOut = true;
      this.#keep();
    } else if (name === this.name && value === null && this.#changed && !this.#stop) {
      this.#renew();
      this.#say("Another tab has taken or removed this draft.");
    } else if (name?.startsWith(this.base) && !this.#changed) {
      this.#say("");
      this.#offer();
    }
  }

  #submit(event) {
    if (event.submitter?.hasAttribute("formaction")) return; // a preview
    event.preventDefault();
    if (this.#stop) return;
    const body = new URLSearchParams(new FormData(this.form, event.submitter));
    // A channel that is made with the post is known to the next page.
    if (signedOut || !this.form.matches(".compose") || body.get("channel") === "") return void this.#send(body);
    const name = `${this.name}:${body.get("key")}`;
    const sent = { ...this.#values, body: String(body) };
    try {
      localStorage.setItem(name, JSON.stringify(sent));
    } catch {
      return void this.#send(body); // and keep the text in the form until it is answered
    }
    this.#empty();
    this.#acquit();
    this.#say("");
    this.form.elements.text.focus();
    this.#pend(name, sent);
  }

  // #send sends the form while its text stays in it.
  async #send(body) {
    this.#keep();
    this.#stop = new AbortController();
    this.#freeze(true);
    const answer = await deliver(this.path, body, "return=minimal", this.#stop.signal, (sentence) => this.#say(sentence, "Stop", () => this.#stop.abort()));
    this.#freeze(false);
    this.#stop = null;
    if (!answer) this.#keep();
    else if (answer.status === 204) {
      this.#forget([this.name]);
      // Otherwise the browser would bring back the text with the page.
      for (const control of this.#controls(typed)) control.value = control.defaultValue;
      location.assign(answer.headers.get("Location"));
    } else this.#refused(await parse(answer));
  }

  // #refused shows why, in the form if it is there, and else in its place.
  #refused(page) {
    const next = this.form.matches(".compose") && page.querySelector("form.compose");
    if (next) {
      this.form.replaceWith(next);
      new Draft(next);
    } else {
      // The header says whether the reader is signed in.
      for (const part of [".top", "main"]) document.querySelector(part).replaceWith(page.querySelector(part));
      document.title = page.title;
      prepare();
      scrollTo(0, 0);
    }
    document.querySelector("main [autofocus]")?.focus();
  }

  // #pend shows a post in the list until it is real, or comes back into the form with the reason.
  async #pend(name, sent) {
    const article = pending(this.form, sent);
    const stop = new AbortController();
    article.tell("Sending…");
    const answer = await deliver(this.path, new URLSearchParams(sent.body), "return=representation", stop.signal,
      (sentence) => article.tell(sentence, ["Stop", () => stop.abort()]));
    const back = () => {
      const values = this.#changed ? this.#values : null;
      article.remove();
      this.#forget([name]);
      this.#fill(sent, () => true);
      this.#keep();
      this.form.elements.text.focus();
      if (values) {
        this.#say("What you were writing is set aside.", "Bring it back", () => {
          this.#fill(values, () => true);
          this.#keep();
        });
      }
    };
    if (!answer) return back();
    const page = await parse(answer);
    if (answer.ok) {
      const real = page.querySelector("article");
      this.#forget([name]);
      if (!real) return location.reload(); // an older process has answered
      if (this.form.matches(".reply") && !this.#changed) { // others may have replied since the page was shown, or filled it
        const at = new URL(answer.headers.get("Location") ?? "", location); // an older process does not say it
        if (at.search !== location.search) return location.assign(at);
        location.hash = real.id;
        return location.reload();
      }
      if (document.getElementById(real.id)) article.remove();
      else article.replaceWith(real);
      document.querySelector(".body > .empty")?.remove();
      const where = real.querySelector(".in .ch")?.innerText;
      if (!this.#changed) this.#say(`Your ${what(this.form)} is published.${where ? ` It is in ${where}.` : ""}`);
      return;
    }
    const why = ["main .error", "main .notice.bad p", "h1"].map((part) => page.querySelector(part)).find(Boolean)?.textContent.trim() ?? "";
    if (this.#changed) {
      article.tell(`Not sent. ${why}`, ["Edit", back], ["Try again", () => {
        article.remove();
        this.#pend(name, sent);
      }]);
      const signIn = page.querySelector('main a[href="/sign-in"]'); // opens another tab
      if (signIn) article.querySelector(".kept").prepend(signIn);
    } else if (!page.querySelector("textarea")) { // the server has not read the text
      back();
      this.#say(`Not sent. ${why}`);
    } else {
      article.remove();
      this.#forget([name]);
      // A page without a form only shows the text. The draft stays for the form when it is back.
      if (!page.querySelector("form[data-draft]")) {
        localStorage.setItem(this.name, JSON.stringify(sent));
        const hint = page.createElement("p");
        hint.className = "hint";
        hint.textContent = "Your draft is kept in this browser until you sign out.";
        (page.querySelector("main .body") ?? page.querySelector("main")).append(hint);
      }
      this.#refused(page);
    }
  }

  #freeze(frozen) {
    for (const control of this.#controls(frozen ? typed : ({ readOnly }) => readOnly)) control.readOnly = frozen;
  }
}

const parse = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

const what = (form) => (form.matches(".reply") ? "reply" : "post");

// pending makes the article of a post or a reply that is on its way. A reply is the last one above its form.
function pending(form, sent) {
  const article = make("article", { className: "post pending", ariaBusy: "true" });
  const said = make("span", { role: "status" });
  const acts = make("span", { className: "kept" });
  const header = make("header");
  header.append(make("b", { className: "by", textContent: form.elements.user.value }), said, acts);
  const title = make("h2", { dir: "auto", textContent: sent.typed.title || `Your ${what(form)}, not sent yet`, className: sent.typed.title ? "" : "unseen" });
  article.append(make("span", { className: "vote", textContent: "…", ariaHidden: "true" }), header, title,
    make("div", { className: "text", dir: "auto", textContent: sent.typed.text }));
  article.tell = (sentence, ...buttons) => {
    said.textContent = `· ${sentence}`;
    acts.replaceChildren(...buttons.map(([textContent, act]) => {
      const button = make("button", { type: "button", className: "plain", textContent });
      button.addEventListener("click", act);
      return button;
    }));
  };
  const place = form.matches(".reply") ? form : form.parentElement.querySelector(":scope > :is(.post:not(.pending), .empty, .pager, section)");
  if (place) place.before(article);
  else form.parentElement.append(article);
  return article;
}

// prepare makes drafts of the forms of the page.
function prepare() {
  const places = new Map();
  for (const form of document.querySelectorAll("form[data-draft]")) {
    const draft = new Draft(form);
    places.set(draft.path, draft);
  }
  // Another form of the page may conclude the draft: the one that keeps what is shown.
  for (const form of document.querySelectorAll("form[method=post]:not([data-draft])")) {
    const draft = places.get(form.getAttribute("action"));
    if (draft?.sharesFields(form)) form.addEventListener("submit", () => draft.concludes());
  }
}
prepare();

// A channel that is gone has no form any more. Its page shows what is still kept.
const gone = document.querySelector("[data-drafts]");
if (gone) {
  for (const name of named(`draft:${gone.dataset.drafts}:${place(location.pathname)}:`)) {
    const text = make("textarea", { readOnly: true, rows: 10, value: words(read(name)) });
    text.setAttribute("aria-labelledby", "kept");
    const discard = make("button", { type: "button", textContent: "Discard" });
    discard.addEventListener("click", () => {
      localStorage.removeItem(name);
      text.remove();
      discard.remove();
      gone.hidden = !gone.querySelector("textarea");
    });
    gone.append(text, discard);
    gone.hidden = false;
  }
}

// A page that came back from the browser's memory was left when its form was sent.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
