// Keeps what is typed into a form for text (form[data-draft]) in this browser, and sends it
// once, whatever happens on the way. Without this file the browser sends the form, and
// keeps what was typed as well as it can.
//
// A draft is an item of localStorage under "draft:USER:PATH:INCARNATION". It holds all
// fields of the form, those that were typed and the rest, so also the idempotency key: a draft
// that comes back is the same post. Two tabs with one form have one draft, which either may end;
// the other form holds its text all the same. draft_end.js removes the drafts of a user who signs out.

// How long to wait before a form is sent again, in milliseconds: at first, and at most.
const soon = 1000;
const late = 30_000;
// How long to wait for an answer. The server gives up before.
const patience = 20_000;

const visible = ({ type, readOnly, name }) =>
  (type === "text" || type === "textarea") && !readOnly && !name.startsWith("sign-in-");
const hidden = ({ type, name }) => type === "hidden" && name !== "user" && name !== "incarnation";

const read = (name) => JSON.parse(localStorage.getItem(name));
const valuesOf = (controls) => Object.fromEntries(controls.map(({ name, value }) => [name, value]));
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

class Draft {
  #sending = false;
  #stopped = false;
  #wake = () => {};

  constructor(form) {
    this.form = form;
    this.path = new URL(form.getAttribute("action"), location.href).pathname;
    const { user, incarnation } = form.elements;
    // The drafts of one form, for all channels that have had the name.
    this.family = `draft:${user?.value ?? ""}:${this.path}:`;
    this.name = this.family + (incarnation?.value ?? "");
    this.#line();
    this.#begin();
    form.addEventListener("input", () => this.#keep());
    form.addEventListener("submit", (event) => this.#submit(event));
    addEventListener("online", () => this.#wake());
    document.addEventListener("visibilitychange", () => this.#wake());
  }

  #controls(which) {
    return [...this.form.elements].filter(which);
  }

  // #line makes the line that says what becomes of the draft.
  #line() {
    const line = document.createElement("div");
    line.className = "kept";
    this.status = document.createElement("p");
    this.status.setAttribute("role", "status");
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "plain";
    this.button.hidden = true;
    this.button.addEventListener("click", () => this.act());
    line.append(this.status, this.button);
    this.form.querySelector(".acts").before(line);
  }

  // #say shows a sentence, and a button if there is something to do about it.
  #say(words, label = "", act = null) {
    if (this.status.textContent !== words) this.status.textContent = words;
    this.button.textContent = label;
    this.button.hidden = !label;
    this.act = act;
  }

  // #begin finds out what the form is to hold: what was refused, what was kept, or
  // what the server wrote into it.
  #begin() {
    const kept = read(this.name);
    if (this.form.dataset.draft === "sent") {
      this.#forget(this.#others().filter((name) => this.#same(read(name))));
      this.#keep();
    } else if (kept) {
      this.#fill(kept, () => true);
      this.#sayKept();
    } else {
      this.#offer();
    }
  }

  #fill({ typed, rest }, which) {
    const values = { ...typed, ...rest };
    for (const control of this.#controls((c) => (visible(c) || hidden(c)) && c.name in values && which(c))) {
      control.value = values[control.name];
    }
    this.form.dispatchEvent(new Event("input", { bubbles: true }));
    for (const control of this.#controls(visible)) control.dispatchEvent(new Event("input"));
    for (let fold = this.form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  get #values() {
    return { typed: valuesOf(this.#controls(visible)), rest: valuesOf(this.#controls(hidden)) };
  }

  #same({ typed }) {
    return this.#controls(visible).every(({ name, value }) => value === typed[name]);
  }

  // sharesFields reports whether another form sends what is typed into this one.
  sharesFields(other) {
    return this.#controls(visible).some(({ name }) => other.elements[name]);
  }

  #changed() {
    const typed = this.#controls(visible);
    return this.form.dataset.draft === "sent"
      ? typed.some(({ value }) => value)
      : typed.some(({ value, defaultValue }) => value !== defaultValue);
  }

  #keep() {
    if (this.#sending) return;
    if (!this.#changed()) {
      this.#forget([this.name]);
      this.#say("");
      return;
    }
    try {
      localStorage.setItem(this.name, JSON.stringify(this.#values));
    } catch {
      this.#say("This browser has no room to keep the draft.");
      return;
    }
    this.#sayKept();
  }

  #sayKept() {
    this.#say("Draft kept in this browser until you sign out.", "Discard", () => this.#discard());
  }

  #discard() {
    const values = this.#values;
    this.#forget([this.name]);
    for (const control of this.#controls(visible)) {
      control.value = this.form.dataset.draft === "sent" ? "" : control.defaultValue;
      control.dispatchEvent(new Event("input")); // form.js counts its characters
    }
    // The old key may have been sent, and then it belongs to the old text.
    const { key } = this.form.elements;
    if (key) key.value = newKey();
    this.#say("Draft discarded.", "Undo", () => {
      this.#fill(values, () => true);
      this.#keep();
    });
  }

  // #others are the drafts for channels that had the name before this one.
  #others() {
    return Object.keys(localStorage).filter((name) => name.startsWith(this.family) && name !== this.name);
  }

  #forget(names) {
    for (const name of names) localStorage.removeItem(name);
  }

  // concludes lets draft_end.js remove the draft, if the form that the browser sends succeeds.
  concludes() {
    sessionStorage.setItem("draft-end", this.name);
  }

  // #offer offers a draft for an earlier channel of the name. It is not put into the
  // form unasked: a post for one channel is none for another.
  #offer() {
    const other = this.#others().find((name) => !this.#same(read(name)));
    if (!other) return;
    this.#say("A new channel has this name now. A draft for the old one is kept in this browser.", "Put my text in this form", () => {
      this.#fill(read(other), visible);
      this.#forget([other]);
      this.#keep();
    });
    for (let fold = this.form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  #submit(event) {
    if (event.submitter?.hasAttribute("formaction")) return; // a preview
    if (this.form.elements["sign-in-password"]) {
      // The browser sends this one: each try of a password counts.
      this.concludes();
      return;
    }
    event.preventDefault();
    if (!this.#sending) this.#send(event.submitter);
  }

  // #send sends the form until it is answered. Each time it has the same key, and what
  // else says that it is the same, so it takes effect once.
  async #send(submitter) {
    this.#keep();
    this.#sending = true;
    this.#stopped = false;
    this.#freeze(true);
    const body = new URLSearchParams(new FormData(this.form, submitter));
    const slow = setTimeout(() => this.#say("Sending…"), soon);
    for (let wait = soon; ; wait = Math.min(2 * wait, late)) {
      const answer = await this.#post(body);
      clearTimeout(slow);
      if (this.#stopped) return;
      if (answer?.status === 204) return this.#sent(answer.headers.get("Location"));
      // A proxy answers 502 or 504 for a server that is not there.
      if (answer && answer.status < 502) return this.#leaveToBrowser();
      this.#say(navigator.onLine
        ? "The server does not answer. Your text is kept here, and is sent when it does."
        : "You are offline. Your text is kept here, and is sent when the network is back.",
      "Stop sending", () => this.#stop());
      // A proxy may name a date, which is no number.
      const asked = 1000 * Number(answer?.headers.get("Retry-After")) || 0;
      await this.#pause(Math.max(wait * (0.5 + Math.random()), asked));
      if (this.#stopped) return;
    }
  }

  // #post returns the answer, or null if there is none.
  #post(body) {
    return fetch(this.path, {
      method: "POST",
      body,
      headers: { Prefer: "return=minimal" },
      signal: AbortSignal.timeout(patience),
    }).catch(() => null);
  }

  // #pause ends early when the network comes back, or the reader does.
  #pause(milliseconds) {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, milliseconds);
    });
  }

  #stop() {
    this.#stopped = true;
    this.#sending = false;
    this.#wake();
    this.#freeze(false);
    this.#sayKept();
  }

  #sent(to) {
    this.#forget([this.name]);
    // Otherwise the browser would bring back the text with the page.
    for (const control of this.form.querySelectorAll("[readonly]")) control.value = control.defaultValue;
    location.assign(to);
  }

  // #leaveToBrowser sends a form that was refused once more, by the browser: it shows
  // the page that says why, and Back leads to the form. What was accepted after all was
  // accepted once.
  #leaveToBrowser() {
    this.concludes();
    HTMLFormElement.prototype.submit.call(this.form);
  }

  #freeze(frozen) {
    for (const control of this.#controls(frozen ? visible : ({ readOnly }) => readOnly)) control.readOnly = frozen;
  }
}

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

// A channel that is gone has no form any more. Its page shows what is still kept.
const gone = document.querySelector("[data-drafts]");
if (gone) {
  const start = `draft:${gone.dataset.drafts}:${location.pathname}:`;
  for (const name of Object.keys(localStorage).filter((item) => item.startsWith(start))) {
    const words = document.createElement("textarea");
    words.readOnly = true;
    words.rows = 10;
    words.setAttribute("aria-labelledby", "kept");
    words.value = Object.values(read(name).typed).filter(Boolean).join("\n\n");
    const discard = document.createElement("button");
    discard.type = "button";
    discard.textContent = "Discard";
    discard.addEventListener("click", () => {
      localStorage.removeItem(name);
      words.remove();
      discard.remove();
      gone.hidden = !gone.querySelector("textarea");
    });
    gone.append(words, discard);
    gone.hidden = false;
  }
}

// A page that came back from the browser's memory was left when its form was sent.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
