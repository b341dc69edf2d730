// What must be true of every page, whatever it shows. A test that reaches a new
// page looks at it; page.test.mjs looks at the pages that are left.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { phone } from "./visitor.mjs";

const desk = { width: 1280, height: 800 };

const artifacts = new URL("../artifacts/", import.meta.url).pathname;

// The pictures of the README are of these pages. Next to each is a file with the words of its headings and controls, once make pictures has taken it.
const pictured = { "a-channel": "channel", "deletion-running": "deletion", "lab-a-run-half-way": "lab" };
const images = new URL("../../docs/images/", import.meta.url).pathname;

// axe is what a page needs to check itself. Half of a look goes into loading it, so it is
// the short file, and a page loads it once.
const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// look checks that the page fits on a phone and on a wide screen, and checks it by axe's rules: on a
// phone in light colours, or on a wide screen in dark ones, by the length of its name. The pages share
// most of their parts, so most parts are checked in both. MICROBLOGGING_TEST_ALL=1 checks each page in
// both, which takes two processors a minute more. With SCREENSHOTS=1 look leaves pictures with that name in
// artifacts/.
export async function look(v, name) {
  const { page } = v;
  const before = page.viewportSize();
  const all = Boolean(process.env.MICROBLOGGING_TEST_ALL);
  const wide = name.length % 2 === 1;
  await Promise.all([show(page, phone, "light"), page.evaluate(axe)]);
  assertInOrder(await page.evaluate(inspect, all || !wide));
  await show(page, desk, "dark");
  assertInOrder(await page.evaluate(inspect, all || wide));
  if (pictured[name]) await compare(page, pictured[name]);
  if (process.env.SCREENSHOTS) await picture(page, name);
  await show(page, before, null);
}

// compare checks that the page has the words that its picture shows. With SCREENSHOTS=1 it writes them instead.
async function compare(page, name) {
  const words = await page.evaluate(() => [...document.querySelectorAll(":is(h1, h2, h3, button, dt, nav a, .top a, .steps b, .gate-strip b):not(.foot *)")]
    .filter((part) => part.checkVisibility() && part.getBoundingClientRect().top < innerHeight && !part.querySelector(".unseen, time"))
    .map((part) => part.innerText.replaceAll(/[\d\s]+/g, " ").trim()).filter(Boolean).join("\n"));
  const file = `${images}${name}.txt`;
  if (process.env.SCREENSHOTS) await writeFile(file, `${words}\n`);
  const shown = await readFile(file, "utf8").catch(() => `${words}\n`); // the picture was taken before its words were kept
  assert.equal(`${words}\n`, shown, `docs/images/${name}.png shows other words: make pictures takes it again`);
}

async function show(page, size, colorScheme) {
  await Promise.all([page.setViewportSize(size), page.emulateMedia({ colorScheme })]);
}

// inspect runs in the page. It returns how wide the page is, and what breaks one of axe's rules if
// these are asked for.
async function inspect(byRules) {
  const { scrollWidth, clientWidth } = document.documentElement;
  // Only what is wrong is described, and the page's style sheets are its own.
  const options = { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"], preload: false };
  const wrong = [];
  if (!byRules) return { scrollWidth, clientWidth, wrong };
  const check = async (part) => {
    const { violations } = await window.axe.run(part, options);
    wrong.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target}\n${failureSummary}`)));
  };
  await check(document);
  // What hangs over the page hides what is below it. So each is looked at alone.
  for (const drop of document.querySelectorAll(".drop:not([open])")) {
    drop.open = true;
    await check(drop);
    drop.open = false;
  }
  return { scrollWidth, clientWidth, wrong };
}

function assertInOrder({ scrollWidth, clientWidth, wrong }) {
  // Readers should not have to scroll sideways.
  assert.ok(scrollWidth <= clientWidth, `the page is ${scrollWidth} px wide on a screen of ${clientWidth}`);
  assert.ok(wrong.length === 0, wrong.join("\n"));
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
  // What a wide screen shows at first: make pictures puts three of these into the README.
  await show(page, desk, "light");
  await page.screenshot({ path: `${artifacts}${name}-first.png`, animations: "disabled" });
}
