// What holds for every page, whatever it shows. Tests call it where they have
// reached a page that is worth a look; page.test.mjs goes to the others.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";

const phone = { width: 360, height: 740 };
const desk = { width: 1280, height: 800 };

const artifacts = new URL("../artifacts/", import.meta.url).pathname;

// look holds the page to axe's rules, in the light on a phone and in the dark on
// a wide screen, and to the width of a phone. With SCREENSHOTS=1 it leaves
// pictures under the name.
export async function look(v, name) {
  const { page } = v;
  const before = page.viewportSize();
  await show(page, phone, "light");
  await assertFits(page);
  await assertAccessible(page);
  await show(page, desk, "dark");
  await assertAccessible(page);
  if (process.env.SCREENSHOTS) await picture(page, name);
  await show(page, before, null);
}

async function show(page, size, colorScheme) {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
}

// Nobody should have to scroll sideways to read.
async function assertFits(page) {
  const [content, room] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.ok(content <= room, `the page is ${content} px wide where there are ${room}`);
}

async function assertAccessible(page) {
  const { violations } = await new AxeBuilder({ page })
    .options({ rules: { "target-size": { enabled: true } } })
    .setLegacyMode(true) // there are no frames, and it is quicker
    .analyze();
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    `${id}: ${target}\n${failureSummary}`));
  assert.ok(found.length === 0, found.join("\n"));
}

async function picture(page, name) {
  await mkdir(artifacts, { recursive: true });
  for (const size of [phone, desk]) {
    for (const scheme of ["light", "dark"]) {
      await show(page, size, scheme);
      const path = `${artifacts}${name}-${size.width}-${scheme}.png`;
      await page.screenshot({ path, fullPage: true, animations: "disabled" });
    }
  }
}
