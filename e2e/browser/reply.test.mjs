// People answer each other: on a phone and at a desk, with script and without it.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered, both } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let ida, ole;
before(async () => { [ida, ole] = [await signUp(sites.sample, "ida"), await signUp(sites.sample, "ole")]; });

const replies = (v) => v.page.locator("article.reply .text").allInnerTexts();
const replied = (v, text) => v.page.locator("article.reply[id] .text", { hasText: text }).waitFor();

test("reply: a question is answered, and answered again, and nothing is left of it once it is deleted", async () => {
  const desk = await visitor(sites.sample, { as: ida, width: 1280 });
  const phone = await visitor(sites.sample, { as: ole, width: 390 });
  await desk.open(await ida.createChannel("asking"));
  await desk.fill({ Title: "Who has the keys?", Text: "Of the boat house." });
  await answered(desk, desk.button("Post"));
  await desk.follow(desk.link("Reply to “Who has the keys?”"));
  await desk.sees("Reply to ida");
  const path = desk.path;

  await phone.open("/latest");
  await phone.follow(phone.link("Reply to “Who has the keys?”"));
  await look(phone, "reply-none");
  await phone.fill({ Text: "I do." });
  await phone.page.keyboard.press("ControlOrMeta+Enter");
  await replied(phone, "I do.");

  for (const list of ["/", "/yours", "/channels/asking"]) {
    await desk.open(list);
    await desk.page.getByRole("link", { name: "New replies to “Who has the keys?”" }).waitFor();
    await look(desk, `reply-new-${list.split("/")[1]}`);
  }
  await desk.follow(desk.page.getByRole("link", { name: "New replies" }));
  assert.deepEqual(await replies(desk), ["I do."]);
  await phone.fill({ Text: "Since May." });
  await phone.page.keyboard.press("ControlOrMeta+Enter");
  await replied(phone, "Since May.");
  await desk.fill({ Text: "Thanks! At *five*?" });
  await answered(desk, desk.button("Reply"));
  await replied(desk, "Thanks! At five?");
  assert.deepEqual(await replies(desk), ["I do.", "Since May.", "Thanks! At five?"]); // also what was said meanwhile
  await look(desk, "reply-two");
  await desk.open("/yours");
  await desk.link("Replies to “Who has the keys?”").waitFor(); // the author's own is not new

  await phone.page.reload();
  assert.deepEqual(await replies(phone), ["I do.", "Since May.", "Thanks! At five?"]);
  await look(phone, "reply-two-phone");
  await phone.fill({ Text: "At five" });
  await phone.sees("Draft kept in this browser");

  await desk.open(path);
  await desk.press(desk.page.locator("article.alone [data-delete] > summary"));
  await desk.sees("or when you leave this page, with its replies.");
  await desk.follow(desk.link("Channels")); // leaving the page deletes it
  while ((await ida.texts("asking")).length > 0);
  phone.expectRefusal(404, path);
  await phone.page.reload();
  assert.equal(phone.status, 404);
  await phone.sees("What you wrote here");
  assert.equal(await phone.page.locator("textarea").inputValue(), "At five");
  for (const v of [desk, phone]) {
    for (const list of ["/latest", "/yours", "/channels/asking", "/search?q=keys"]) {
      await v.open(list);
      assert.equal(await v.page.getByText("Who has the keys?").count(), 0, list);
    }
  }
  assert.equal((await ole.ask(`${path.replace(/\/[^/]*\/(?:.*-)?([^-]+)$/, "/blogs/$1")}/replies`)).status, 404);
  await desk.leave();
  await phone.leave();
});

both("reply: it is written and deleted", async function written(scripts, channel) {
  await ida.createChannel(channel);
  const post = await ida.post(channel, "One");
  const v = await visitor(sites.sample, { as: ole, scripts, width: 390 });
  await v.open(post);
  for (const text of ["First", "Second"]) {
    await v.fill({ Text: text });
    await answered(v, v.button("Reply"), scripts);
    await replied(v, text);
  }
  const second = v.page.locator("article.reply").last();
  await v.press(second.locator(".drop > summary"));
  await v.press(second.locator("[data-delete] > summary"));
  if (scripts) {
    await v.press(v.button("Undo"));
    assert.deepEqual(await replies(v), ["First", "Second"]);
    await v.press(second.locator(".drop > summary"));
    await v.press(second.locator("[data-delete] > summary"));
    await v.sees("Will be deleted in");
    await v.follow(v.link("Channels"));
    while ((await ole.get(`${post}/replies`)).items.length > 1); // the answer is not waited for
    await v.open(post);
  } else {
    await v.follow(v.page.locator("article.reply").last().getByRole("button", { name: "Delete this reply" }));
    assert.match(await v.notice(), /The reply is deleted/);
  }
  await replied(v, "First");
  assert.deepEqual(await replies(v), ["First"]);
  await v.leave();
});

test("reply: one that finds no network is sent when it is back, and a draft of one survives an edit of the title", async () => {
  await ida.createChannel("offline.replies");
  const post = await ida.post("offline.replies", "One", "Old title");
  const v = await visitor(sites.sample, { as: ole });
  await v.open(post);
  await v.context.setOffline(true);
  await v.fill({ Text: "From afar" });
  await v.press(v.button("Reply"));
  await v.page.locator("article.pending", { hasText: "Sent when" }).waitFor();
  await v.context.setOffline(false);
  v.complaints.length = 0; // that there was no network
  await replied(v, "From afar");
  assert.deepEqual(await replies(v), ["From afar"]);

  await v.fill({ Text: "Not sent yet" });
  await v.sees("Draft kept in this browser");
  const author = await visitor(sites.sample, { as: ida });
  await author.open(`${post}/edit`);
  await author.fill({ Title: "New title" });
  await author.follow(author.button("Save"));
  await v.open(post);
  await v.sees("New title");
  assert.equal(await v.field("Text").inputValue(), "Not sent yet");
  await author.leave();
  await v.leave();
});

test("reply: new ones are told of on the open page of their post, and taken in while another is written", async () => {
  await ida.createChannel("news.replies");
  const post = await ida.post("news.replies", "Who has the keys?");
  const v = await visitor(sites.sample, { as: ole, width: 390 });
  const bar = v.page.locator(".newbar");
  await v.open(post);
  const heading = v.page.getByRole("heading", { name: "Replies" });
  assert.equal(await heading.count(), 0);
  await ida.remove(await ida.reply(post, "Deleted"));
  await v.open(post);
  await heading.waitFor();
  await v.sees("They were deleted.");
  await v.fill({ Text: "Half" });
  await v.page.evaluate(() => { window.stays = true; });
  await ida.reply(post, "Not I");
  await v.page.getByText("1 new reply").waitFor(); // without that the user does anything
  await look(v, "reply-news");
  await v.press(bar);
  assert.deepEqual(await replies(v), ["Not I"]);
  assert.ok(await heading.isVisible());
  assert.ok(!await v.page.getByText("They were deleted.").isVisible());
  assert.ok(!await bar.isVisible());
  assert.equal(await v.field("Text").inputValue(), "Half");

  // One's own reply stays below those that came before it.
  await ida.reply(post, "Nor Eve");
  let send;
  const next = new Promise((resolve) => { send = resolve; });
  await v.page.route(({ pathname }) => pathname === new URL(v.page.url()).pathname, async (route) => {
    if (route.request().method() === "POST") await next;
    await route.continue();
  });
  await v.press(v.button("Reply"));
  await v.fill({ Text: "And then?" });
  send();
  await replied(v, "Half");
  await ida.reply(post, "Ask Grace");
  await v.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // the user comes back to the tab
  await v.page.getByText("2 new replies").waitFor();
  await v.press(bar);
  assert.deepEqual(await replies(v), ["Not I", "Nor Eve", "Half", "Ask Grace"]);
  assert.equal(await v.field("Text").inputValue(), "And then?");
  assert.ok(await v.page.evaluate(() => window.stays), "the page was loaded again");

  // Once the post is gone, the page asks no more.
  const asks = [];
  v.page.on("response", (r) => new URL(r.url()).pathname === `/api/v1${post}` && asks.push(r.status()));
  await ida.remove(post);
  const back = () => v.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const refused = v.page.waitForResponse((r) => r.status() === 404);
  await back();
  await refused;
  await back();
  await v.page.evaluate(() => fetch("/healthz")); // a request after which one of the page would have been sent
  assert.deepEqual(asks, [404]);
  await v.leave();
});

// fill makes 50 replies to a post, which fill its first page.
async function fill(post) {
  for (let i = 0; i < 25; i++) await Promise.all([ida.reply(post, `Reply ${i}`), ole.reply(post, `Reply ${i} of ole`)]);
}

both("reply: the 51st is shown to its author", async function beyond(scripts, channel) {
  await ida.createChannel(channel);
  const post = await ida.post(channel, "One");
  await fill(post);
  const v = await visitor(sites.sample, { as: ole, scripts });
  await v.open(post);
  for (const text of ["The 51st", "The 52nd"]) {
    await v.fill({ Text: text });
    await answered(v, v.button("Reply"), scripts);
    await replied(v, text);
    assert.deepEqual([(await replies(v)).length, (await replies(v)).at(-1)], [50, text]);
  }
  if (scripts) await look(v, "reply-last");
  await v.leave();
});

test("reply: beyond 50, new ones are led to, and count as read only there", async () => {
  const channel = await ida.createChannel("beyond.news");
  const post = await ida.post("beyond.news", "Who has the keys?");
  await fill(post);
  await ole.reply(post, "The newest");
  const v = await visitor(sites.sample, { as: ida });
  await v.open(channel);
  await v.page.evaluate(() => localStorage.setItem("replied", "2020-01-01T00:00:00Z"));
  await v.open(post);
  assert.ok(!(await replies(v)).includes("The newest"));
  await v.open(channel);
  await v.follow(v.page.getByRole("link", { name: "New replies to" }));
  assert.equal((await replies(v)).at(-1), "The newest");
  await v.open(channel);
  await v.page.getByRole("link", { name: /^Replies to/ }).waitFor();
  await v.leave();
});

test("reply: those that come while their reader is signed out are new, and nothing says what was read before", async () => {
  const vera = await signUp(sites.sample, "vera");
  const channel = await vera.createChannel("signed.out.replies");
  const post = await vera.post("signed.out.replies", "Who has the keys?");
  await ole.reply(post, "Not I");
  const v = await visitor(sites.sample, { as: vera });
  const kept = () => v.page.evaluate(() => Object.keys(localStorage));
  await v.open(post);
  assert.deepEqual((await kept()).sort(), ["replied", `replied:post-${post.split("/").at(-1)}`]);
  const other = await v.context.newPage();
  await other.goto(post);
  await v.accountMenu();
  await v.follow(v.button("Sign out"));
  await other.goto("/");
  assert.deepEqual(await kept(), ["replied"]);
  await ole.reply(post, "Ask Grace");
  await v.open(`/sign-in?next=${channel}`);
  await v.fill({ Name: "vera", Password: vera.password });
  await v.follow(v.button("Sign in"));
  await v.page.getByRole("link", { name: "New replies to" }).waitFor();
  await v.leave();
});

test("reply: one that the page has no room for is on the last page, and what was typed too", async () => {
  await ida.createChannel("full.replies");
  const post = await ida.post("full.replies", "One");
  await fill(post);
  const v = await visitor(sites.sample, { as: ole });
  await v.open(post);
  await v.fill({ Text: "Half" });
  await v.sees("Draft kept in this browser");
  await ida.reply(post, "Last");
  await v.page.getByText("new replies").waitFor();
  await v.follow(v.page.locator(".newbar"));
  assert.equal((await replies(v)).at(-1), "Last");
  assert.equal(await v.field("Text").inputValue(), "Half");
  await v.leave();
});

test("reply: all are hidden while their post can be brought back, and until its page is left", async () => {
  await ida.createChannel("hidden.replies");
  const post = await ida.post("hidden.replies", "Who has the keys?");
  await ole.reply(post, "I do.");
  const v = await visitor(sites.sample, { as: ida });
  await v.open(post);
  await v.fill({ Text: "Thanks" });
  const below = () => v.page.locator(".body > .alone ~ :visible").count();
  const all = await below();
  for (const brings of [true, false]) {
    await v.press(v.page.locator("article.alone [data-delete] > summary"));
    await v.sees("Will be deleted in");
    assert.equal(await below(), 0);
    if (brings) await look(v, "reply-post-deleted");
    if (brings) await v.press(v.button("Undo"));
    if (brings) assert.equal(await below(), all);
  }
  assert.equal(await v.field("Text").inputValue(), "Thanks");
  await v.page.evaluate(() => {
    const seen = () => { if (document.querySelector(".body > .reply").checkVisibility()) sessionStorage.setItem("seen", "yes"); };
    new MutationObserver(seen).observe(document.querySelector(".body"), { childList: true, subtree: true, attributes: true });
  });
  await v.page.waitForURL("/channels/hidden.replies");
  assert.equal(await v.page.evaluate(() => sessionStorage.getItem("seen")), null, "a reply was shown without its post");
  await v.leave();
});
