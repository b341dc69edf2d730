// What a page cost the store, at its end.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let uma;
before(async () => {
  uma = await signUp(sites.sample, "uma");
  await uma.createChannel("Under-the-hood", "What pages cost.");
});

const fold = (v) => v.page.locator(".hood > details");

test("hood: a fold lists the calls of a page, on a phone too", async () => {
  const v = await visitor(sites.sample);
  await v.open("/channels/Under-the-hood");
  assert.ok(!await fold(v).evaluate((details) => details.open));
  await v.press(fold(v).locator("summary"));
  assert.equal(await v.page.locator(".hood .calls > li").count(), 5);
  await look(v, "hood");
  await v.leave();
});
