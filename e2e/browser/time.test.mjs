// Times, in the reader's own zone.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let tia;

before(async () => {
  tia = await signUp(sites.sample, "tia_of_time");
  await tia.createChannel("clock");
});

// shownAt is the exact time on the page of a post, and the time that it gives.
async function shownAt(v, path) {
  await v.open(path);
  const time = v.page.locator("time[data-exact]").first();
  return [await time.innerText(), new Date(await time.getAttribute("datetime"))];
}

test("time: a permalink shows the exact time in the reader's zone", async () => {
  const path = await tia.post("clock", "What time is it?", "A post");
  const v = await visitor(sites.sample, { zone: "Asia/Kolkata" });
  const [shown, at] = await shownAt(v, path);
  const there = new Date(at.getTime() + 5.5 * 3600 * 1000).toISOString();
  assert.match(shown, new RegExp(`^${Number(there.slice(8, 10))} \\w+ ${there.slice(0, 4)}\\D+${there.slice(11, 19)} GMT\\+5:30 \\(just now\\)$`));
  await look(v, "post-with-its-time");
  await v.leave();
});

test("time: without scripts it is in UTC, and says so", async () => {
  const path = await tia.post("clock", "And now?", "A post");
  const v = await visitor(sites.sample, { zone: "Asia/Kolkata", scripts: false });
  const [shown, at] = await shownAt(v, path);
  assert.ok(shown.endsWith(`, ${at.toISOString().slice(11, 19)} UTC`), shown);
  await v.leave();
});

// isIn waits for a digest of a zone, which the folded form says.
const isIn = (v, zone) => v.page.locator(`#tz[value="${zone}"]`).waitFor({ state: "attached" });

test("time: a list says how long ago it was, also where a script puts a time in", async () => {
  await tia.post("clock", "Which time?");
  const v = await visitor(sites.sample);
  await v.open("/channels/clock");
  await v.sees("just now");
  const second = 1, minute = 60, hour = 60 * minute, day = 24 * hour, year = 365 * day;
  const words = new Map([
    [59 * second, "just now"], [-30 * second, "just now"], [minute + 5, "1 min ago"], [hour - 5, "59 min ago"], [hour + 5, "1 h ago"],
    [day - 5, "23 h ago"], [day + 5, "1 day ago"], [7 * day - 5, "6 days ago"], [7 * day + 5, "1 week ago"], [60 * day - 5, "8 weeks ago"],
    [60 * day + 5, "2 months ago"], [year - 5, "12 months ago"], [year + 5, "1 year ago"], [13 * year + 30 * day, "13 years ago"], [-2 * hour - 5, "in 2 h"],
    [-7 * day + 5, "in 7 days"],
  ]);
  const shown = await v.page.evaluate((agos) => Promise.all(agos.map(async (ago) => {
    const time = document.createElement("time");
    time.dateTime = new Date(Date.now() - 1000 * ago).toISOString();
    document.querySelector("main").append(time);
    await null; // the page has heard of it
    return time.textContent;
  })), [...words.keys()]);
  assert.deepEqual(shown, [...words.values()]);
  const inSeconds = (seconds, kind) => v.page.evaluate(async ([ahead, name]) => {
    const time = document.createElement("time");
    time.dateTime = new Date(Date.now() + 1000 * ahead).toISOString();
    time.dataset[name] = "";
    document.querySelector("main").append(time);
    await null;
    return time.textContent;
  }, [seconds, kind]);
  assert.equal(await inSeconds(0, "countdown"), "now", "what is to come says that it was just now");
  assert.match(await inSeconds(30, "exact"), /UTC$/, "what ends in half a minute says that it was just now");
  assert.match(await inSeconds(-30, "exact"), /UTC \(just now\)$/);
  await v.open("/channels/tables-and-queues");
  assert.match(await v.page.locator("article .at time").first().innerText(), /^(just now|\d+ (min|h))$/, "what leads to a post is longer than it must be");
  await v.leave();
});

test("time: the digest opens in the zone of the browser, and remembers another that was chosen", async () => {
  const v = await visitor(sites.sample, { as: tia, zone: "Pacific/Auckland" });
  await v.open("/digest");
  await v.page.waitForURL(/tz=/);
  await isIn(v, "Pacific/Auckland");
  await v.open("/digest");
  await isIn(v, "Pacific/Auckland");
  assert.equal(new URL(v.page.url()).search, "", "the zone is remembered, so that no script has to go there");
  await look(v, "digest-with-its-zone");
  await v.fill({ "Time zone": "Asia/Kolkata" });
  await v.follow(v.button("Show"));
  await isIn(v, "Asia/Kolkata");
  await v.open("/digest");
  await isIn(v, "Asia/Kolkata");
  await v.leave();
});

test("time: the digest stays in UTC if the site does not know the zone of the browser", async () => {
  const v = await visitor(sites.sample, { as: await signUp(sites.sample, "tom_of_time") });
  await v.page.addInitScript(() => {
    const real = Intl.DateTimeFormat.prototype.resolvedOptions;
    Intl.DateTimeFormat.prototype.resolvedOptions = function resolvedOptions() {
      return { ...real.call(this), timeZone: "Etc/Unknown" };
    };
  });
  v.expectRefusal(422, "/digest");
  const asked = v.page.waitForResponse(/tz=Etc/);
  await v.open("/digest");
  assert.equal((await asked).status(), 422);
  await isIn(v, "UTC");
  assert.equal(new URL(v.page.url()).search, "");
  await v.leave();
});

test("time: without scripts the digest begins in UTC and remembers what is chosen", async () => {
  const v = await visitor(sites.sample, { as: tia, zone: "Pacific/Auckland", scripts: false });
  await v.open("/digest");
  await isIn(v, "UTC");
  await v.fill({ "Time zone": "America/Sao_Paulo" });
  await v.follow(v.button("Show"));
  await isIn(v, "America/Sao_Paulo");
  await v.open("/digest");
  await isIn(v, "America/Sao_Paulo");
  await v.leave();
});

test("time: a channel of the sample is older than its posts", async () => {
  const v = await visitor(sites.sample);
  for (const name of ["four-anomalies", "reading-list", "tables-and-queues"]) {
    await v.open(`/channels?contains=${name}`);
    const created = await v.page.locator(".channels li", { hasText: name }).locator("time").evaluateAll((all) => all.map((t) => t.dateTime));
    assert.equal(created.length, 1, name);
    assert.ok(Date.now() - Date.parse(created[0]) > 24 * 3600 * 1000, `${created[0]} is too late`);
  }
  await v.leave();
});
