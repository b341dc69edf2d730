// Posts: lists are read page by page, and no edit overwrites another unseen.
// draft.test.mjs has what becomes of forms that are sent again.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered, both } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let ann;
before(async () => { ann = await signUp(sites.sample, "ann"); });

// newChannel makes a channel and opens its page.
async function newChannel(name) {
  const v = await visitor(sites.sample, { as: ann });
  await v.open(await ann.createChannel(name));
  return v;
}

test("post: a channel with more posts than a page holds can be read to its end and back", async () => {
  const v = await newChannel("many");
  const written = [];
  for (let i = 1; i <= 45; i++) {
    await ann.post("many", `Post ${i}`);
    written.unshift(`Post ${i}`);
  }
  await v.open("/channels/many");
  const newest = await v.posts();
  const read = [...newest];
  while (await v.link("Older posts →").isVisible()) {
    await v.follow(v.link("Older posts →"));
    read.push(...await v.posts());
  }
  assert.deepEqual(read, written);
  await look(v, "oldest-posts");
  assert.ok(newest.length < 45 / 2, "the posts fit on two pages");
  await v.follow(v.link("Newer posts"));
  const middle = await v.posts();
  assert.deepEqual(middle, written.slice(45 - read.length % 20 - 20, 45 - read.length % 20));
  await v.follow(v.link("Newer posts"));
  assert.deepEqual(await v.posts(), written.slice(0, newest.length), "a page that would not be full is the first");
  assert.ok(!(await v.link("Newer posts").isVisible()), "these are the newest");
  await v.open("/channels/many");
  await v.follow(v.link("Older posts →"));
  await v.follow(v.link("← Newest posts"));
  assert.deepEqual(await v.posts(), newest);
  assert.ok(!(await v.link("← Newest posts").isVisible()), "these are the newest");
  await v.leave();
});

both("post: one that was edited meanwhile is not deleted unseen", async function unseen(scripts, channel) {
  await ann.createChannel(channel);
  await ann.post(channel, "Stays");
  const path = await ann.post(channel, "First words");
  const [editor, deleter] = [await visitor(sites.sample, { as: ann }), await visitor(sites.sample, { as: ann, scripts })];
  if (scripts) await deleter.context.clock.install();
  await deleter.open(path);
  await editor.open(`${path}/edit`);
  await editor.fill({ Text: "Second words" });
  await editor.follow(editor.button("Save"));

  const deletePost = async () => {
    await deleter.press(deleter.page.locator("main .confirm summary"));
    if (!scripts) return deleter.follow(deleter.button("Delete this post"));
    await deleter.sees("Will be deleted in");
    const answered = deleter.page.waitForResponse((r) => r.request().method() === "POST");
    await deleter.context.clock.runFor(8000);
    deleter.status = (await answered).status();
  };
  await deletePost();
  assert.equal(deleter.status, 412);
  if (scripts) {
    await deleter.page.locator("article .error").waitFor();
    await look(deleter, "stale-deletion-of-a-post");
    await deleter.page.reload();
  } else await deleter.follow(deleter.page.locator(".onward").getByRole("link").first());
  assert.deepEqual(await deleter.posts(), ["Second words"]);
  await deletePost();
  await deleter.page.waitForURL(`**/channels/${channel}*`);
  assert.match(await deleter.notice(), /deleted/);
  assert.deepEqual(await ann.texts(channel), ["Stays"]);
  if (scripts) { // the page says no longer that a post is deleted when that is not the last word
    await deleter.press(deleter.page.locator("article .drop > summary"));
    await deleter.press(deleter.page.locator("article [data-delete] > summary"));
    await deleter.press(deleter.button("Undo"));
    assert.equal(await deleter.page.locator("main > .notice").count(), 0);
  }
  await editor.leave();
  await deleter.leave();
});

test("post: a refused form keeps what was typed and says what is wrong", async () => {
  const v = await newChannel("refused");
  const long = "x".repeat(5001);
  await v.fill({ Title: "Kept", Text: long });
  await v.sees("1 too many");
  await answered(v, v.button("Post"));
  assert.equal(v.status, 422);
  assert.equal(await v.field("Title").inputValue(), "Kept");
  assert.equal(await v.field("Text").inputValue(), long);
  const described = await v.field("Text").getAttribute("aria-describedby");
  assert.match(await v.page.locator(`#${described.split(" ")[0]}`).innerText(), /5,?000/);
  await look(v, "refused-post");
  await v.fill({ Text: "Short" });
  await answered(v, v.button("Post"));
  assert.deepEqual(await v.posts(), ["Short"]);
  await v.leave();
});

test("post: Ctrl+Enter sends the form", async () => {
  const v = await newChannel("quick");
  await v.fill({ Text: "Quick" });
  await v.page.keyboard.press("ControlOrMeta+Enter");
  await v.page.locator("article:not(.pending)").waitFor();
  assert.deepEqual(await v.posts(), ["Quick"]);
  await v.leave();
});

test("post: a visitor who has not signed in is led to signing in, and back", async () => {
  await ann.createChannel("led");
  const v = await visitor(sites.sample);
  await v.open("/channels/led");
  await v.follow(v.page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).first());
  await v.fill({ Name: ann.name, Password: ann.password });
  await v.follow(v.button("Sign in"));
  assert.equal(v.path, "/channels/led");
  await v.field("Text").waitFor();
  await v.leave();
});
