// Drafts whose author leaves the page, or the site.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signIn, signUp } from "./account.mjs";
import { answered, both, comesBack, published, shown, signInElsewhere, text, writer } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites } from "./visitor.mjs";

let lea;
before(async () => { lea = await signUp(sites.sample, "lea"); });

describe("draft: leaving and coming back", () => {
  test("by links brings back the text with script", async () => {
    const v = await writer(lea, "left.on", true);
    await look(v, "draft-kept");
    await v.follow(v.link("Channels"));
    await v.open("/channels?contains=left.on"); // the first page of all may not have it
    await v.follow(v.link("left.on"));
    await comesBack(v);
    await answered(v, v.button("Post"));
    await published(v, lea, "left.on");
    await v.follow(v.link("Channels"));
    await v.open("/channels?contains=left.on"); // the first page of all may not have it
    await v.follow(v.link("left.on"));
    assert.equal(await v.field("Text").inputValue(), "", "nothing is left of the draft");
    await v.leave();
  });

  both("by Back brings back the text", async function back(scripts, channel) {
    const v = await writer(lea, channel, scripts);
    await v.follow(v.link("Channels"));
    await v.page.goBack();
    if (scripts) await v.sees("Draft kept in this browser until you sign out.");
    assert.equal(await v.field("Text").inputValue(), text);
    await answered(v, v.button("Post"), scripts);
    await published(v, lea, channel);
    await v.leave();
  });

  test("by a reload brings back the text with script", async () => {
    const v = await writer(lea, "reloaded.on", true);
    await v.page.reload();
    await comesBack(v);
    await answered(v, v.button("Post"));
    await published(v, lea, "reloaded.on");
    await v.leave();
  });

  test("by a reload leads to an empty form without script", async () => {
    const v = await writer(lea, "reloaded.off", false);
    await v.page.reload();
    assert.equal(await v.field("Text").inputValue(), "", "this is Chromium's way, and no page can change it");
    await v.leave();
  });

  test("without script, a link leads to an empty form, and Back to the text", async () => {
    const v = await writer(lea, "left.off", false);
    await v.follow(v.link("Channels"));
    await v.open("/channels?contains=left.off"); // the first page of all may not have it
    await v.follow(v.link("left.off"));
    assert.equal(await v.field("Text").inputValue(), "");
    for (let back = 0; back < 3; back++) await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), text);
    await v.leave();
  });
});

test("draft: it can be discarded, and that can be undone", async () => {
  const v = await writer(lea, "discarded", true);
  await v.press(v.button("Discard"));
  await v.sees("Draft discarded.");
  assert.equal(await v.field("Text").inputValue(), "");
  await v.press(v.button("Undo"));
  await comesBack(v);
  await v.press(v.button("Discard"));
  await v.page.reload();
  assert.equal(await v.field("Text").inputValue(), "");
  assert.equal(await v.page.locator("form[data-draft] [role=status]").innerText(), "");
  await v.leave();
});

test("draft: one whose tab was closed comes back in another", async () => {
  const v = await writer(lea, "closed", true);
  await v.sees("Draft kept in this browser until you sign out.");
  const other = await v.context.newPage();
  await v.page.close();
  v.page = other;
  await v.open("/channels/closed");
  await comesBack(v);
  await answered(v, v.button("Post"));
  await published(v, lea, "closed");
  await v.leave();
});

test("draft: one that was too long and is discarded leaves no count of characters", async () => {
  const v = await writer(lea, "counted", true);
  await v.fill({ Text: "x".repeat(5001) });
  await v.sees("1 too many");
  await v.press(v.button("Discard"));
  await v.sees("Draft discarded.");
  assert.equal(await v.page.locator("#text-counter").isHidden(), true);
  await v.press(v.button("Undo"));
  await v.sees("1 too many");
  await v.leave();
});

test("draft: signing out removes all of them once that is confirmed, and ending a session none", async () => {
  const eva = await signUp(sites.sample, "eva");
  const v = await writer(eva, "out", true);
  await v.open("/channels/new");
  await v.fill({ Name: "never", Description: "A draft" });
  const drafts = () => v.page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("draft:eva:")).length);
  assert.equal(await drafts(), 2);
  await eva.endSessions();
  await v.page.reload();
  assert.equal(v.status, 401);
  assert.equal(await drafts(), 2);
  await v.fill({ Name: "eva", Password: eva.password });
  await v.follow(v.button("Sign in"));
  await v.sees("Draft kept in this browser until you sign out.");
  assert.equal(await v.field("Description").inputValue(), "A draft");
  const other = await v.context.newPage();
  await other.goto("/channels/out");
  await other.locator("form").getByLabel("Text").fill("In another tab");
  const questions = [];
  let answer = "dismiss";
  v.page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    return dialog[answer]();
  });
  await v.accountMenu();
  await v.press(v.button("Sign out"));
  assert.deepEqual(questions, [
    "Your drafts in this browser will be removed:\n\n“In another tab”\n“Mine What I wrote, in two lines”\n“never A draft”\n\nGo on?",
  ]);
  assert.equal(await drafts(), 3);
  answer = "accept";
  await v.follow(v.button("Sign out"));
  assert.match(await v.notice(), /signed out/);
  assert.equal(await drafts(), 0);
  await other.waitForFunction(() => Object.keys(localStorage).every((name) => !name.startsWith("draft:eva:")));
  await v.leave();
});

test("draft: after signing out in another tab none is kept, and what was typed can still be sent", async () => {
  const una = await signUp(sites.sample, "una_of_drafts");
  const v = await writer(una, "out.elsewhere", true);
  const kept = () => v.page.evaluate(() => Object.keys(localStorage).filter((name) => name !== "replied"));
  const [other, later] = [await v.context.newPage(), await v.context.newPage()];
  await later.goto("/channels/out.elsewhere");
  await other.goto("/channels");
  other.on("dialog", (dialog) => dialog.accept());
  await other.locator(".top .named > summary").click();
  await Promise.all([other.waitForEvent("load"), other.getByRole("button", { name: "Sign out" }).click()]);
  const sentence = "You have signed out in another tab, so this draft is not kept.";
  await v.sees(sentence);
  await later.locator("#text").fill("Typed after that");
  await later.getByText(sentence).waitFor();
  assert.deepEqual(await kept(), []);

  let keptOnTheWay;
  await v.page.route("**", async (route) => {
    if (route.request().method() === "POST") keptOnTheWay = await kept();
    await route.continue();
  });
  await answered(v, v.button("Post"));
  assert.deepEqual(keptOnTheWay, []);
  assert.equal(v.status, 401);
  await v.sees(sentence);
  assert.equal(await shown(v), text);
  assert.deepEqual(await kept(), []);
  await signInElsewhere(v, una);
  await v.follow(v.button("Post"));
  await published(v, await signIn(sites.sample, "una_of_drafts"), "out.elsewhere");
  await v.leave();
});
