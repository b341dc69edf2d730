// What one question costs in four ways, at /lab/queries.

import assert from "node:assert/strict";
import { test } from "node:test";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

const path = "/lab/queries?channel=tables-and-queues&user=ada";

test("queries: the page can be read on a phone and on a wide screen", async () => {
  const v = await visitor(sites.sample);
  await v.open(path);
  assert.equal(await v.heading(), "One question, four ways to ask it");
  // Each way has a name and a row of figures. The two scans read more than the two others.
  const read = await v.page.getByRole("table").first().evaluate((table) => [...table.tBodies].map((way) => {
    const figures = [...way.rows].at(-1).cells;
    return [way.rows[0].cells[0].textContent, Number(figures[1].textContent.replaceAll(",", ""))];
  }));
  assert.deepEqual(read.map(([name]) => name), ["Point queries", "Row range", "Partition scan", "Table scan"]);
  const [points, range, partition, table] = read.map(([, rows]) => rows);
  assert.ok(points > 0 && points <= range && range < partition && partition < table, `rows read: ${read}`);
  assert.equal(await v.page.locator("[style]").count(), 0);
  await look(v, "queries");
  await v.leave();
});

test("queries: the form asks another question, and says what is wrong with it", async () => {
  const v = await visitor(sites.sample);
  await v.open(path);
  await v.page.getByLabel("User").fill("grace");
  await v.page.getByLabel("Since").fill("2020-01-01");
  await v.page.getByRole("button", { name: "Ask" }).click();
  await v.page.waitForURL(/user=grace/);
  assert.match(await v.page.locator(".lead").textContent(), /@grace.*since Wednesday, 1 January 2020/s);
  await v.page.getByLabel("User").fill("!");
  await v.page.getByRole("button", { name: "Ask" }).click();
  await v.page.waitForURL(/user=%21/);
  assert.equal(await v.page.getByLabel("User").getAttribute("aria-invalid"), "true");
  await look(v, "queries-refused");
  await v.leave();
});
