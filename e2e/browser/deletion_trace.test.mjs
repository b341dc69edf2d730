// What the page of a deletion keeps of it, and how the page comes back when its
// connection was lost.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let hal;
before(async () => { hal = await signUp(sites.sample, "hanno"); });

// deleted makes a channel with some posts, deletes it, and opens the page that says so.
async function deleted(channel, options) {
  await hal.createChannel(channel);
  await Promise.all(Array.from({ length: 9 }, (_, i) => hal.post(channel, `Post ${i}`)));
  const path = await hal.deleteChannel(channel);
  const v = await visitor(sites.sample, { as: hal, ...options });
  await v.open(path);
  await v.page.locator(".deletion.done").waitFor();
  await unfold(v);
  return v;
}

const cascade = ["receive", "pivot", "shut", "sweep", "remove-gate", "release"];
const records = (v) => v.page.locator("tr[data-step]");
const playing = (v) => v.page.locator("tr[data-playing]");
const removed = async (v) => (await v.page.locator("[data-removed]").innerText()).trim();

// stopClock stops the clock of the page, so that a slow machine shows what a fast one does.
const stopClock = async (v) => v.context.clock.pauseAt(await v.page.evaluate(() => Date.now()) + 60_000);

// unfold opens the fold with the steps.
const unfold = (v) => v.page.locator(".how > summary").click();

// One step is shown for so long, in milliseconds.
const dwell = 1800;

test("trace: after a fast deletion the page says what happened when, also without script", async () => {
  const v = await deleted("fast", { scripts: false });
  await v.page.locator("tr[data-step=release]").waitFor();
  assert.deepEqual(await records(v).evaluateAll((rows) => rows.map((row) => row.dataset.step)), cascade);
  const sweep = v.page.locator("tr[data-step=sweep] td");
  assert.match(await sweep.nth(0).innerText(), /^\+[\d.]+ m?s$/);
  assert.match(await sweep.nth(1).innerText(), /^[\d.]+ m?s$/);
  assert.equal(await sweep.nth(2).innerText(), "28", "nine posts with key and index row, and a subscriber");
  assert.ok(!(await v.page.locator("[data-player]").isVisible()), "a control that does nothing is shown");
  await v.leave();
});

test("trace: a fast deletion is played back at a pace that can be read, and can be paused", async () => {
  const v = await deleted("again");
  await look(v, "deletion-trace");
  await v.context.clock.install();
  await v.page.reload();
  await unfold(v);
  await stopClock(v);
  await v.press(v.button("Play back"));
  const shown = [], gates = [];
  for (const step of cascade) {
    assert.equal(await playing(v).getAttribute("data-step"), step);
    gates.push(await v.page.locator(".gate-strip [aria-current=step] b").innerText());
    shown.push(await v.page.locator(".player [role=status]").innerText());
    if (step === "sweep") {
      await v.context.clock.runFor(dwell / 4);
      assert.match(await v.page.locator(".steps [aria-current=step]").innerText(), /^Remove the rows/);
      const part = Number(await removed(v));
      assert.ok(part > 0 && part < 28, `the number of rows does not run, it is ${part}`);
      await v.press(v.button("Pause"));
      await v.context.clock.resume(); // axe waits
      await look(v, "deletion-playback");
      await stopClock(v);
      await v.context.clock.runFor(10 * dwell);
      assert.equal(await playing(v).getAttribute("data-step"), "sweep", "it does not pause");
      assert.equal(await removed(v), "28");
      await v.press(v.button("Go on"));
      continue;
    }
    await v.context.clock.runFor(dwell);
  }
  for (let i = 0; i < 3 && await v.button("Pause").isVisible(); i++) await v.context.clock.runFor(dwell);
  assert.match(shown[3], /^Step: sweep Remove the rows, Began: \+[\d.]+ m?s, Took: [\d.]+ m?s, Rows swept: 28$/);
  assert.deepEqual(gates, ["OPEN", "OPEN", "SHUT", "SHUT", "gone", "gone"], "the gate does not play");
  await v.button("Play back again").waitFor();
  assert.equal(await removed(v), "28");
  assert.equal(await v.page.locator(".steps .done").count(), 5);
  await v.leave();
});

test("trace: with reduced motion numbers do not run, and the keyboard is enough", async () => {
  const v = await deleted("calm", { hand: "keyboard" });
  await v.page.emulateMedia({ reducedMotion: "reduce" });
  await v.context.clock.install();
  await v.page.reload();
  await unfold(v);
  await stopClock(v);
  await v.press(v.button("Play back"));
  await v.context.clock.runFor(3 * dwell);
  assert.equal(await playing(v).getAttribute("data-step"), "sweep");
  assert.equal(await removed(v), "28");
  await v.leave();
});

test("trace: a lost stream says so and comes back", async () => {
  const site = await ownSite("web");
  const ida = await signUp(site.url, "ida");
  await ida.createChannel("lost");
  const v = await visitor(site.url, { as: ida });
  await v.open(await ida.deleteChannel("lost"));
  await v.sees("waits to be deleted");
  await v.page.evaluate(() => { window.same = true; });
  const notice = v.page.locator("#lost");
  assert.ok(!(await notice.isVisible()));

  await site.kill();
  await notice.waitFor();
  assert.equal(await notice.innerText(), "Connection lost, trying again…");
  await look(v, "deletion-lost");
  await site.start("serve");
  await v.page.locator(".headline").getByText("is deleted", { exact: true }).waitFor();
  await notice.waitFor({ state: "hidden" });
  assert.ok(await v.page.evaluate(() => window.same), "the page was reloaded");
  assert.ok(v.complaints.every((text) => /net::ERR_/.test(text)), v.complaints.join("\n"));
  v.complaints.length = 0;
  await v.leave();
  await site.remove();
});

test("trace: the account leads to each deletion, also when the channel is gone", async () => {
  const v = await deleted("found", { hand: "keyboard" });
  await v.open("/account");
  await v.follow(v.link("Your deletions"));
  await look(v, "deletions");
  await v.follow(v.link("found"));
  assert.equal(await v.heading(), "“found” is deleted");
  await unfold(v);
  await v.sees("What happened, and when");
  await v.leave();
});
