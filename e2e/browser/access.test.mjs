// What a page tells those who do not see it as it was drawn, beyond the rules of axe.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let amy;
before(async () => { amy = await signUp(sites.sample, "access_amy"); });

// hasFocus waits until the focus is there: a browser moves it when it first draws the page.
const hasFocus = (v, selector) => v.page.locator(`${selector}:focus`).waitFor();

describe("access: the first error of a refused form has the focus", () => {
  for (const scripts of [true, false]) {
    const how = scripts ? "" : ", without scripts";

    test(`in its field${how}`, async () => {
      const v = await visitor(sites.sample, { as: amy, scripts });
      await v.open(await amy.createChannel(`access.field.${scripts}`));
      await v.fill({ Title: "x".repeat(121), Text: "y".repeat(5001) });
      await v.press(v.button("Post"));
      await hasFocus(v, "#title");
      assert.match(await v.field("Title").getAttribute("aria-describedby"), /title-error/);
      assert.match(await v.page.locator("#title-error").innerText(), /120/);
      await v.leave();
    });

    test(`above the form, if it is about no field${how}`, async () => {
      const v = await visitor(sites.sample, { scripts });
      await v.open("/sign-in");
      await v.fill({ Name: amy.name, Password: "wrong horse battery" });
      await v.follow(v.button("Sign in"));
      assert.equal(v.status, 401);
      await hasFocus(v, ".notice");
      await v.leave();
    });
  }
});

test("access: what is left is told when the typing pauses, and belongs to its field", async () => {
  const v = await visitor(sites.sample, { as: amy });
  await v.open(await amy.createChannel("access.counter"));
  await v.fill({ Title: "x".repeat(118) });
  await v.page.keyboard.type("yz!");
  const told = v.page.getByRole("status");
  await told.getByText("1 too many").waitFor({ state: "attached" });
  assert.match(await v.field("Title").getAttribute("aria-describedby"), /title-counter/);
  assert.equal(await v.page.locator("#title-counter").innerText(), "1 too many");
  await v.leave();
});

// sides returns how far what is in each of two elements is from the left and from the right
// of the column.
const sides = (v, ...selectors) => v.page.evaluate((list) => list.map((selector) => {
  const element = document.querySelector(selector);
  const range = document.createRange();
  range.selectNodeContents(element);
  const text = range.getBoundingClientRect();
  const column = document.querySelector(".head:has(.text), .channels > li");
  const { left, right } = column.getBoundingClientRect();
  const edge = parseFloat(getComputedStyle(column).paddingLeft);
  return [Math.round(text.left - left - edge), Math.round(right - edge - text.right)];
}), selectors);

test("access: a name and its description are on one side", async () => {
  await amy.createChannel("مدونة", "Short and Latin");
  await amy.createChannel("حديقة", "ملاحظات قصيرة");
  await amy.createChannel("access.latin", "הערות קצרות");
  const v = await visitor(sites.sample);
  for (const [name, side] of [["مدونة", 1], ["حديقة", 1], ["access.latin", 0]]) {
    await v.open(`/channels/${encodeURIComponent(name)}`);
    for (const found of await sides(v, "h1", ".head .text p")) assert.ok(found[side] <= 1, `${name}: ${found}`);
    await look(v, `access-${name}`);
    await v.open(`/channels?contains=${encodeURIComponent(name)}`);
    for (const found of await sides(v, ".channels h2", ".channels .about")) assert.ok(found[side] <= 1, `${name} in the directory: ${found}`);
  }
  await v.leave();
});

// colours counts the pixels of each colour in a picture of an element.
async function colours(v, target) {
  const picture = (await target.screenshot()).toString("base64");
  const page = await v.context.newPage();
  const found = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    const at = (x, y) => pixels.slice((y * image.width + x) * 4, (y * image.width + x) * 4 + 3).join();
    const middle = Math.floor(image.height / 2);
    return { first: at(6, middle), last: at(image.width - 6, middle) };
  }, picture);
  await page.close();
  return found;
}

test("access: in forced colours one sees the progress, the current step and the main button", async () => {
  await amy.createChannel("access.forced");
  const v = await visitor(sites.sample, { as: amy });
  await v.open(await amy.deleteChannel("access.forced"));
  await v.page.locator(".deletion.done").waitFor();
  await v.page.locator(".how > summary").click();
  await v.page.emulateMedia({ forcedColors: "active" });
  await v.page.evaluate(() => {
    document.querySelector("progress").value = 2;
    document.querySelectorAll(".steps li").forEach((step, i) => { step.className = i === 2 ? "current" : ""; });
  });
  const bar = await colours(v, v.page.locator("progress"));
  assert.notEqual(bar.first, bar.last, "what is done looks like what is left");
  const number = (selector) => v.page.locator(selector).first().evaluate((step) => getComputedStyle(step, "::before").backgroundColor);
  assert.notEqual(await number(".steps .current"), await number(".steps li:not(.current)"), "the current step looks like the others");

  const background = (control) => control.evaluate((shown) => getComputedStyle(shown).backgroundColor);
  assert.notEqual(await background(v.link("Write")), await background(v.button("Play back")), "the main button looks like the others");
  await v.leave();
});
