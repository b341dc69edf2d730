// The owner of a channel undoes its deletion on another device.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { phone, visitor } from "./visitor.mjs";

let site, kim;
before(async () => {
  site = await ownSite("serve", "--undo", "5m");
  kim = await signUp(site.url, "kim");
});
after(() => site.remove());

// remove deletes the channel in the browser.
async function remove(v, channel) {
  await v.open(`/channels/${channel}/delete`);
  await v.follow(v.button("Delete channel and posts"));
}

const headline = (v, text) => v.page.locator(".headline", { hasText: text }).waitFor();

test("undo: a deletion counts down, is undone on another device, and is carried out the second time", async () => {
  await kim.createChannel("second-thoughts");
  await kim.post("second-thoughts", "Still here");
  const desk = await visitor(site.url, { as: kim });
  await desk.open("/channels/second-thoughts/delete");
  await desk.page.getByText("1 post by 1 person").waitFor();
  await look(desk, "undo-confirm");
  await remove(desk, "second-thoughts");
  await headline(desk, "about to be deleted");
  const count = desk.page.locator("[data-countdown]");
  await count.filter({ hasText: /^in \d min$/ }).waitFor();
  const bar = await desk.page.locator(".undo").boundingBox();
  const sheet = await desk.page.locator(".body").evaluate((body) => ({ x: body.getBoundingClientRect().x + 1, width: body.clientWidth }));
  assert.deepEqual({ x: bar.x, width: bar.width }, sheet, "the bar does not go from edge to edge, as for a post");
  const left = await desk.page.locator(".undo").evaluate((e) => Number(getComputedStyle(e).getPropertyValue("--left")));
  assert.ok(left > 0.5 && left <= 1, `${left} of the time is left`);
  await look(desk, "undo-pending");

  const anonymous = await visitor(site.url);
  await anonymous.open("/channels/second-thoughts");
  assert.equal(anonymous.status, 410);

  const pocket = await visitor(site.url, { as: kim, width: phone.width });
  await pocket.open("/account");
  await pocket.follow(pocket.link("Your deletions"));
  assert.match(await pocket.page.locator("main").innerText(), /about to be deleted/);
  assert.ok((await pocket.page.locator("main h2").boundingBox()).height < 40, "the bar leaves the name of the channel no room");
  await look(pocket, "undo-list");
  await pocket.follow(pocket.button("Undo"));
  assert.equal(pocket.path, "/channels/second-thoughts");
  await pocket.page.getByText("The channel is back").waitFor();
  await pocket.page.getByText("Still here").waitFor();
  await headline(desk, "is back"); // told by the stream
  await look(desk, "undo-undone");
  await desk.follow(desk.page.getByRole("link", { name: /^Go to/ }));
  await desk.page.getByText("Still here").waitFor();
  await Promise.all([pocket, anonymous].map((v) => v.leave()));

  await site.kill();
  await site.start("serve", "--undo", "1s");
  await remove(desk, "second-thoughts");
  await headline(desk, /is deleted$/);
  await desk.open("/channels/second-thoughts");
  assert.equal(desk.status, 404);
  await desk.leave();
});
