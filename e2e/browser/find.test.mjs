// Finding: a channel by a part of its name, a person by name, a post by its words or its date.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let fay;
before(async () => {
  fay = await signUp(sites.sample, "fay");
  await fay.createChannel("fay.finds");
  for (let i = 0; i < 45; i++) await fay.post("fay.finds", `Number ${i}. ${i % 2 ? "A lease ends." : "Nothing."}`);
});

for (const scripts of [true, false]) {
  const how = scripts ? "" : ", without scripts";

  test(`find: a post by its words${how}`, async () => {
    const v = await visitor(sites.sample, { scripts });
    await v.open("/channels/fay.finds");
    await v.follow(v.link("Find"));
    if (scripts) await look(v, "find-forms");
    await v.fill({ "Title or text contains": "LEASE" });
    await v.follow(v.button("Find").last());
    assert.equal((await v.posts()).length, 20);
    const told = v.page.locator(".body > [role=status]");
    assert.match(await told.innerText(), /^20 of the newest 40 posts match\. Searched back to .+\. Go on/);
    if (scripts) await look(v, "found");
    assert.deepEqual(await v.page.locator("mark").allInnerTexts(), Array(20).fill("lease"));
    await v.follow(v.link("Go on with older posts"));
    assert.deepEqual(await v.posts(), ["Number 3. A lease ends.", "Number 1. A lease ends."]);
    assert.match(await told.innerText(), /^2 of the next 5 posts match\.$/);
    await v.fill({ "Title or text contains": "no such words" });
    await v.follow(v.button("Find").last());
    assert.match(await told.innerText(), /^0 of 45 posts match\.$/);
    if (scripts) await look(v, "not-found");
    await v.leave();
  });
}

test("find: the posts up to a date, and what is newer", async () => {
  const v = await visitor(sites.sample);
  await v.open("/channels/fay.finds?find=");
  await v.fill({ "Go to a date": new Date().toISOString().slice(0, 10) });
  await v.follow(v.button("Go"));
  assert.equal((await v.posts())[0], "Number 44. Nothing.");
  await look(v, "dated");
  await v.open("/channels/fay.finds?day=2020-01-31");
  await v.page.getByText("No posts up to 31 January 2020").waitFor();
  await look(v, "undated");
  await v.leave();
});

test("find: a channel, a person and posts from the header", async () => {
  const v = await visitor(sites.sample, { as: fay });
  await v.page.setViewportSize({ width: 1280, height: 800 });
  await v.open("/");
  await v.fill({ "Search posts, channels and people": "FAY" });
  await v.page.keyboard.press("Enter");
  await v.page.waitForURL(/\/search\?q=FAY/);
  assert.ok(await v.link("fay.finds").isVisible());
  await look(v, "search");
  await v.page.setViewportSize({ width: 1280, height: 800 });
  await v.follow(v.page.locator("main a[href=\"/users/fay\"]"));
  assert.match(v.page.url(), /\/users\/fay$/);
  await v.leave();
});
