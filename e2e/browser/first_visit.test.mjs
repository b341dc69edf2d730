// What an anonymous client's browser loads when it first opens a channel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signUp } from "./account.mjs";
import { sites, visitor } from "./visitor.mjs";

test("first visit: three requests, under 20 KB on the wire", async () => {
  // Made-up words, a few of them often, compress about as badly as prose does.
  const letters = "etaoinshrdlucmfwygpbvk";
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const word = () => Array.from({ length: 2 + random(8) }, () => letters[Math.min(random(22), random(22))]).join("");
  const words = Array.from({ length: 700 }, word);
  const prose = Array.from({ length: 2000 }, () => words[Math.min(random(700), random(700))]).join(" ");
  const ada = await signUp(sites.idle, "first_visit");
  await ada.createChannel("First-visit");
  for (let i = 0; i < 20; i++) await ada.post("First-visit", prose.slice(400 * i, 400 * (i + 1)));
  const v = await visitor(sites.idle, { first: true });
  // The user does not move the pointer. Chromium invents moves when it has drawn a page under it.
  await v.page.addInitScript(() => addEventListener("pointermove", (event) => event.stopImmediatePropagation(), true));
  const loaded = [];
  v.page.on("requestfinished", (request) => loaded.push(request));
  await v.page.goto("/channels/First-visit", { waitUntil: "networkidle" });
  let bytes = 0;
  for (const request of loaded) {
    const sizes = await request.sizes();
    const response = await request.response();
    bytes += sizes.responseHeadersSize + sizes.responseBodySize;
    assert.equal(await response.headerValue("Content-Encoding"), "gzip", request.url());
  }
  const paths = loaded.map((request) => new URL(request.url()).pathname.replace(/\.[0-9a-f]{12}\./, ".")).sort();
  assert.deepEqual(paths, ["/channels/First-visit", "/static/app.css", "/static/app.js"]);
  assert.ok(bytes < 20 * 1024, `${bytes} bytes`);
  await v.sees("Sign in");
  await v.leave();
});
