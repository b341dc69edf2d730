// What must be true of every page, whatever it shows. A test that reaches a new
// page looks at it; page.test.mjs looks at the pages that are left.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import { phone } from "./visitor.mjs";

const desk = { width: 1280, height: 800 };

const artifacts = new URL("../artifacts/", import.meta.url).pathname;

// look checks the page by axe's rules, on a phone in light colours and on a wide
// screen in dark ones, and checks that it fits on a phone. With SCREENSHOTS=1 it
// leaves pictures with that name in artifacts/.
export async function look(v, name) {
  const { page } = v;
  const before = page.viewportSize();
  await show(page, phone, "light");
  await assertFits(page);
  await assertAccessible(page);
  await show(page, desk, "dark");
  await assertAccessible(page, loaded);
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
  assert.ok(content <= room, `the page is ${content} px wide on a screen of ${room}`);
}

// loaded is a script in place of axe's own, which takes a third of the time: the page
// has it already.
const loaded = ";";

async function assertAccessible(page, axeSource) {
  const { violations } = await new AxeBuilder({ page, axeSource })
    // Only what is wrong is described in full, and the page's style sheets are its own.
    .options({ rules: { "target-size": { enabled: true } }, resultTypes: ["violations"], preload: false })
    .setLegacyMode(true) // the pages have no frames, and this mode is quicker
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
  // What a wide screen shows at first: make screenshots puts two of these into the README.
  await show(page, desk, "light");
  await page.screenshot({ path: `${artifacts}${name}-first.png`, animations: "disabled" });
}
