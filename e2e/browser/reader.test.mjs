// Readers: subscriptions, the feed, the digest, votes, and edits that conflict.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

let bea, cal;
before(async () => { [bea, cal] = [await signUp(sites.sample, "reader_bea"), await signUp(sites.sample, "reader_cal")]; });

for (const scripts of [true, false]) {
  const how = scripts ? "" : ", without scripts";

  test(`feed: it shows a channel's posts from subscribing to unsubscribing${how}`, async () => {
    const reader = await signUp(sites.sample, scripts ? "reader_dot" : "reader_eli");
    const channel = scripts ? "subscribed" : "subscribed.plain";
    await bea.createChannel(channel);
    await bea.post(channel, "The older post");
    await bea.post(channel, "The newer post");
    const v = await visitor(sites.sample, { as: reader, scripts });
    await v.open("/");
    await v.sees("Welcome, " + reader.name);
    if (scripts) await look(v, "feed-empty");

    await v.open(`/channels/${channel}`);
    await v.sees("1 subscriber");
    await v.follow(v.button("Subscribe"));
    await v.sees("2 subscribers");
    await v.open("/");
    assert.deepEqual(await v.posts(), ["The newer post", "The older post"]);
    if (scripts) await look(v, "feed");

    await v.open("/subscriptions");
    if (scripts) await look(v, "subscriptions");
    await v.follow(v.button(`Unsubscribe from ${channel}`));
    await v.open("/");
    await v.sees("Welcome, " + reader.name);
    await v.leave();
  });
}

test("feed: a deleted channel leaves it", async () => {
  await bea.createChannel("leaves");
  await bea.post("leaves", "Soon gone");
  const reader = await signUp(sites.sample, "reader_fay");
  const v = await visitor(sites.sample, { as: reader });
  await v.open("/channels/leaves");
  await v.follow(v.button("Subscribe"));
  await bea.deleteChannel("leaves");
  await v.open("/");
  assert.ok(!(await v.posts()).includes("Soon gone"));
  await v.leave();
});

test("vote: it moves a post to the top, and to the page of its rating", async () => {
  await bea.createChannel("rated");
  const path = await bea.post("rated", "The better post");
  await bea.post("rated", "The later post");
  const [one, two] = [await visitor(sites.sample, { as: bea }), await visitor(sites.sample, { as: cal })];
  for (const v of [one, two]) {
    await v.open(path);
    await v.votes();
  }
  await look(two, "post-voted");
  await two.open("/channels/rated?order=rating");
  assert.deepEqual(await two.posts(), ["The better post", "The later post"]);
  await look(two, "top-rated");
  await two.open("/channels/rated?rating=2");
  assert.deepEqual(await two.posts(), ["The better post"]);

  await two.open(path);
  await two.votes(/^Take back/, /^Vote for/);
  await two.open("/channels/rated?rating=1");
  assert.deepEqual(await two.posts(), ["The better post"]);
  await one.leave();
  await two.leave();
});

test("digest: it shows the day, most popular first, and has a feed with a secret address", async () => {
  await cal.createChannel("daily");
  const path = await cal.post("daily", "Posted first and liked");
  await cal.post("daily", "Posted second");
  const v = await visitor(sites.sample, { as: cal });
  await v.open(path);
  await v.votes();
  await v.open("/digest");
  assert.deepEqual((await v.posts()).slice(0, 2), ["Posted first and liked", "Posted second"]);
  await look(v, "digest");

  await v.follow(v.button("Make an address"));
  const address = await v.page.locator(".address code").innerText();
  const feed = await fetch(address);
  assert.equal(feed.status, 200);
  assert.match(feed.headers.get("Content-Type"), /atom/);
  await look(v, "digest-address");
  await v.follow(v.button("Revoke"));
  assert.equal((await fetch(address)).status, 404, "a revoked address still works");

  await v.open("/digest?day=2999-01-01&tz=Europe/Berlin");
  assert.equal(v.status, 422);
  await look(v, "digest-refused");
  await v.leave();
});

// conflict lets two tabs edit one post concurrently. The late one is shown a conflict.
async function conflict(channel, texts, scripts = true) {
  await bea.createChannel(channel);
  const path = await bea.post(channel, texts.base, "A fox");
  const [early, late] = [await visitor(sites.sample, { as: bea, scripts }), await visitor(sites.sample, { as: bea, scripts })];
  for (const v of [early, late]) await v.open(`${path}/edit`);
  await early.fill({ Text: texts.theirs });
  await early.follow(early.button("Save"));
  await late.fill({ Text: texts.mine });
  await late.press(late.button("Save"));
  await late.page.getByRole("heading", { name: "Two versions of one post" }).waitFor();
  if (!scripts) assert.equal(late.status, 412);
  return { early, late, path };
}

const disjoint = { base: "The quick brown fox\njumps.", theirs: "The quick red fox\njumps.", mine: "The slow brown fox\njumps." };
const overlapping = { base: "The quick brown fox", theirs: "The quick red fox", mine: "The quick black fox" };

const section = (v, name) => v.page.getByRole("region", { name });
const pieces = (v, name, selector) => section(v, name).locator(`article ${selector}`).allInnerTexts();

for (const scripts of [true, false]) {
  test(`conflict: disjoint edits come merged, with both marked, ${scripts ? "with" : "without"} script`, async () => {
    const { early, late } = await conflict(`meet.both.${scripts}`, disjoint, scripts);
    assert.deepEqual(await pieces(late, "Both together", "ins.yours"), ["slow"]);
    assert.deepEqual(await pieces(late, "Both together", "ins.theirs"), ["red"]);
    assert.deepEqual(await pieces(late, "Both together", "del"), ["quick", "brown"]);
    await late.sees("1 unchanged");
    assert.ok(await late.button(/^Save (both together|this text)$/).evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight), "the buttons are out of sight");
    assert.equal(await section(late, "Both together").getByLabel("Text").inputValue(), "The slow red fox\njumps.");
    if (scripts) await look(late, "conflict");
    await late.follow(late.button(/^Save (both together|this text)$/));
    assert.deepEqual(await late.posts(), ["The slow red fox\njumps."]);
    await early.leave();
    await late.leave();
  });
}

test("conflict: where edits overlap, the box has both", async () => {
  const { early, late } = await conflict("meet.overlap", overlapping);
  await late.sees("Both changed this sentence", "saves what is in the fields below, once you have changed it.");
  assert.equal(await section(late, "Both together").getByLabel("Text").inputValue(), "The quick black red fox");
  await look(late, "conflict-overlap");
  await late.press(late.button(/^Save (both together|this text)$/));
  await late.sees("still contains both versions");
  await late.page.setViewportSize(phone);
  const bar = late.page.locator(".decide", { has: late.button("Save mine") }).filter({ has: late.link("Discard mine") });
  assert.ok((await bar.boundingBox()).height <= 64, "the buttons cover too much of a phone");
  assert.deepEqual(await bea.texts("meet.overlap"), ["The quick red fox"]);
  await late.fill({ Text: "The quick dark red fox" });
  await late.follow(late.button(/^Save (both together|this text)$/));
  assert.deepEqual(await late.posts(), ["The quick dark red fox"]);
  await early.leave();
  await late.leave();
});

test("conflict: the saved edit can be kept, and the own one brought back; a merge is no draft until one writes in it", async () => {
  const { early, late, path } = await conflict("meet.theirs", overlapping);
  const kept = late.page.getByText("Draft kept in this browser");
  assert.equal(await kept.count(), 0, "the merge is a draft that no user wrote");
  const box = late.field("Text");
  assert.equal(await box.evaluate((field) => getComputedStyle(field).color), await late.page.locator("body").evaluate((body) => getComputedStyle(body).color));
  await late.sees("“Save mine” replaces the saved version");
  await late.fill({ Text: "The quick dark fox" });
  await kept.waitFor();
  assert.equal(await late.page.getByText("Discard").locator("visible=true").and(late.page.locator("a, button")).count(), 1);
  await late.fill({ Text: "The quick black red fox" });
  await kept.waitFor({ state: "detached" });
  await late.follow(late.link("Discard mine"));
  assert.deepEqual(await late.posts(), ["The quick red fox"]);
  await late.follow(late.button("Bring them back"));
  assert.equal(await late.field("Text").inputValue(), "The quick black fox");
  await late.follow(late.link("Cancel"));
  await late.open(`${path}/edit`);
  assert.equal(await late.field("Text").inputValue(), "The quick red fox", "what was discarded is a draft");
  await early.leave();
  await late.leave();
});

test("conflict: one's own edit can take its place", async () => {
  const { early, late, path } = await conflict("meet.mine", overlapping);
  await late.follow(late.button("Save mine"));
  assert.deepEqual(await late.posts(), ["The quick black fox"]);
  await early.open(path);
  assert.deepEqual(await early.posts(), ["The quick black fox"]);
  await early.leave();
  await late.leave();
});

test("conflict: a vote between reading and saving is none", async () => {
  await bea.createChannel("vote.between");
  const path = await bea.post("vote.between", "Before");
  const [editor, voter] = [await visitor(sites.sample, { as: bea }), await visitor(sites.sample, { as: cal })];
  await editor.open(`${path}/edit`);
  await voter.open(path);
  await voter.votes();
  await editor.fill({ Text: "After" });
  await editor.follow(editor.button("Save"));
  assert.deepEqual(await editor.posts(), ["After"]);
  await editor.page.getByRole("button", { name: /, 1 vote$/ }).waitFor();
  await editor.leave();
  await voter.leave();
});
