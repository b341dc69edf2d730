// The directory, and who may change a channel.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let bea;
before(async () => { bea = await signUp(sites.sample, "bea"); });

// names returns the names of the channels on a page of the directory, in order.
async function names(v) {
  return v.page.locator(".channels h2").allInnerTexts();
}

test("directory: a filter finds the names that contain it", async () => {
  for (const name of ["Zebra", "dark-zebra", "Zürich", "Yak"]) await bea.createChannel(name);
  const v = await visitor(sites.sample);
  await v.open("/channels");
  await v.fill({ "Name contains": "EBR" });
  await v.follow(v.button("Filter"));
  assert.deepEqual(await names(v), ["dark-zebra", "Zebra"]);
  assert.equal(await v.field("Name contains").inputValue(), "EBR");
  await look(v, "filtered");
  await v.follow(v.link("Zebra"));
  assert.equal(await v.heading(), "Zebra");
  await v.page.goBack();
  await v.follow(v.link("Show all"));
  assert.ok((await names(v)).length > 2);
  await v.leave();
});

test("directory: a filter that finds nothing leads to creating that channel", async () => {
  const v = await visitor(sites.sample, { as: bea });
  await v.open("/channels");
  await v.fill({ "Name contains": "Xylophones" });
  await v.follow(v.button("Filter"));
  assert.deepEqual(await names(v), []);
  await look(v, "filtered-to-nothing");
  await v.follow(v.link("create a channel"));
  assert.equal(await v.field("Name").inputValue(), "Xylophones");
  await v.leave();
});

test("directory: with more channels than a page holds it can be read to its end", async () => {
  const created = [];
  for (let i = 10; i < 31; i++) {
    created.push(`paged-${i}`);
    await bea.createChannel(`paged-${i}`);
  }
  const v = await visitor(sites.sample);
  await v.open("/channels?contains=paged");
  const read = await names(v);
  await v.follow(v.link("More channels →"));
  read.push(...await names(v));
  assert.deepEqual(read, created);
  await look(v, "last-channels");
  await v.follow(v.link("← Back to the start"));
  assert.deepEqual(await names(v), created.slice(0, 20));
  await v.leave();
});

test("channel: a name that is taken is refused, and what was typed is kept", async () => {
  await bea.createChannel("Taken");
  const v = await visitor(sites.sample, { as: bea });
  await v.open("/channels/new");
  await v.fill({ Name: "taken", Description: "Kept" });
  await v.press(v.button("Create channel"));
  await v.page.locator("#name[aria-invalid=true]").waitFor();
  assert.equal(await v.field("Name").inputValue(), "taken");
  assert.equal(await v.field("Description").inputValue(), "Kept");
  await look(v, "taken-name");
  await v.fill({ Name: "not-taken" });
  await v.follow(v.button("Create channel"));
  assert.equal(await v.heading(), "not-taken");
  await v.leave();
});

for (const scripts of [true, false]) {
  test(`channel: a name with spaces takes hyphens in one tap, ${scripts ? "with" : "without"} script`, async () => {
    const v = await visitor(sites.sample, { as: bea, scripts });
    await v.open("/channels/new");
    await v.fill({ Name: ` my garden notes ${scripts}`, Description: "Kept" });
    await v.press(v.button("Create channel"));
    await v.page.getByRole("alert").waitFor();
    if (scripts) await look(v, "refused-name");
    await v.fill({ Description: "Typed since" });
    await v.follow(v.button("Create channel"));
    assert.equal(await v.heading(), `my-garden-notes-${scripts}`);
    await v.sees("Typed since");
    await v.open("/channels/new");
    assert.equal(await v.field("Name").inputValue(), "", "the name that was refused is still a draft");
    await v.leave();
  });
}

test("channel: only the owner is offered what only the owner may do", async () => {
  const path = await bea.createChannel("Owned");
  const [owner, other] = [
    await visitor(sites.sample, { as: bea }),
    await visitor(sites.sample, { as: await signUp(sites.sample, "bob") }),
  ];
  await owner.open(path);
  await owner.menu();
  await owner.follow(owner.link("Settings"));
  await owner.fill({ Description: "What it is about" });
  await owner.follow(owner.button("Save all"));
  await owner.sees("What it is about");

  await other.open(path);
  assert.ok(!(await other.link("Settings").isVisible()));
  assert.ok(!(await other.link("Delete channel…").isVisible()));
  for (const page of ["edit", "delete"]) {
    await other.open(`${path}/${page}`);
    assert.equal(other.status, 403);
    await look(other, `not-yours-to-${page}`);
    await other.follow(other.link("Back to Owned"));
    assert.equal(await other.heading(), "Owned");
  }
  await owner.leave();
  await other.leave();
});

test("channel: one that was created again meanwhile is not deleted unseen", async () => {
  const path = await bea.createChannel("Reborn");
  const v = await visitor(sites.sample, { as: bea });
  await v.open(`${path}/delete`);
  const other = await visitor(sites.sample, { as: bea });
  await other.open(await bea.deleteChannel("Reborn"));
  await other.sees("the name was free again.");
  await bea.createChannel("Reborn", "The second incarnation");
  await v.follow(v.button("Delete channel and posts"));
  assert.equal(v.status, 412);
  await look(v, "stale-deletion-of-a-channel");
  await v.follow(v.page.locator(".onward").getByRole("link").first());
  await v.sees("The second incarnation");
  await v.leave();
  await other.leave();
});
