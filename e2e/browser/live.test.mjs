// New posts are announced, and nothing moves until somebody asks for them.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let liv;

before(async () => {
  liv = await signUp(sites.sample, "liv_live");
});

// watch opens a page whose clock the test moves. asked are the requests for news.
async function watch(path, options) {
  const v = await visitor(sites.sample, options);
  const asked = [];
  v.page.on("response", (response) => { if (/\/news\?/.test(response.url())) asked.push(response); });
  await v.page.clock.install();
  await v.open(path);
  // later lets half a minute pass, and waits for the answer that comes within.
  const later = async () => {
    const answer = v.page.waitForResponse(/\/news\?/);
    await v.page.clock.runFor(31_000);
    await answer;
  };
  return { v, asked, later };
}

for (const [name, path, as] of [["a channel", () => "/channels/live.one", false], ["the feed", () => "/", true]]) {
  test(`live: ${name} tells that there are new posts, and shows them on request`, async () => {
    if (!as) await liv.createChannel("live.one");
    await liv.post("live.one", `Old in ${name}`);
    const { v, asked, later } = await watch(path(), as ? { as: liv } : {});
    const status = v.page.locator("main [data-live]");
    await later();
    assert.equal(await status.innerText(), "");
    await liv.post("live.one", `New in ${name}`);
    await later();
    await v.sees("1 new post: show");
    await liv.post("live.one", `Newer in ${name}`);
    await later();
    await v.sees("2 new posts: show");
    await later();
    assert.equal(asked.at(-1).status(), 304, "nothing new, and the whole answer again");
    assert.ok(!(await v.posts()).includes(`New in ${name}`), "a post was inserted");
    await look(v, `live-${name.replaceAll(" ", "-")}`);
    await v.follow(status.getByRole("link", { name: "2 new posts: show" }));
    assert.deepEqual((await v.posts()).slice(0, 3), [`Newer in ${name}`, `New in ${name}`, `Old in ${name}`]);
    assert.equal(await status.innerText(), "");
    await v.leave();
  });
}

test("live: a page that nobody looks at does not ask", async () => {
  await liv.createChannel("live.hidden");
  const { v, asked, later } = await watch("/channels/live.hidden");
  await later();
  const before = asked.length;
  await v.page.evaluate(() => Object.defineProperty(document, "hidden", { configurable: true, get: () => true }));
  await v.page.clock.runFor(300_000);
  await v.page.evaluate(() => fetch("/robots.txt")); // what was asked before this has been answered
  assert.equal(asked.length, before);
  await v.page.evaluate(() => Object.defineProperty(document, "hidden", { configurable: true, get: () => false }));
  await later();
  assert.equal(asked.length, before + 1);
  await v.leave();
});

// gap is how many seconds of the page's clock pass until it has asked, and was answered.
async function gap(v, event) {
  let seen = false, passed = 0;
  v.page.once(event, () => { seen = true; });
  for (; !seen; passed += 5) {
    await v.page.clock.runFor(5000);
    await v.page.evaluate(() => fetch("/robots.txt")); // what was asked before this has been answered
  }
  return passed;
}

test("live: it asks less often while the site fails, and stops when the channel is gone", async () => {
  await liv.createChannel("live.gone");
  const { v, asked } = await watch("/channels/live.gone");
  await v.page.route(/\/news\?/, (route) => route.abort());
  const gaps = [];
  for (let i = 0; i < 4; i++) gaps.push(await gap(v, "requestfailed"));
  assert.ok(gaps[0] <= 40 && gaps[3] >= 160, `it asked after ${gaps} seconds`);
  v.complaints.length = 0; // the browser says that these requests failed
  await v.page.unroute(/\/news\?/);
  while (asked.length === 0) await gap(v, "response");
  await liv.deleteChannel("live.gone");
  while (asked.at(-1).status() < 400) await v.page.clock.runFor(5000).then(() => v.page.evaluate(() => fetch("/robots.txt")));
  assert.ok([404, 410].includes(asked.at(-1).status()));
  const last = asked.length;
  await v.page.clock.runFor(600_000);
  await v.page.evaluate(() => fetch("/robots.txt"));
  assert.equal(asked.length, last, "it asks for a channel that is gone");
  v.complaints.length = 0; // the browser reports the 410
  await v.leave();
});

test("live: it asks again after an answer that a proxy has written", async () => {
  await liv.createChannel("live.proxy");
  const { v } = await watch("/channels/live.proxy");
  let asked = 0;
  await v.page.route(/\/news\?/, (route) => {
    asked++;
    return route.fulfill({ contentType: "text/html", body: "<p>Wait a moment" });
  });
  for (let i = 0; i < 100 && asked < 2; i++) {
    await v.page.clock.runFor(5000);
    await v.page.evaluate(() => fetch("/robots.txt"));
  }
  assert.equal(asked, 2);
  await v.leave();
});
