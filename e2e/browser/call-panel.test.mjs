// What a page cost the store, at its end.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let uma;
before(async () => {
  uma = await signUp(sites.sample, "uma");
  await uma.createChannel("What-pages-cost", "What pages cost.");
});

const fold = (v) => v.page.locator("details.behind");

test("calls: a fold lists the calls of a page, on a phone too", async () => {
  const v = await visitor(sites.sample);
  await v.open("/channels/What-pages-cost");
  assert.ok(!await fold(v).evaluate((details) => details.open));
  await v.press(fold(v).locator("summary"));
  assert.equal(await v.page.locator(".call-panel .calls > li").count(), 5);
  await look(v, "call-panel");
  await v.leave();
});
