// A page that is older than its channel: while a user writes in one tab, the channel
// is deleted and created again in another. Nothing reaches the new channel unseen, and
// what was written is not lost.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

const sentence = "A new channel has this name now. Your post was written for the old one and was not sent.";
const text = "Written for the old one,\nin two lines";

let stella, stefan;
before(async () => {
  [stella, stefan] = [await signUp(sites.sample, "stella"), await signUp(sites.sample, "stefan")];
});

// replace deletes the channel and creates it again, in a tab of its owner.
async function replace(name) {
  const v = await visitor(sites.sample, { as: stella });
  await v.open(`/channels/${name}/delete`);
  await v.follow(v.button("Delete channel and posts"));
  await v.sees("the name was free again");
  await v.open(`/channels/new?name=${name}`);
  await v.fill({ Description: "The new one" });
  await v.page.getByLabel("Anyone with an account").check();
  await v.follow(v.button("Create channel"));
  assert.equal(v.path, `/channels/${name}`);
  await v.leave();
}

// refused is a visitor whose post was written for a channel that was replaced.
async function refused(name, options) {
  await stella.createChannel(name, "The old one");
  const v = await visitor(sites.sample, { as: stefan, ...options });
  await v.open(`/channels/${name}`);
  await v.fill({ Title: "Kept", Text: text });
  await replace(name);
  await answered(v, v.button("Post"), options.scripts);
  assert.equal(v.status, 412);
  await keeps(v);
  return v;
}

// keeps asserts that the page says why the post was refused, and shows it.
async function keeps(v) {
  await v.sees(sentence);
  assert.equal(await v.page.getByLabel("Title").inputValue(), "Kept");
  assert.equal(await v.page.getByLabel("Text", { exact: true }).inputValue(), text);
}

async function copy(v) {
  await v.open(v.path);
  await v.fill({ Title: "Kept", Text: text });
}

async function publish(v, scripts) {
  await answered(v, v.button("Post"), scripts);
  assert.deepEqual(await v.posts(), [text]);
}

for (const scripts of [true, false]) {
  describe(`stale: a post for a channel that was replaced, ${scripts ? "with" : "without"} scripts,`, () => {
    const suffix = scripts ? "script" : "plain";

    test("is still there after reading the new channel, to be copied into its form", async () => {
      const v = await refused(`stale.read.${suffix}`, { scripts });
      if (scripts) await look(v, "stale-post");
      const [tab] = await Promise.all([v.context.waitForEvent("page"), v.press(v.link("Read the new channel"))]);
      await tab.getByText("The new one").waitFor();
      assert.equal(await tab.locator("article").count(), 0);
      await tab.close();
      await keeps(v);
      await copy(v);
      await publish(v, scripts);
      await v.leave();
    });
  });
}

test("stale: a button of the old channel does nothing to the new one", async () => {
  await stella.createChannel("stale.buttons");
  const path = await stefan.post("stale.buttons", "Rate me");
  const [subscriber, voter] = [await visitor(sites.sample, { as: stefan }), await visitor(sites.sample, { as: stefan, scripts: false })];
  await subscriber.open("/channels/stale.buttons");
  await voter.open(path);
  await replace("stale.buttons");
  for (const [v, label] of [[subscriber, "Subscribe"], [voter, "Vote for the post by @stefan"]]) {
    await v.follow(v.button(label));
    assert.equal(v.status, 412);
    await v.sees("A new channel has this name now.", "Nothing was changed.");
    if (v === subscriber) await look(v, "stale-subscribe");
    await v.follow(v.link("Read the new channel"));
    await v.sees("1 subscriber");
    await v.leave();
  }
});
