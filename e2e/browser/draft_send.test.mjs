// Drafts that get no response, and that are sent more than once.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered, both, comesBack, published, signInElsewhere, text, writer } from "./draft_writer.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { sites } from "./visitor.mjs";

let ulf;
before(async () => { ulf = await signUp(sites.sample, "ulf"); });

const sendsWhenItCan = "The server does not answer. Sent when it does.";

// arrived waits until no post is on its way any more.
const arrived = (v) => v.page.locator("article.pending").waitFor({ state: "detached" });

test("draft: offline it waits for the network, and is then published with script", async () => {
  const v = await writer(ulf, "offline", true);
  await v.context.setOffline(true);
  await v.press(v.button("Post"));
  await v.sees("No network. Sent when it is back.");
  await look(v, "offline");
  assert.deepEqual(await ulf.texts("offline"), []);
  await v.context.setOffline(false);
  await arrived(v);
  v.complaints.length = 0; // that it was offline
  await published(v, ulf, "offline");
  await v.leave();
});

test("draft: sending can be stopped while offline, and begun again with script", async () => {
  const v = await writer(ulf, "stopped", true);
  await v.context.setOffline(true);
  await v.press(v.button("Post"));
  await v.press(v.button("Stop"));
  await v.context.setOffline(false);
  await comesBack(v);
  v.complaints.length = 0;
  assert.deepEqual(await ulf.texts("stopped"), []);
  await answered(v, v.button("Post"));
  await published(v, ulf, "stopped");
  await v.leave();
});

describe("draft: a server that was killed", () => {
  let server, ula;
  before(async () => {
    server = await ownSite("web");
    ula = await signUp(server.url, "ula");
  });
  after(() => server.remove());

  test("gets the form once it is back with script", async () => {
    const v = await writer(ula, "killed.on", true);
    await server.kill();
    await v.press(v.button("Post"));
    await v.sees(sendsWhenItCan);
    await server.start();
    await arrived(v);
    v.complaints.length = 0; // that got no response
    await published(v, ula, "killed.on");
    await v.leave();
  });

  test("gets the form by a reload without script", async () => {
    const v = await writer(ula, "killed.off", false);
    await server.kill();
    await v.press(v.button("Post"));
    await v.page.waitForFunction(() => location.protocol === "chrome-error:");
    await server.start();
    await v.page.reload();
    v.complaints.length = 0;
    await published(v, ula, "killed.off");
    await v.leave();
  });
});

test("draft: a server that names the date to come back is not asked before with script", async () => {
  const v = await writer(ulf, "dated", true);
  const asked = [];
  await v.page.route("**", (route) => {
    if (route.request().method() !== "POST") return route.continue();
    asked.push(Date.now());
    return route.fulfill({ status: 503, headers: { "Retry-After": new Date().toUTCString() } });
  });
  await v.press(v.button("Post"));
  await v.sees(sendsWhenItCan);
  while (asked.length < 3) await v.page.waitForRequest((request) => request.method() === "POST");
  assert.ok(asked[2] - asked[0] > 500, `three requests took ${asked[2] - asked[0]} ms`);
  await v.page.unroute("**");
  await arrived(v);
  v.complaints.length = 0;
  await published(v, ulf, "dated");
  await v.leave();
});

describe("draft: an answer that was lost", () => {
  // lose lets the server do what a form says, and keeps the answer back.
  const lose = (v) => v.page.route("**", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch({ maxRedirects: 0 });
    return route.abort();
  });

  test("is asked for again with script", async () => {
    const v = await writer(ulf, "lost.on", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.sees(sendsWhenItCan);
    assert.deepEqual(await ulf.texts("lost.on"), [text], "it was published");
    await v.page.unroute("**");
    await arrived(v);
    v.complaints.length = 0; // that the answer was lost
    await published(v, ulf, "lost.on");
    await v.leave();
  });

  test("is asked for again after a reload with script", async () => {
    const v = await writer(ulf, "lost.reload", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.sees(sendsWhenItCan);
    await v.page.unroute("**");
    await v.page.reload();
    await arrived(v);
    v.complaints.length = 0;
    await published(v, ulf, "lost.reload");
    await v.leave();
  });

  test("and another text in its place are two posts, and not unseen, with script", async () => {
    const v = await writer(ulf, "lost.changed", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.press(v.button("Stop"));
    await v.page.unroute("**");
    v.complaints.length = 0;
    await v.fill({ Text: "Other words" });
    await answered(v, v.button("Post"));
    assert.equal(v.status, 422, "another text with the same key is not posted unseen");
    await v.sees("Already published. Post this as a new one?");
    assert.equal(await v.field("Text").inputValue(), "Other words");
    await look(v, "posted-before");
    await answered(v, v.button("Post"));
    assert.deepEqual(await ulf.texts("lost.changed"), ["Other words", text]);
    await v.leave();
  });

  test("is asked for again by a reload without script", async () => {
    const v = await writer(ulf, "lost.off", false);
    await lose(v);
    const failed = v.page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await v.press(v.button("Post"));
    await failed;
    v.complaints.length = 0;
    await v.page.unroute("**");
    await v.page.reload();
    assert.match(await v.notice(), /published/);
    await published(v, ulf, "lost.off");
    await v.leave();
  });
});

describe("draft: pressing twice", () => {
  both("publishes once", async function twice(scripts, channel) {
    const v = await writer(ulf, channel, scripts);
    let sent = 0;
    v.page.on("request", (request) => { if (request.method() === "POST") sent++; });
    if (scripts) await v.button("Post").dblclick();
    else await Promise.all([v.page.waitForEvent("load"), v.button("Post").dblclick()]);
    await arrived(v);
    await published(v, ulf, channel);
    if (scripts) assert.equal(sent, 1, "requests");
    await v.leave();
  });

  test("after Back publishes once with script", async () => {
    const v = await writer(ulf, "again.on", true);
    await v.open("/channels?contains=again.on"); // the first page of all may not have it
    await v.follow(v.link("again.on"));
    await answered(v, v.button("Post"));
    await published(v, ulf, "again.on");
    await v.page.goBack();
    assert.equal(v.path, "/channels", "the form that was sent is not in the history");
    await v.page.goForward();
    await v.page.locator("article").waitFor();
    assert.equal(await v.page.locator("form[data-draft] textarea").inputValue(), "");
    assert.deepEqual(await ulf.texts("again.on"), [text]);
    await v.leave();
  });

  test("after Back brings back the text without script", async () => {
    const v = await writer(ulf, "again.off", false);
    await v.follow(v.button("Post"));
    await published(v, ulf, "again.off");
    await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), text);
    assert.deepEqual(await ulf.texts("again.off"), [text], "Back itself sends nothing");
    await v.leave();
  });

  // With script, there is no page between to go back to.
  test("after a refusal and Back publishes once without script", async () => {
    const v = await writer(ulf, "refused.off", false);
    await ulf.endSessions();
    await v.follow(v.button("Post"));
    await signInElsewhere(v, ulf);
    await v.follow(v.button("Post"));
    await published(v, ulf, "refused.off");
    // The browser goes back: history.go in the page could take with it the answer that the test waits for.
    const browser = await v.context.newCDPSession(v.page);
    const { entries, currentIndex } = await browser.send("Page.getNavigationHistory");
    const { id: entryId } = entries[currentIndex - 2]; // past the refusal
    await Promise.all([v.page.waitForEvent("load"), browser.send("Page.navigateToHistoryEntry", { entryId })]);
    await v.field("Text").waitFor({ state: "attached" });
    assert.deepEqual(await ulf.texts("refused.off"), [text]);
    await v.leave();
  });
});
