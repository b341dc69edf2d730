// What must be true of every page, whatever it shows. A test that reaches a new
// page looks at it; page.test.mjs looks at the pages that are left.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { phone } from "./visitor.mjs";

const desk = { width: 1280, height: 800 };

const artifacts = new URL("../artifacts/", import.meta.url).pathname;

// The pictures of the README show these pages. Next to each is a file with the words of its headings and controls.
const pictured = { "a-channel": "channel", "deletion-running": "deletion", "lab-a-run-half-way": "lab" };
const images = new URL("../../docs/images/", import.meta.url).pathname;

// axe is what a page needs to check itself. It is the short file, since each page loads it anew.
const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// The kinds of elements that axe has checked, by the size of the screen.
const checked = { phone: new Set(), desk: new Set() };

// look checks that the page fits on a phone and on a wide screen. axe checks it too if the page has a kind of
// element that no page before had: on a phone in light colours, or on a wide screen in dark ones, by the length
// of its name. MICROBLOGGING_TEST_ALL=1 checks each page whole in both. With SCREENSHOTS=1 look leaves
// pictures with that name in artifacts/.
export async function look(v, name) {
  const { page } = v;
  const before = page.viewportSize();
  const all = Boolean(process.env.MICROBLOGGING_TEST_ALL);
  const wide = name.length % 2 === 1;
  await show(page, phone, "light");
  await inspect(page, all || !wide ? checked.phone : null, all);
  await show(page, desk, "dark");
  await inspect(page, all || wide ? checked.desk : null, all);
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
  assert.equal(`${words}\n`, await readFile(file, "utf8"), `docs/images/${name}.png shows other words: make pictures takes it again`);
}

async function show(page, size, colorScheme) {
  await Promise.all([page.setViewportSize(size), page.emulateMedia({ colorScheme })]);
}

async function inspect(page, seen, all) {
  const { scrollWidth, clientWidth, parts } = await page.evaluate(measure);
  // Readers should not have to scroll sideways.
  assert.ok(scrollWidth <= clientWidth, `the page is ${scrollWidth} px wide on a screen of ${clientWidth}`);
  if (!seen) return;
  const fresh = parts.map((kinds) => {
    const before = seen.size;
    for (const kind of kinds) seen.add(kind);
    return all || seen.size > before;
  });
  if (!fresh.includes(true)) return;
  await page.evaluate(axe);
  const wrong = await page.evaluate(check, fresh);
  assert.ok(wrong.length === 0, wrong.join("\n"));
}

// measure runs in the page. It returns how wide that is, and of which kinds the elements are that can be seen: in
// the page, and in each part that hangs over it once it is opened. A kind is what decides about colours, sizes and
// names: the classes, role and type of an element and of those around it, its attributes, and whether it has a text.
function measure() {
  const { scrollWidth, clientWidth } = document.documentElement;
  const own = ({ localName, className, role, type }) => [localName, className, role, type].join(".");
  const kinds = (root, path) => {
    const found = new Set();
    const visit = (element, around) => {
      if (!element.checkVisibility()) return;
      const kind = `${around} ${own(element)}`;
      found.add(`${kind} ${element.getAttributeNames().sort()} ${element.textContent.trim() !== ""}`);
      for (const child of element.children) visit(child, kind);
    };
    visit(root, path);
    return [...found];
  };
  const parts = [kinds(document.documentElement, "")];
  for (const drop of document.querySelectorAll(".drop:not([open])")) {
    drop.open = true;
    parts.push(kinds(drop, "open"));
    drop.open = false;
  }
  return { scrollWidth, clientWidth, parts };
}

// check runs in the page. It returns what breaks one of axe's rules in the parts of measure that are asked for.
async function check(fresh) {
  // Only what is wrong is described, and the page's style sheets are its own.
  const options = { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"], preload: false };
  const wrong = [];
  const run = async (part) => {
    const { violations } = await window.axe.run(part, options);
    wrong.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target}\n${failureSummary}`)));
  };
  if (fresh[0]) await run(document);
  // What hangs over the page hides what is below it. So each is looked at alone.
  for (const [i, drop] of document.querySelectorAll(".drop:not([open])").entries()) {
    if (!fresh[i + 1]) continue;
    drop.open = true;
    await run(drop);
    drop.open = false;
  }
  return wrong;
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
