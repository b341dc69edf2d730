// The rows behind a channel: what the store holds, and what a deletion does to it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { phone, visitor } from "./visitor.mjs";

let site, jan;
before(async () => {
  // The worker is slow: the gate is shut for two waits, so that a page can show it.
  site = await ownSite("serve", "--teach", "--slow", "3s");
  jan = await signUp(site.url, "jan");
});
after(() => site.remove());

async function channel(name) {
  await jan.createChannel(name, "What the store holds.");
  for (const text of ["One", "Two", "Three"]) await jan.post(name, text);
}

const gate = (v) => v.page.locator('section[data-key="table gate"]');
const partition = (v) => v.page.locator('section[data-key="table row"]');

// unfold opens all folds.
const unfold = (v) => v.page.locator("details.store-fold").evaluateAll((folds) => folds.forEach((fold) => { fold.open = true; }));
const lit = (v, state) => v.page.locator(`.rows-map .gate.${state}[aria-current]`).waitFor();

test("rows: an incarnation is in one line on a wide screen", async () => {
  await channel("wide");
  const v = await visitor(site.url);
  await v.open("/channels/wide/rows");
  await unfold(v);
  const lines = await v.page.locator(".store dd").evaluateAll((values) => values
    .filter((value) => /^[A-Z2-7]{26}$/.test(value.textContent.trim())).map((value) => value.getClientRects().length));
  assert.ok(lines.length > 2 && lines.every((count) => count === 1), `lines of each incarnation: ${lines}`);
  await v.leave();
});

test("rows: a reader sees what each step of a deletion has left", async () => {
  await channel("fence");
  const reader = await visitor(site.url); // an anonymous client may see them with --teach
  await reader.open("/channels/fence");
  await reader.press(reader.page.getByText("Behind this page"));
  await reader.follow(reader.link("Rows in the store"));
  await reader.sees("The channel is active, and its gate is open.");
  await gate(reader).getByText("gate!open!").waitFor();
  assert.equal(await partition(reader).locator("tbody tr").count(), 11);
  await look(reader, "rows-active");
  await jan.deleteChannel("fence");
  await reader.open(reader.path);
  await gate(reader).getByText("gate!shut!").waitFor();
  assert.equal(await gate(reader).getByText("gate!open!").count(), 0);
  await reader.context.setOffline(true); // the page must not change while it is looked at
  await look(reader, "rows-shut");
  await reader.context.setOffline(false);
  await reader.sees("The channel is gone. This is what is left of it.");
  await look(reader, "rows-gone");
  await reader.leave();
});

test("rows: a phone shows each row as a card, and leads to what it is for", async () => {
  await channel("cards");
  const v = await visitor(site.url, { as: jan, ...phone, touch: true });
  await v.open("/channels/cards/rows");
  const { scrollHeight } = await v.page.evaluate(() => ({ scrollHeight: document.documentElement.scrollHeight }));
  assert.ok(scrollHeight < 3200, `the page is ${scrollHeight} px high before a fold is opened`);
  await v.press(v.page.locator(".rows-map a", { hasText: "open gate" }));
  const card = partition(v).locator("tr", { hasText: "gate!open!" });
  const label = await card.locator("td").last().evaluate((cell) => getComputedStyle(cell, "::before").content);
  assert.equal(label, '"Properties"');
  const widths = await card.locator("td, th").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
  assert.ok(widths.every((width) => width > 250), `the cells are ${widths} px wide`);
  await v.press(card.getByRole("link", { name: "open gate" }));
  await v.page.locator("#kind-Blogs-open-gate:target").waitFor();
  assert.equal(await v.page.locator("#kind-Blogs-open-gate a").getAttribute("href"), "/lab/post");
  await v.leave();
});

test("rows: the map follows a sweep, and a fold that was opened stays open", async () => {
  await channel("live");
  const v = await visitor(site.url, { as: jan });
  await jan.deleteChannel("live");
  await v.open("/channels/live/rows");
  await lit(v, "open");
  const fold = v.page.locator("#fold-table-channel");
  await v.press(fold.locator("summary"));
  await v.page.locator(".rows-map", { has: v.page.locator(".gate.shut[aria-current]") }).locator(".rows-blocks li", { hasText: "post" }).first().waitFor();
  assert.ok(await fold.evaluate(({ open }) => open), "the fold has closed");
  await lit(v, "gone");
  await v.sees("The channel is gone. This is what is left of it.");
  assert.equal(await v.page.locator(".rows-blocks li").count(), 0);
  await v.leave();
});

test("rows: on paper the folds are open", async () => {
  await channel("paper");
  const v = await visitor(site.url);
  await v.open("/channels/paper/rows");
  const row = partition(v).locator("tr", { hasText: "gate!open!" });
  assert.ok(!await row.evaluate((e) => e.checkVisibility()));
  await v.page.emulateMedia({ media: "print" });
  assert.ok(await row.evaluate((e) => e.checkVisibility() && e.getBoundingClientRect().height > 0));
  await v.leave();
});

test("rows: it works without script", async () => {
  await channel("plain");
  const v = await visitor(site.url, { as: jan, scripts: false });
  await jan.deleteChannel("plain");
  await v.open("/channels/plain/rows");
  await gate(v).getByText("gate!shut!").waitFor(); // until then the page reloads itself
  await v.sees("This is what is left of it.");
  await v.leave();
});
