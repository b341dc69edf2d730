// A deletion as whoever asked for it watches it. It is held half way, for
// otherwise it would be over before anybody could look.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

// gate tells the worker's sweeps to hold, to let one transaction pass, to be
// open, or to refuse them (../sweepgate_test.go).
const gate = async (order) => {
  const response = await fetch(`${process.env.SWEEP_GATE}/${order}`, { method: "POST" });
  assert.ok(response.ok);
};

// A transaction removes up to 99 rows, and each post is three: without the owner's
// subscription these are two full transactions, of which either may come first.
const twoSweeps = 66;

let eve;
before(async () => { eve = await signUp(sites.held, "eve"); });
beforeEach(() => gate("hold"));

// doomed opens the progress page of a channel whose deletion has begun.
async function doomed(channel, { posts = 1, scripts } = {}) {
  await eve.createChannel(channel);
  await eve.unsubscribe(channel);
  await Promise.all(Array.from({ length: posts }, (_, i) => eve.post(channel, `Post ${i}`)));
  const v = await visitor(sites.held, { as: eve, scripts });
  await v.open(await eve.deleteChannel(channel));
  return v;
}

// finish sees the deletion to its end, so that none of its sweeps takes the turn
// of another test's.
async function finish(v) {
  await gate("open");
  await headline(v).getByText("Deleted").waitFor();
}

const headline = (v) => v.page.locator(".headline");
const removed = async (v) => Number(await fact(v, "Rows removed").innerText());
const fact = (v, name) => v.page.locator(".facts > div", { hasText: name }).locator("dd");
const bar = async (v) => Number(await v.page.locator("progress").getAttribute("value"));

test("the progress page follows a deletion to its end without being loaded again", async () => {
  const v = await doomed("watched", { posts: twoSweeps });
  await v.page.evaluate(() => { window.same = true; });
  assert.equal(await removed(v), 0);
  assert.equal(await bar(v), 0);

  await gate("one");
  await fact(v, "Rows removed").getByText("99").waitFor();
  assert.equal(await bar(v), 2);
  assert.match(await v.page.locator("[aria-current=step]").innerText(), /^Remove the rows/);
  assert.match(await v.page.getByRole("status").innerText(), /^Step 3/, "a screen reader is told");
  await look(v, "deletion-running");

  await finish(v);
  assert.equal(await removed(v), 3 * twoSweeps);
  assert.equal(await bar(v), 5);
  assert.ok(await v.page.evaluate(() => window.same), "the page was loaded again");
  await look(v, "deletion-done");
  await v.leave();
});

test("without scripts it loads itself again until the end", async () => {
  const v = await doomed("refreshed", { posts: twoSweeps, scripts: false });
  await gate("one");
  await fact(v, "Rows removed").getByText("99").waitFor();
  await finish(v);
  assert.equal(await removed(v), 3 * twoSweeps);
  await v.leave();
});

test("a channel that is being deleted is gone for every reader", async () => {
  const owner = await doomed("hidden");
  const progress = owner.path;
  const reader = await visitor(sites.held);
  await reader.open("/channels/hidden");
  assert.equal(reader.status, 410);
  await look(reader, "channel-being-deleted");
  await reader.follow(reader.link("All channels"));
  assert.equal(await reader.heading(), "Channels");
  assert.ok(!(await reader.link("hidden").isVisible()));

  await owner.open("/channels/new?name=hidden");
  await owner.follow(owner.button("Create channel"));
  assert.equal(owner.status, 409);
  await owner.sees(/still being deleted/);
  await look(owner, "name-being-deleted");
  await owner.open(progress);
  await finish(owner);
  await owner.leave();
  await reader.leave();
});

test("a deletion is for nobody but who asked for it to watch", async () => {
  const owner = await doomed("private");
  const other = await visitor(sites.held, { as: await signUp(sites.held, "fay") });
  await other.open(owner.path);
  assert.equal(other.status, 403);
  await look(other, "not-yours-to-watch");
  const stranger = await visitor(sites.held);
  await stranger.open(owner.path);
  assert.equal(stranger.status, 401);
  await finish(owner);
  for (const v of [owner, other, stranger]) await v.leave();
});

test("a deletion that fails again and again says so, and which command makes it go on", async () => {
  const v = await doomed("stuck");
  await gate("refuse");
  await v.sees(/^Stopped after \d failed attempts$/);
  await look(v, "deletion-poisoned");
  const [, ...command] = (await v.page.locator("pre").innerText()).split(" ");
  await promisify(execFile)(process.env.PROGRAM, [...command, "--storage", "azure"], {
    env: { AZURE_STORAGE_CONNECTION_STRING: process.env.ACCOUNT_HELD },
  });
  await finish(v);
  await v.leave();
});

test("a deletion that no worker has taken up yet says that it waits", async () => {
  const gus = await signUp(sites.idle, "gus");
  await gus.createChannel("waiting");
  const v = await visitor(sites.idle, { as: gus });
  await v.open("/channels/waiting/delete");
  await v.follow(v.button("Delete this channel and all its posts"));
  await v.sees("Waiting for a worker");
  assert.equal(await bar(v), 0);
  await look(v, "deletion-waiting");
  await v.leave();
});
