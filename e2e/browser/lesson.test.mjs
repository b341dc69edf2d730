// Stepping through a deletion: a worker that pauses before each step, is killed, and is
// joined by others.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let site, jan;
before(async () => {
  site = await ownSite("serve", "--teach");
  jan = await signUp(site.url, "jan");
});
after(() => site.remove());

// lease is the longest lease with --teach, in seconds. A shorter one could run out on a
// machine that has much else to do, and then another worker takes over unasked.
const lease = 15;

const cascade = ["mark", "shut", "sweep", "disarm", "release"];

// lesson makes a channel, and asks for its deletion with a pause before each step.
async function lesson(channel, options) {
  await jan.createChannel(channel);
  await Promise.all(Array.from({ length: 9 }, (_, i) => jan.post(channel, `Post ${i}`)));
  const v = await visitor(site.url, { as: jan, ...options });
  await v.open(`/channels/${channel}/delete`);
  await v.page.getByLabel("Pause before each step").check();
  if (channel === "live") await look(v, "lesson-confirm");
  await v.follow(v.button("Delete this channel and all its posts"));
  return v;
}

const worker = (v, number) => v.page.locator(".pupil", { hasText: `Worker ${number},` });
const press = (v, number, label) => v.press(worker(v, number).getByRole("button", { name: label }));

// waits waits until a worker waits before a step.
async function waits(v, number, step, timeout = 15_000) {
  await worker(v, number).getByText(`It waits before ${step}:`).waitFor({ timeout });
}

// next lets a worker take these steps.
async function next(v, number, ...steps) {
  for (const step of steps) {
    await waits(v, number, step);
    await press(v, number, "Next step");
  }
}

const ended = (v) => v.page.locator(".deletion.done").waitFor();
const removed = async (v) => Number(await v.page.locator("[data-removed]").innerText());

test("lesson: each step is watched live, without the page being loaded again", async () => {
  const v = await lesson("live");
  await v.page.evaluate(() => { window.same = true; });
  for (const step of cascade) {
    await waits(v, 1, step);
    await v.page.getByRole("status").filter({ hasText: new RegExp(`before ${step}$`) }).waitFor(); // a screen reader is told
    if (step === "disarm") {
      assert.equal(await removed(v), 28);
      await look(v, "lesson-waits");
    }
    await press(v, 1, "Next step");
  }
  await ended(v);
  assert.ok(await v.page.evaluate(() => window.same), "the page was reloaded");
  await v.button("Play back").waitFor();
  await v.leave();
});

test("lesson: the keyboard is enough, and the focus stays on the button", async () => {
  const v = await lesson("keys", { hand: "keyboard" });
  await waits(v, 1, "mark");
  await press(v, 1, "Next step");
  for (const step of cascade.slice(1)) {
    await waits(v, 1, step);
    await v.page.locator("#next-1:focus").waitFor();
    await v.page.keyboard.press("Enter");
  }
  await ended(v);
  await v.leave();
});

test("lesson: it works without script", async () => {
  const v = await lesson("plain", { scripts: false });
  for (const step of cascade) {
    await waits(v, 1, step); // until then the page reloads itself
    await v.follow(worker(v, 1).getByRole("button", { name: "Next step" }));
  }
  await ended(v);
  assert.equal(await removed(v), 28);
  await v.leave();
});

test("lesson: a worker that is killed leaves its lease behind, and another takes over", async () => {
  const v = await lesson("killed");
  await next(v, 1, "mark", "shut");
  await waits(v, 1, "sweep");
  await press(v, 1, "Kill the worker");
  const left = worker(v, 1).locator("[data-left] b");
  await left.waitFor();
  const first = Number(await left.innerText());
  assert.ok(first > 0 && first <= lease, `the lease runs out in ${first} s`);
  await look(v, "lesson-killed");
  await waits(v, 2, "mark", 2_000 * lease);
  await worker(v, 2).getByText("delivery 2").waitFor();
  await next(v, 2, ...cascade);
  await ended(v);
  assert.equal(await removed(v), 28);
  assert.equal(await v.page.locator("tr", { hasText: "2 (delivery 2)" }).count(), 6);
  await v.leave();
});

test("lesson: a message that is delivered again brings a second worker, and the first is fenced out", async () => {
  const v = await lesson("twice");
  await next(v, 1, "mark", "shut");
  await waits(v, 1, "sweep");
  await v.press(v.button("Deliver the message again"));
  await next(v, 2, ...cascade);
  await ended(v);
  await jan.createChannel("twice");
  await jan.post("twice", "It must stay");
  await next(v, 1, "sweep", "release");
  await worker(v, 1).getByText("It was fenced out").waitFor();
  await look(v, "lesson-fenced");
  await v.open("/channels/twice");
  assert.deepEqual(await v.posts(), ["It must stay"]);
  await v.leave();
});

test("lesson: a click is not lost when the page changes while the button is held down", async () => {
  const v = await lesson("held");
  await waits(v, 1, "mark");
  await worker(v, 1).getByRole("button", { name: "Next step" }).hover();
  await v.page.mouse.down();
  await v.page.request.post(v.path, { form: { action: "again" }, headers: { Origin: site.url } });
  // A second stream tells when the first has brought the second worker.
  await v.page.evaluate((path) => new Promise((seen) => {
    const stream = new EventSource(`${path}/events`);
    stream.addEventListener("progress", ({ data }) => {
      if (!data.includes("Worker 2,") || !data.includes('value="2"')) return;
      stream.close();
      setTimeout(seen, 600); // the first stream reads every 300 ms
    });
  }), v.path);
  assert.ok(!(await worker(v, 2).isVisible()), "the page has changed under the pointer");
  await v.page.mouse.up();
  await waits(v, 1, "shut");
  await waits(v, 2, "mark");
  await v.leave();
});

test("lesson: a press is not lost when the page changes just before it", async () => {
  const v = await lesson("moved");
  await waits(v, 1, "mark");
  await v.page.evaluate(() => {
    const progress = document.getElementById("progress");
    progress.addEventListener("pointermove", () => { progress.innerHTML = progress.innerHTML; }, { once: true });
  });
  await press(v, 1, "Next step");
  await waits(v, 1, "shut");
  await v.leave();
});

// orders hands the orders that the page of a lesson sends to take, which does with them
// what a bad connection does.
const orders = (v, take) => v.page.route(`**${v.path}`, (route) => {
  const ordered = route.request().method() === "POST" && !route.request().isNavigationRequest();
  return ordered ? take(route) : route.continue();
});

test("lesson: an order that does not get through is sent again", async () => {
  const v = await lesson("cut");
  await waits(v, 1, "mark");
  let sent = 0;
  await orders(v, (route) => (++sent < 3 ? route.abort("connectionfailed") : route.continue()));
  await press(v, 1, "Next step");
  await v.sees("Connection lost, trying again");
  await waits(v, 1, "shut");
  assert.ok(await v.page.locator("#lost").isHidden(), "the connection is there again");
  await v.leave();
});

test("lesson: an order that is refused says why, even if the page has changed meanwhile", async () => {
  const v = await lesson("late");
  await waits(v, 1, "mark");
  await orders(v, async (route) => {
    await v.page.request.post(v.path, { form: { action: "again" }, headers: { Origin: site.url } });
    await waits(v, 2, "mark");
    await v.context.clearCookies();
    await route.continue();
  });
  await v.follow(worker(v, 1).getByRole("button", { name: "Next step" }));
  await v.sees("Sign in");
  await v.leave();
});

test("lesson: the pauses can be ended", async () => {
  const v = await lesson("freed");
  await waits(v, 1, "mark");
  await v.press(v.button("Go on without pauses"));
  await ended(v);
  await v.sees("You let the workers go on without further pauses.");
  await v.leave();
});

test("lesson: a site that does not teach offers none", async () => {
  const kai = await signUp(sites.idle, "kai");
  await kai.createChannel("untaught");
  const v = await visitor(sites.idle, { as: kai });
  await v.open("/channels/untaught/delete");
  assert.equal(await v.page.getByLabel("Pause before each step").count(), 0);
  await v.leave();
});
