// The sites that the Go test has started, a browser, and visitors who use it. Each third
// of the files runs in a process with a browser of its own (shareOut), and each visitor has
// their own cookies. No test waits for a fixed time: a visitor waits until something is shown.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach } from "node:test";
import { chromium } from "playwright-core";
import { hands } from "./visitor_hands.mjs";

// The sites, named by what is special about each. See sitesForTheBrowser in
// ../browser_test.go.
export const sites = {
  // Has the sample data and a worker.
  sample: process.env.SITE_SAMPLE,
  // The same. Runs with the race detector if the tests do.
  raced: process.env.SITE_RACED,
  // Was empty at first, and has no worker.
  idle: process.env.SITE_IDLE,
  // Has a worker whose sweeps are held back until deletion.test.mjs lets them pass.
  held: process.env.SITE_HELD,
  // Has a store that cannot be reached.
  down: process.env.SITE_DOWN,
};

// Bounds every wait, in milliseconds. A test that waits longer fails.
export const patience = 30_000;

// Bounds a whole test, in milliseconds. Its visitors leave then, and so it fails.
const longest = 120_000;

// The size of a small phone's screen, in CSS pixels.
export const phone = { width: 360, height: 740 };

// What news.js asks each 15 seconds for, on an open page of a channel or a post.
const news = /\/api\/v1\/channels\/[^/]+\/blogs(\/[^/]+)?$/;

const flags = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--enable-features=NetworkServiceInProcess2",
  // Each visitor has at least one process that draws pages, and no more than that.
  "--renderer-process-limit=1", "--disable-site-isolation-trials",
  // A page lives for seconds: optimised code and a thread for garbage cost more time than they save.
  "--in-process-gpu", "--js-flags=--no-opt,--no-maglev,--single-threaded-gc",
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
const present = new Set();

// The visitors of the test that runs. A test that fails leaves some, and describeGuests writes what they see.
const visitors = new Set();

let bound;
beforeEach(() => {
  visitors.clear();
  bound = setTimeout(async () => {
    const reason = `the test has not ended after ${longest} ms`;
    await describeGuests();
    for (const { context, complaints } of present) {
      complaints.push(reason);
      context.close({ reason });
    }
  }, longest);
});
afterEach(async () => {
  clearTimeout(bound);
  await describeGuests();
});

async function describeGuests() {
  const here = [...visitors];
  visitors.clear();
  await Promise.all(here.map((v) => v.describe()));
}

// After every test: no script failed, nothing violated the Content-Security-Policy,
// and everything that a page asked for was found.
afterEach(() => {
  const complaints = [...present].flatMap((visitor) => visitor.complaints.splice(0));
  assert.deepEqual(complaints, [], "the browser complained");
});

after(() => browser.close());

// The blank pages that visitors have left to those who come after them, by how their contexts were made. A new context,
// with a new process that draws its pages, takes longer than to open a page.
const spare = new Map();

// A visitor is a person in front of a browser, which has no cookies and no drafts of others.
//
//   as       an account from signUp, who is signed in from the start
//   scripts  false switches JavaScript off
//   hand     "mouse" or "keyboard"
//   zone     the time zone of the browser
//   touch    true if the screen is touched: controls are larger then
//   first    true if the browser has never loaded anything
export async function visitor(site, { as, scripts = true, hand = "mouse", width = 1280, zone = "UTC", height = 800, touch = false, first = false } = {}) {
  const size = { width, height };
  const made = { baseURL: site, javaScriptEnabled: scripts, timezoneId: zone, hasTouch: touch, isMobile: touch };
  const key = JSON.stringify(made);
  if (!spare.has(key)) spare.set(key, { site, pages: [] });
  const found = first ? undefined : spare.get(key).pages.pop();
  const page = found ?? await (await browser.newContext({ ...made, viewport: size })).newPage();
  const context = page.context();
  context.setDefaultTimeout(patience);
  if (as) await context.addCookies([{ name: "session", value: as.token, url: site }]);
  if (found) await page.setViewportSize(size);
  const v = new Visitor(context, page, hands[hand], spare.get(key));
  present.add(v);
  visitors.add(v);
  return v;
}

class Visitor {
  // status is the HTTP status of the page that is shown.
  status = 0;
  complaints = [];
  #refusals = [];
  #context;
  #spare;

  constructor(context, page, hand, spare) {
    Object.assign(this, { page, hand });
    this.#context = context;
    this.#spare = spare;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => this.#listen(message));
    page.on("response", (response) => {
      if (this.#isPage(response.request())) this.status = response.status();
    });
  }

  // context is for what is not only in the page, such as the clock. A test that uses it leaves it to no other.
  get context() {
    this.#spare = undefined;
    return this.#context;
  }

  // The browser also complains when the page itself has an error status, and when a page asks for what is
  // new and its channel or post is gone. Those are no complaints about the page.
  #listen(message) {
    const { url } = message.location();
    const failed = message.text().startsWith("Failed to load resource");
    const has = (status) => message.text().includes(`status of ${status} `);
    const expected = failed && (url === this.page.url() || (news.test(url) && (has(404) || has(410))) ||
      this.#refusals.some(({ status, path }) => has(status) && new URL(url).pathname === path));
    if (message.type() === "error" && !expected) this.complaints.push(`${message.text()} (${url})`);
  }

  // expectRefusal says that a script of the page may ask for that path, and get that
  // status. The browser complains of it otherwise.
  expectRefusal(status, path) {
    this.#refusals.push({ status, path });
  }

  #isPage(request) {
    return request.isNavigationRequest() && request.frame() === this.page.mainFrame();
  }

  get path() {
    return decodeURIComponent(new URL(this.page.url()).pathname);
  }

  async open(path) {
    await this.page.goto(path);
  }

  link(name) {
    return this.page.getByRole("link", { name, exact: true });
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  field(label) {
    return this.page.locator("form").getByLabel(label).and(this.page.locator(":not([type=checkbox])"));
  }

  async press(control) {
    await this.hand.press(this.page, control);
  }

  // follow presses a control that leads to another page, and waits for that page.
  async follow(control) {
    await Promise.all([this.page.waitForEvent("load"), this.press(control)]);
  }

  // fill types into the fields with these labels, in their order. It opens what a
  // field is folded into.
  async fill(texts) {
    for (const [label, text] of Object.entries(texts)) {
      await this.unfold(this.field(label));
      await this.hand.fill(this.page, this.field(label), text);
    }
  }

  async unfold(control) {
    if (await control.isVisible()) return;
    if (await control.getAttribute("id") === "title") return this.press(this.page.locator(".toggle input"));
    const folded = this.page.locator("details:not([open])", { has: control });
    if (await folded.count() > 0) await this.press(folded.locator("summary"));
  }

  // menu opens what is folded behind "⋯".
  async menu() {
    await this.press(this.page.locator("main details.drop > summary").first());
  }

  // accountMenu opens what is folded behind the reader's name.
  async accountMenu() {
    await this.press(this.page.locator(".top .named > summary"));
  }

  // votes presses the sign of the only post, and waits for the one that follows.
  async votes(before = /^Vote for/, after = /^Take back/) {
    await this.press(this.page.getByRole("button", { name: before }));
    await this.page.getByRole("button", { name: after }).waitFor();
  }

  // sees waits until all of the texts are shown.
  async sees(...texts) {
    for (const text of texts) await this.page.getByText(text).locator("visible=true").first().waitFor();
  }

  async heading() {
    return this.page.getByRole("heading", { level: 1 }).innerText();
  }

  // notice is what the page says about the form that led to it.
  async notice() {
    return this.page.locator("main > .notice").innerText();
  }

  // posts are the texts of the posts on a channel's page, in order.
  async posts() {
    return this.page.locator("article .text").allInnerTexts();
  }

  // describe writes what is shown, for those who want to know why a test failed.
  async describe() {
    const text = await this.page.locator("main").innerText({ timeout: 2_000 }).catch(String);
    const start = text.replaceAll(/\s+/g, " ").slice(0, 500);
    console.error(`where a test failed, ${this.page.url()} shows: ${start}`, this.complaints);
  }

  async leave() {
    visitors.delete(this);
    present.delete(this);
    await (this.#spare ? this.#clear() : this.#context.close());
    assert.deepEqual(this.complaints, [], "the browser complained");
  }

  // #clear leaves a page to another visitor, who finds nothing else of this one but what the browser has cached.
  async #clear() {
    const { site: origin, pages } = this.#spare;
    const next = await this.#context.newPage(); // their process ends with its last page
    await this.page.close();
    const session = await this.#context.newCDPSession(next);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await session.detach();
    pages.push(next);
  }
}
