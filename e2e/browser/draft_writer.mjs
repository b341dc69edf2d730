// A user who has typed a post, and what becomes of it: in the end it is on the screen,
// or published exactly once. The cases are tried with and without script. Without it there
// is only what the browser keeps, which the tests pin down:
//
//   - Back brings back what was typed. A reload does not in Chromium, nor does a new visit
//     by a link; Back from there does.
//   - A form that got no answer is sent again by a reload, and published once.
//   - Back to a form that was published brings back the text with a new key. Pressing
//     Post there posts it again: nothing says that this is not meant.

import assert from "node:assert/strict";
import { test } from "node:test";
import { look } from "./page_look.mjs";
import { visitor } from "./visitor.mjs";

export const text = "What I wrote,\nin two lines";

export const modes = [{ mode: "with script", scripts: true }, { mode: "without script", scripts: false }];

// both makes a test of a case with script and one without.
export function both(name, run) {
  for (const { mode, scripts } of modes) test(`${name} ${mode}`, () => run(scripts, `${run.name}.${scripts ? "on" : "off"}`));
}

// writer makes a channel of the account, opens its page and types.
export async function writer(account, channel, scripts) {
  const v = await visitor(account.site, { as: account, scripts });
  await v.open(await account.createChannel(channel));
  await v.fill({ Title: "Mine", Text: text });
  return v;
}

// answered presses a button that sends a form, and returns when the page shows what the server has answered. With
// script that is no other page.
export async function answered(v, button, scripts = true) {
  if (!scripts) return v.follow(button);
  const [response] = await Promise.all([
    v.page.waitForResponse((r) => r.request().method() === "POST"),
    v.press(button),
  ]);
  v.status = response.status();
  await response.finished();
  await v.page.locator("article.pending").waitFor({ state: "detached" });
}

// aside presses a link that opens another tab, and returns that.
export async function aside(v, link) {
  const [tab] = await Promise.all([v.context.waitForEvent("page"), v.press(link)]);
  return tab;
}

// signInElsewhere signs in in another tab, by the link of the page that refuses a text.
export async function signInElsewhere(v, account) {
  const tab = await aside(v, v.page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }));
  await tab.getByLabel("Name").fill(account.name);
  await tab.getByLabel("Password").fill(account.password);
  await Promise.all([tab.waitForURL((url) => url.pathname !== "/sign-in"), tab.getByRole("button", { name: "Sign in" }).click()]);
  await tab.close();
}

// inspect looks at a page. Axe needs script, so it sees the page as it is with it.
export async function inspect(v, scripts, name) {
  if (scripts) await look(v, name);
}

// shown is the text on a page that refuses it.
export const shown = (v) => v.page.locator("textarea").first().inputValue();

// comesBack waits until the text is in a form again.
export async function comesBack(v) {
  await v.sees("Draft kept in this browser until you sign out.");
  assert.equal(await v.field("Text").inputValue(), text);
  assert.equal(await v.field("Title").inputValue(), "Mine");
}

// published asserts that the page shows the one post of the channel.
export async function published(v, account, channel) {
  await v.page.locator("article").first().waitFor();
  assert.deepEqual(await account.texts(channel), [text], "published exactly once");
  assert.deepEqual(await v.posts(), [text]);
}
