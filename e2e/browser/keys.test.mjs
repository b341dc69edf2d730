// Single keys. Each does what a control of the page does too.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

let kim, channel;
before(async () => {
  kim = await signUp(sites.sample, "keys_kim");
  channel = await kim.createChannel("keys");
  for (const [text, title] of [["The last", ""], ["The middle", "A title"], ["The first", ""]]) await kim.post("keys", text, title);
});

// There are three posts. reads returns the text of the one that has the focus.
const reads = (v) => v.page.evaluate(() => document.activeElement.closest("article")?.querySelector(".text").innerText);
const press = (v, key) => v.page.keyboard.press(key);

async function reader(options) {
  const v = await visitor(sites.sample, options);
  await read(v);
  return v;
}

// read opens the channel, and waits for the keys: the first use of a page loads them.
async function read(v) {
  await v.open(channel);
  await press(v, "Shift");
  await v.page.evaluate(async () => { await import(document.querySelector(".foot [data-keys]").dataset.keys); });
}

test("keys: the key that loads them is not lost", async () => {
  const v = await visitor(sites.sample);
  await v.open(channel);
  await press(v, "j");
  await v.page.waitForFunction(() => document.activeElement.closest("article")?.innerText.includes("The first"));
  await v.leave();
});

test("keys: j and k move between posts, to what opens each", async () => {
  const v = await reader({ as: kim });
  await press(v, "k");
  assert.equal(await reads(v), undefined);
  for (const [key, text] of [["j", "The first"], ["j", "The middle"], ["j", "The last"], ["j", "The last"], ["k", "The middle"]]) {
    await press(v, key);
    assert.equal(await reads(v), text, key);
  }
  assert.equal(await v.page.evaluate(() => document.activeElement.textContent), "A title");
  await look(v, "keys-in-use");
  await press(v, "k");
  assert.equal(await reads(v), "The first");
  await Promise.all([v.page.waitForEvent("load"), press(v, "Enter")]);
  await v.page.locator("article.alone", { hasText: "The first" }).waitFor();
  await v.leave();
});

test("keys: v votes for the post and takes the vote back", async () => {
  const v = await reader({ as: kim });
  await press(v, "v");
  await press(v, "j");
  await press(v, "v");
  await v.page.getByRole("article").first().getByRole("button", { name: /^Take back/ }).waitFor();
  assert.equal(await v.page.getByRole("button", { name: /^Take back/ }).count(), 1);
  await press(v, "v");
  await v.page.getByRole("article").first().getByRole("button", { name: /^Vote/ }).waitFor();
  await v.leave();
});

test("keys: n leads to the form for a post, and in a field the keys are letters", async () => {
  const v = await reader({ as: kim });
  await press(v, "n");
  await v.page.waitForFunction(() => document.activeElement.name === "text");
  await v.page.keyboard.type("jknv/?");
  assert.equal(await v.field("Text").inputValue(), "jknv/?");
  assert.equal(v.path, "/channels/keys");
  await v.leave();
});

test("keys: a slash leads to the field that finds, on a phone too; a question mark to the list of keys", async () => {
  const v = await reader();
  await press(v, "/");
  assert.equal(await v.page.evaluate(() => document.activeElement.id), "seek");
  await v.page.keyboard.type("lea");
  await press(v, "Escape");
  await press(v, "j");
  assert.equal(await reads(v), "The first", "Escape has not left the field");
  await v.page.setViewportSize(phone);
  await read(v);
  await press(v, "/");
  await v.page.locator("#seek:focus").waitFor();
  await press(v, "Escape");
  await press(v, "?");
  await v.page.locator(".body > .keys kbd").first().waitFor();
  await v.page.waitForLoadState();
  assert.deepEqual(await v.page.locator(".body > .keys kbd").allInnerTexts(), ["j", "k", "n", "v", "Ctrl Enter", "/", "?"]);
  await look(v, "keys");
  await v.leave();
});

test("keys: with a modifier, or turned off, they do nothing", async () => {
  const v = await reader({ as: kim });
  for (const key of ["Control+j", "Alt+j", "Meta+j"]) await press(v, key);
  assert.equal(await reads(v), undefined);
  await v.open("/keys");
  await v.press(v.button("Turn the keys off"));
  await v.sees("The keys are off in this browser.");
  await read(v);
  for (const key of ["j", "n", "/", "?"]) await press(v, key);
  assert.equal(await reads(v), undefined);
  assert.ok(await v.page.evaluate(() => document.activeElement === document.body), "a key has moved the focus");
  assert.equal(v.path, "/channels/keys");
  await v.open("/keys");
  await v.press(v.button("Turn the keys on"));
  await read(v);
  await press(v, "j");
  assert.equal(await reads(v), "The first");
  await v.leave();
});

test("keys: without scripts the list is there, without the switch", async () => {
  const v = await visitor(sites.sample, { scripts: false });
  await v.open("/");
  await v.follow(v.link("Keyboard shortcuts"));
  await v.sees("Next post: its title, or its time.");
  assert.equal(await v.page.getByRole("main").getByRole("button").count(), 0);
  await v.leave();
});
