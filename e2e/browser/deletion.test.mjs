// The page that shows the progress of a deletion. The tests stop deletions half
// way: otherwise each would be over before anybody could look.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

// valve tells the proxy before the worker's tables to hold the transactions of
// sweeps ("hold"), to let one pass ("one"), to let all pass ("open"), or to refuse
// them ("refuse"); see ../sweep_valve_test.go.
const valve = async (order) => {
  const response = await fetch(`${process.env.SWEEP_VALVE}/${order}`, { method: "POST" });
  assert.ok(response.ok);
};

// The number of posts whose rows fill two transactions: a transaction removes up to
// 99 rows, and each post has three. The owner must not be subscribed, since that is
// a row more. Either transaction may come first.
const twoSweeps = 66;

let eve;
before(async () => { eve = await signUp(sites.held, "eve"); });
beforeEach(() => valve("hold"));

// doomed makes a channel, asks for its deletion and opens the progress page.
async function doomed(channel, { posts = 1, scripts } = {}) {
  await eve.createChannel(channel);
  await eve.unsubscribe(channel);
  await Promise.all(Array.from({ length: posts }, (_, i) => eve.post(channel, `Post ${i}`)));
  const v = await visitor(sites.held, { as: eve, scripts });
  await v.open(await eve.deleteChannel(channel));
  await v.page.locator(".how > summary").click();
  return v;
}

// finish waits for the end of the deletion. Otherwise one of its transactions could
// pass the valve in place of the next test's.
async function finish(v) {
  await valve("open");
  await headline(v).getByText("is deleted", { exact: true }).waitFor();
}

const headline = (v) => v.page.locator(".headline");
const removed = async (v) => Number(await fact(v, "Rows removed").textContent());
const fact = (v, name) => v.page.locator(".facts > div", { hasText: name }).locator("dd");
const bar = async (v) => Number(await v.page.locator("progress").getAttribute("value"));

test("deletion: the progress page follows a deletion to its end without being loaded again", async () => {
  const v = await doomed("watched", { posts: twoSweeps });
  await v.page.evaluate(() => { window.same = true; });
  assert.equal(await removed(v), 0);
  assert.equal(await bar(v), 0);

  await valve("one");
  await fact(v, "Rows removed").getByText("99").waitFor();
  assert.equal(await bar(v), 2);
  assert.match(await v.page.locator(".steps [aria-current=step]").innerText(), /^Remove the rows/);
  assert.match(await v.page.getByRole("status").innerText(), /is being deleted$/, "a screen reader is told");
  await look(v, "deletion-running");

  await finish(v);
  assert.equal(await removed(v), 3 * twoSweeps);
  assert.equal(await bar(v), 5);
  assert.ok(await v.page.evaluate(() => window.same), "the page was reloaded");
  await look(v, "deletion-done");
  await v.leave();
});

test("deletion: without scripts the progress page reloads until the end", async () => {
  const v = await doomed("refreshed", { posts: twoSweeps, scripts: false });
  await valve("one");
  await fact(v, "Rows removed").getByText("99").waitFor({ state: "attached" });
  await finish(v);
  assert.equal(await removed(v), 3 * twoSweeps);
  await v.leave();
});

test("deletion: a channel that is being deleted is gone for every reader", async () => {
  const owner = await doomed("hidden");
  const progress = owner.path;
  const reader = await visitor(sites.held);
  await reader.open("/channels/hidden");
  assert.equal(reader.status, 410);
  assert.equal(await reader.heading(), "This channel was deleted");
  await look(reader, "channel-being-deleted");
  await reader.follow(reader.link("All channels"));
  assert.equal(await reader.heading(), "Channels");
  assert.ok(!(await reader.link("hidden").isVisible()));

  await owner.open("/channels/new?name=hidden");
  owner.expectRefusal(409, "/channels/new"); // draft.js sends the form, and shows why it is refused
  await owner.press(owner.button("Create channel"));
  await owner.sees(/still being deleted/);
  await look(owner, "name-being-deleted");
  await owner.open(progress);
  await finish(owner);
  await owner.leave();
  await reader.leave();
});

test("deletion: only the user who asked for it can watch it", async () => {
  const owner = await doomed("private");
  const other = await visitor(sites.held, { as: await signUp(sites.held, "fay") });
  await other.open(owner.path);
  assert.equal(other.status, 403);
  await look(other, "not-yours-to-watch");
  const anonymous = await visitor(sites.held);
  await anonymous.open(owner.path);
  assert.equal(anonymous.status, 401);
  await finish(owner);
  for (const v of [owner, other, anonymous]) await v.leave();
});

test("deletion: after repeated failures the page shows the command that makes it go on", async () => {
  const v = await doomed("stuck");
  await valve("refuse");
  await v.sees(/^Stopped after \d failed attempts/);
  await look(v, "deletion-poisoned");
  const [, ...command] = (await v.page.locator("pre").innerText()).split(" ");
  await promisify(execFile)(process.env.PROGRAM, [...command, "--storage", "azure"], {
    env: { AZURE_STORAGE_CONNECTION_STRING: process.env.ACCOUNT_HELD },
  });
  await finish(v);
  await v.leave();
});

test("deletion: until a worker takes it up the page says that it waits", async () => {
  const gus = await signUp(sites.idle, "gus");
  await gus.createChannel("waiting");
  const v = await visitor(sites.idle, { as: gus });
  await v.open("/channels/waiting/delete");
  await v.follow(v.button("Delete channel and posts"));
  await v.sees("waits to be deleted");
  assert.equal(await bar(v), 0);
  await look(v, "deletion-waiting");
  await v.leave();
});
