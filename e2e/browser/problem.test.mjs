// Pages that report a problem: each says what happened and links to where one can
// go on.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let hal;
before(async () => { hal = await signUp(sites.sample, "hal"); });

// leadsOn expects that the page of a problem links to the directory.
async function leadsOn(v) {
  await v.follow(v.link("All channels"));
  assert.equal(v.status, 200);
  assert.equal(await v.heading(), "Channels");
}

test("problem: what does not exist is reported as missing", async () => {
  const path = await hal.createChannel("empty");
  const v = await visitor(sites.sample);
  await v.open("/nothing");
  await look(v, "not-found");
  for (const missing of ["/nothing", "/channels/nothing", "/channels/not%20a%20name", "/channels/%FF", `${path}/blogs/nothing`]) {
    await v.open(missing);
    assert.equal(v.status, 404, missing);
    await leadsOn(v);
  }
  await v.leave();
});

test("problem: the page of a deleted post leads to its channel", async () => {
  const channel = await hal.createChannel("thinned");
  const post = await hal.post("thinned", "Short-lived");
  const v = await visitor(sites.sample, { as: hal });
  await v.context.clock.install();
  await v.open(post);
  await v.press(v.page.locator("main [data-delete] > summary"));
  await v.context.clock.runFor(8_000); // that long it can be undone
  await v.page.waitForURL(`**${channel}`);
  await v.open(post);
  assert.ok([404, 410].includes(v.status));
  await look(v, "deleted-post");
  await v.follow(v.link("Back to thinned"));
  assert.equal(await v.heading(), "thinned");
  await v.leave();
});

test("problem: a made-up cursor is refused", async () => {
  const v = await visitor(sites.sample);
  await v.open("/channels?after=made-up");
  assert.ok(v.status >= 400 && v.status < 500);
  await look(v, "made-up-page");
  await leadsOn(v);
  await v.leave();
});

test("problem: a form that another site sends is refused", async () => {
  const v = await visitor(sites.sample, { as: hal });
  const path = await hal.createChannel("guarded");
  await v.page.setContent(`<form method=post action="${sites.sample}${path}"><input name=text value=Bad><button>Win</button></form>`);
  await v.follow(v.button("Win"));
  assert.equal(v.status, 403);
  await look(v, "sent-from-elsewhere");
  await v.open(path);
  assert.deepEqual(await v.posts(), []);
  await v.leave();
});

test("problem: after too many wrong passwords one has to wait", async () => {
  const v = await visitor(sites.idle);
  await signUp(sites.idle, "ivy");
  const body = JSON.stringify({ name: "ivy", password: "wrong horse battery" });
  const headers = { "Content-Type": "application/json" };
  for (let failures = 0; failures < 9; failures++) {
    const { status } = await fetch(`${sites.idle}/api/v1/sessions`, { method: "POST", headers, body });
    assert.equal(status, 401);
  }
  for (const status of [401, 429]) {
    await v.open("/sign-in");
    await v.fill({ Name: "ivy", Password: "wrong horse battery" });
    await v.follow(v.button("Sign in"));
    assert.equal(v.status, status);
  }
  await v.sees(/Try again in/);
  await look(v, "too-many-tries");
  await leadsOn(v);
  await v.leave();
});

test("problem: when the store does not answer the page says so and offers to try again", async () => {
  const v = await visitor(sites.down);
  await v.open("/channels");
  assert.equal(v.status, 503);
  await look(v, "no-store");
  await v.follow(v.link("Try again"));
  assert.equal(v.status, 503);
  assert.equal(await v.page.getByText("Behind this page").count(), 0, "a site that does not teach shows what is behind its pages");
  await v.leave();
});
