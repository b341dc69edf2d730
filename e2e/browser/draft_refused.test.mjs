// Drafts that are refused for what they say, or while their author writes on.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered, signInElsewhere, text, writer } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

const long = "x".repeat(5001);

let rob;
before(async () => { rob = await signUp(sites.sample, "rob"); });

const said = (v) => v.page.locator("form[data-draft] [role=status]").innerText();

async function discards(v) {
  await v.press(v.button("Discard"));
  await v.sees("Draft discarded.");
}

describe("draft: what is saved", () => {
  test("comes back into the form of a post when a refused change is discarded", async () => {
    await rob.createChannel("saved.post");
    const v = await visitor(sites.sample, { as: rob });
    await v.open(`${await rob.post("saved.post", "Saved\n\ntext", "Saved title")}/edit`);
    await v.fill({ Title: "x".repeat(130), Text: "Typed" });
    await answered(v, v.button("Save"));
    assert.equal(v.status, 422);
    await discards(v);
    assert.equal(await v.field("Title").inputValue(), "Saved title");
    assert.equal(await v.field("Text").inputValue(), "Saved\n\ntext");
    await v.press(v.button("Undo"));
    assert.equal(await v.field("Text").inputValue(), "Typed");
    await v.leave();
  });

  test("comes back into the form of a description when a change that met another is discarded", async () => {
    const path = `${await rob.createChannel("saved.meanwhile", "Before")}/edit`;
    const v = await visitor(sites.sample, { as: rob });
    await v.open(path);
    const other = await v.context.newPage();
    await other.goto(path);
    await other.getByLabel("Description").fill("Saved meanwhile");
    await Promise.all([other.waitForEvent("load"), other.getByRole("button", { name: "Save all", exact: true }).click()]);
    await v.fill({ Description: "Typed" });
    await answered(v, v.button("Save all"));
    await v.sees("Another description was saved meanwhile: “Saved meanwhile”.");
    await discards(v);
    assert.equal(await v.field("Description").inputValue(), "Saved meanwhile");
    await v.leave();
  });

  test("empties the fields that add to a list when settings that were refused are discarded", async () => {
    const v = await visitor(sites.sample, { as: rob });
    await v.open(`${await rob.createChannel("saved.block", "Saved")}/edit`);
    await v.fill({ Description: "Typed", "Block accounts": "not.a.user" });
    await answered(v, v.button("Save all"));
    assert.equal(v.status, 422);
    assert.equal(await v.field("Description").inputValue(), "Typed");
    assert.equal(await v.field("Block accounts").inputValue(), "not.a.user");
    await discards(v);
    assert.equal(await v.field("Description").inputValue(), "Saved");
    assert.equal(await v.field("Block accounts").inputValue(), "");
    await v.leave();
  });
});

for (const [name, act] of [["a post", "Post"], ["a new channel", "Create channel"]]) {
  test(`draft: what is said of ${name} that was refused goes when it is discarded`, async () => {
    const v = await visitor(sites.sample, { as: rob });
    await v.open(act === "Post" ? await rob.createChannel("errors.gone") : "/channels/new");
    await v.fill(act === "Post" ? { Text: long } : { Name: "errors.gone.2", Description: "x".repeat(501) });
    await answered(v, v.button(act));
    assert.equal(v.status, 422);
    await discards(v);
    assert.equal(await v.page.locator("main :is(.error, .notice, [aria-invalid])").count(), 0, "the errors are still there");
    assert.ok(!(await v.page.title()).startsWith("Error"), "the title still says that something is wrong");
    await v.leave();
  });
}

test("draft: a refused text does not come back after the next posts", async () => {
  const v = await writer(rob, "no.return", true);
  await v.fill({ Text: long });
  await answered(v, v.button("Post"));
  assert.equal(v.status, 422);
  for (const words of ["First", "Second"]) {
    await v.fill({ Text: words });
    await answered(v, v.button("Post"));
    assert.equal(await v.field("Text").inputValue(), "");
  }
  assert.deepEqual(await rob.texts("no.return"), ["Second", "First"]);
  await v.leave();
});

describe("draft: a post that is refused while its author writes on", () => {
  // post sends what is in the form, and has it answered when another text is there.
  async function post(v) {
    let answer;
    const written = new Promise((resolve) => { answer = resolve; });
    await v.page.route("**", async (route) => {
      if (route.request().method() === "POST") await written;
      await route.continue();
    });
    await v.press(v.button("Post"));
    await v.fill({ Text: "Written on" });
    answer();
  }

  test("says why", async () => {
    const v = await writer(rob, "why.text", true);
    await v.fill({ Text: long });
    await post(v);
    await v.sees(/^· Not sent\. Text must have at most/);
    await v.leave();
  });

  test("leads to sign in if the session has ended, and is then sent", async () => {
    const ron = await signUp(sites.sample, "ron");
    const v = await writer(ron, "why.session", true);
    await ron.endSessions();
    await post(v);
    await v.sees("Not sent. You are not signed in any more");
    await look(v, "refused-while-writing-on");
    await signInElsewhere(v, ron);
    await v.press(v.button("Try again"));
    await v.page.locator("article.pending").waitFor({ state: "detached" });
    assert.deepEqual(await ron.texts("why.session"), [text]);
    assert.equal(await v.field("Text").inputValue(), "Written on");
    await v.leave();
  });
});
