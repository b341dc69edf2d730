// The icons, and what a page looks like on paper.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signUp } from "./account.mjs";
import { draw, drawing, icons } from "./icon_draw.mjs";
import { sites, visitor } from "./visitor.mjs";

// differences runs in the page. It returns the share of pixels that differ visibly.
async function differences([drawn, served]) {
  const pixels = async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const [a, b] = [await pixels(drawn), await pixels(served)];
  if (a.length !== b.length) return 1;
  let differing = 0;
  for (let i = 0; i < a.length; i++) differing += Math.abs(a[i] - b[i]) > 24;
  return differing / a.length;
}

// served is what the site serves, as a data: URL. (Playwright lets no page load a
// favicon.ico.)
async function served(path) {
  const response = await fetch(sites.sample + path);
  const bytes = Buffer.from(await response.arrayBuffer());
  return `data:${response.headers.get("Content-Type")};base64,${bytes.toString("base64")}`;
}

test("icon: each is the drawing", async () => {
  const v = await visitor(sites.sample);
  await v.context.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await v.open("/blank"); // without the policy of the site, which forbids data: images
  const svg = await drawing();
  for (const icon of [...icons, { name: "favicon.ico", size: 32 }]) {
    const drawn = await v.page.evaluate(draw, { svg, ...icon });
    const share = await v.page.evaluate(differences, [drawn, await served(`/static/${icon.name}`)]);
    assert.ok(share < 0.002, `${icon.name}: ${share} of its pixels are not the drawing; run node e2e/browser/icon_draw.mjs`);
  }
  await v.leave();
});

test("icon: the browser accepts the manifest", async () => {
  const v = await visitor(sites.sample);
  await v.open("/channels");
  const session = await v.context.newCDPSession(v.page);
  const { errors, url } = await session.send("Page.getAppManifest");
  assert.match(url, /\/static\/manifest\.[0-9a-f]{12}\.webmanifest$/);
  assert.deepEqual(errors, []);
  await v.leave();
});

test("print: a page on paper is black on white, with nothing to press", async () => {
  const v = await visitor(sites.sample, { as: await signUp(sites.sample, "icon_reader") });
  for (const path of ["/channels/tables-and-queues", "/how-deletion-works"]) {
    await v.open(path);
    await v.page.emulateMedia({ media: "print", colorScheme: "dark" });
    const seen = await v.page.evaluate(() => {
      const shown = [...document.querySelectorAll("nav, form, button, summary, header.top, footer")].filter((e) => e.checkVisibility());
      const { color, backgroundColor } = getComputedStyle(document.body);
      const link = document.querySelector("main p a[href^=http]");
      return {
        shown: shown.map((e) => e.outerHTML.slice(0, 80)), color,
        meta: document.querySelector(".post .meta")?.innerText.trim(), backgroundColor,
        heading: document.querySelector("h1").checkVisibility(), text: document.querySelector("main .text").checkVisibility(),
        link: link && getComputedStyle(link).color, line: link && getComputedStyle(link).textDecorationLine,
      };
    });
    assert.deepEqual(seen.shown, []);
    assert.ok(!seen.meta?.endsWith("·"), `“${seen.meta}” separates nothing`);
    assert.deepEqual([seen.color, seen.backgroundColor], ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    assert.ok(seen.heading && seen.text);
    const tops = await v.page.locator(".gate-story .gate-strip > li").evaluateAll((states) => states.map((state) => state.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, tops.length ? 1 : 0, `the states of the gate begin at ${tops}`);
    if (seen.link) assert.deepEqual([seen.link, seen.line], ["rgb(0, 0, 0)", "underline"]);
    if (process.env.SCREENSHOTS) await v.page.screenshot({ path: `artifacts/print${path.replaceAll("/", "-")}.png`, fullPage: true });
    await v.page.emulateMedia({ media: null, colorScheme: null });
  }
  await v.open("/digest");
  await v.page.emulateMedia({ media: "print" });
  assert.ok(await v.page.locator(".days summary").isVisible(), "a digest on paper does not say of which day it is");
  await v.leave();
});

test("feeds: a page explains them, and copies the address", async () => {
  const v = await visitor(sites.sample);
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await v.open("/channels/tables-and-queues");
  const link = v.link("Follow in a feed reader");
  if (!await link.isVisible()) await v.menu();
  await v.follow(link);
  const address = `${sites.sample}/channels/tables-and-queues/feed.atom`;
  await v.sees(address);
  await v.press(v.button("Copy the address"));
  await v.sees("Copied.");
  assert.equal(await v.page.evaluate(() => navigator.clipboard.readText()), address);
  assert.equal((await fetch(address)).status, 200);
  await v.leave();
});
