// A channel on a phone: posts come first, and what one needs less often is folded.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

// The first post begins above this line, in CSS pixels.
const fold = 420;

let flo, reader, path;
before(async () => {
  [flo, reader] = [await signUp(sites.sample, "flo"), await signUp(sites.sample, "flo_reader")];
  path = await flo.createChannel("garden.phone", "What grows behind the house, what does not, and what the snails left. Written on most evenings from March to October, and read again in winter.");
  for (const title of ["Beans", "Peas", "Kale"]) await flo.post("garden.phone", "It grows.", title);
});

const summary = (v, label) => v.page.locator("summary", { hasText: label });
const composer = (v) => v.page.locator("details.compose");

describe("phone: the first post begins above the fold", () => {
  const readers = {
    "for an anonymous client": () => undefined,
    "for a reader": () => reader,
    "for the owner": () => flo,
  };
  for (const [who, as] of Object.entries(readers)) {
    for (const touch of [false, true]) {
      test(`${who}${touch ? ", by touch" : ""}`, async () => {
        const v = await visitor(sites.sample, { as: as(), ...phone, touch });
        await v.open(path);
        const { y } = await v.page.getByRole("article").first().boundingBox();
        assert.ok(y < fold, `the first post begins at y=${y}`);
        if (!touch) await look(v, `phone-${who.replaceAll(" ", "-")}`);
        await v.leave();
      });
    }
  }
});

for (const scripts of [true, false]) {
  const how = scripts ? "" : ", without scripts";

  test(`phone: “⋯” has the facts, the feeds and what the owner may do${how}`, async () => {
    const v = await visitor(sites.sample, { as: flo, ...phone, scripts, hand: "keyboard" });
    await v.open(path);
    for (const name of ["Follow in a feed reader", "Edit description", "Delete channel…"]) {
      assert.ok(!(await v.link(name).isVisible()), `${name} is not folded`);
    }
    await v.menu();
    for (const name of ["Follow in a feed reader", "Edit description"]) await v.link(name).waitFor();
    await v.sees("created", "and read again in winter.");
    await v.follow(v.link("Delete channel…"));
    await v.leave();
  });

  test(`phone: the line to write a post opens, and what was typed opens it too${how}`, async () => {
    await flo.createChannel(`line.${scripts}`);
    await flo.post(`line.${scripts}`, "First");
    const v = await visitor(sites.sample, { as: flo, ...phone, scripts, hand: "keyboard" });
    await v.open(`/channels/line.${scripts}`);
    assert.ok(!(await v.field("Text").isVisible()), "the form is open");
    await v.press(summary(v, "Write a post"));
    await v.field("Text").waitFor();
    if (scripts) {
      await v.page.waitForFunction(() => document.activeElement.name === "text", null, "the text has the focus");
      await look(v, "phone-compose");
    }
    await v.fill({ Title: "x".repeat(121), Text: "Second" });
    await v.follow(v.button("Post"));
    assert.equal(v.status, 422);
    assert.ok(await v.field("Text").isVisible(), "a refused form is folded");
    assert.equal(await v.field("Text").inputValue(), "Second");
    await v.page.goBack();
    await v.field("Text").waitFor();
    assert.equal(await v.field("Text").inputValue(), "Second", "the browser kept what was typed");
    await v.leave();
  });
}

test("phone: the head of a page has two lines, however long the reader's name is", async () => {
  for (const name of ["flo_eight", "flo_eleven_x", "flo_".padEnd(32, "w")]) {
    const v = await visitor(sites.sample, { as: await signUp(sites.sample, name), ...phone });
    await v.open(path);
    const account = v.page.locator(".account summary");
    const [brand, sign] = [await v.link("MicroBlogging").boundingBox(), await account.boundingBox()];
    assert.ok(Math.abs(brand.y + brand.height / 2 - sign.y - sign.height / 2) < 3, "the account is not next to the name of the site");
    await v.press(account);
    await v.link(name).waitFor();
    await v.button("Sign out").waitFor();
    await v.press(account);
    await look(v, `phone-head-${name.length}`);
    await v.leave();
  }
});

test("phone: a channel without posts has its form open", async () => {
  await flo.createChannel("line.empty");
  const v = await visitor(sites.sample, { as: flo, ...phone });
  await v.open("/channels/line.empty");
  assert.ok(await composer(v).evaluate((details) => details.open));
  assert.ok(await v.field("Text").isVisible());
  await v.leave();
});
