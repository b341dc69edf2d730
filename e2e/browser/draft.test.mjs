// Drafts that are refused: by the end of a session, or the end of a channel.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered, both, comesBack, inspect, modes, published, shown, signInElsewhere, text, writer } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let dia, dov;
before(async () => {
  dia = await signUp(sites.sample, "dia");
  dov = await signUp(sites.sample, "dov");
});

describe("draft: a session that has ended", () => {
  both("is begun again in another tab, and the text is sent once", async function ended(scripts, channel) {
    const v = await writer(dia, channel, scripts);
    await dia.endSessions();
    await answered(v, v.button("Post"), scripts);
    assert.equal(v.status, 401);
    assert.equal(await shown(v), text);
    if (scripts) await v.sees("Draft kept in this browser until you sign out.");
    await inspect(v, scripts, "session-ended");

    await answered(v, v.button("Post"), scripts); // too early
    assert.equal(v.status, 401);
    assert.equal(await shown(v), text);
    assert.deepEqual(await dia.texts(channel), []);

    await signInElsewhere(v, dia);
    assert.equal(await shown(v), text);
    await v.follow(v.button("Post"));
    assert.match(await v.notice(), /published/);
    await published(v, dia, channel);
    await v.open(`/channels/${channel}`);
    assert.equal(await v.field("Text").inputValue(), "", "nothing is left of the draft");
    await v.leave();
  });

  both("is not begun again in the name of another", async function anonymous(scripts, channel) {
    const v = await writer(dia, channel, scripts);
    await dia.endSessions();
    await answered(v, v.button("Post"), scripts);
    await signInElsewhere(v, dov);
    await answered(v, v.button("Post"), scripts);
    assert.equal(v.status, 409);
    await v.sees("You are signed in as dov now");
    assert.equal(await shown(v), text);
    assert.deepEqual(await dia.texts(channel), []);
    await inspect(v, scripts, "another-user");
    await v.follow(v.button("Post"));
    await published(v, dia, channel);
    await v.leave();
  });
});

describe("draft: a text that was refused for want of a session", () => {
  test("is kept if another user signs in elsewhere with script", async () => {
    const v = await writer(dia, "elsewhere", true);
    await dia.endSessions();
    await answered(v, v.button("Post"));
    assert.equal(v.status, 401);
    await v.follow(v.page.getByRole("banner").getByRole("link", { name: "Sign in" }));
    await v.fill({ Name: "dia", Password: dia.password });
    await v.follow(v.button("Sign in"));
    await v.open("/channels/elsewhere");
    await comesBack(v);
    await v.leave();
  });

  test("leaves the form of another tab with script as it is when it is published", async () => {
    const v = await writer(dia, "two.tabs", true);
    const other = await v.context.newPage();
    await other.goto("/channels/two.tabs");
    await other.locator("form").getByLabel("Text").fill("In another tab");
    await dia.endSessions();
    await answered(v, v.button("Post"));
    await signInElsewhere(v, dia);
    await v.follow(v.button("Post"));
    await published(v, dia, "two.tabs");
    v.page = other;
    assert.equal(await v.field("Text").inputValue(), "In another tab");
    await answered(v, v.button("Post"));
    assert.deepEqual(await dia.texts("two.tabs"), ["In another tab", text]);
    await v.leave();
  });
});

describe("draft: two tabs that show one form", () => {
  // Without script, both have the key of the page, so the second is asked whether it is another post.
  both("publish what was written in each", async function together(scripts, channel) {
    const v = await writer(dia, channel, scripts);
    const second = await v.context.newPage();
    await second.goto(`/channels/${channel}`);
    await second.locator("#text").fill("In the second tab");
    await answered(v, v.button("Post"), scripts);
    v.page = second;
    await answered(v, v.button("Post"), scripts);
    if (!scripts) {
      await v.sees("Already published. Post this as a new one?");
      await v.follow(v.button("Post"));
    }
    assert.deepEqual(await dia.texts(channel), ["In the second tab", text]);
    await v.leave();
  });
});

describe("draft: a channel that is deleted meanwhile", () => {
  let ira, ivo;
  before(async () => {
    ira = await signUp(sites.idle, "ira");
    ivo = await signUp(sites.idle, "ivo");
  });

  // The site has no worker, so the deletion does not go on.
  both("shows the text", async function shut(scripts, channel) {
    const v = await writer(ira, channel, scripts);
    const other = await visitor(sites.idle, { as: ivo, scripts });
    await other.open(`/channels/${channel}`);
    await other.fill({ Text: text });
    await ira.deleteChannel(channel);

    await answered(v, v.button("Post"), scripts);
    assert.equal(v.status, 410);
    await v.sees(/That may still be undone\. Your post was refused\./);
    assert.equal(await shown(v), text);
    await inspect(v, scripts, "gate-shut");

    await answered(other, other.button("Post"), scripts);
    assert.equal(other.status, 410);
    assert.equal(await shown(other), text);
    await v.leave();
    await other.leave();
  });

  both("shows the text once the channel is gone", async function gone(scripts, channel) {
    const v = await writer(dia, channel, scripts);
    await dia.deleteChannelWhole(channel);
    await answered(v, v.button("Post"), scripts);
    assert.equal(v.status, 404);
    await v.sees(/was deleted while you wrote\. Your post was refused\./);
    assert.equal(await shown(v), text);
    await v.leave();
  });

  test("shows the text to the user who comes back with script", async () => {
    const v = await writer(dia, "gone.later", true);
    await v.open("/channels");
    await dia.deleteChannelWhole("gone.later");
    await v.open("/channels/gone.later");
    assert.equal(v.status, 404);
    await v.sees("What you wrote here");
    assert.equal(await shown(v), `Mine\n\n${text}`);
    await look(v, "gone-with-a-draft");
    await v.press(v.button("Discard"));
    await v.page.locator("textarea").waitFor({ state: "detached" });
    await v.page.reload();
    assert.equal(await v.page.locator("textarea").count(), 0);
    await v.leave();
  });
});

test("draft: one for a channel that was created again meanwhile is offered, and not sent unseen, with script", async () => {
  const v = await writer(dia, "again", true);
  await v.open("/channels");
  await dia.deleteChannelWhole("again");
  await dia.createChannel("again");
  await v.open("/channels/again");
  assert.equal(await v.field("Text").inputValue(), "");
  await v.sees("A draft for the old one is kept in this browser.");
  await look(v, "draft-for-the-old-channel");
  await v.press(v.button("Put my text in this form"));
  await comesBack(v);
  await answered(v, v.button("Post"));
  await published(v, dia, "again");
  await v.leave();
});

describe("draft: of every form for text", () => {
  for (const { form, path, fields, button, after: lands } of [
    { form: "a change of a post", path: (post) => `${post}/edit`, fields: { Title: "New", Text: text }, button: "Save", after: /in two lines/ },
    { form: "a description", path: () => "/channels/every/edit", fields: { Description: text }, button: "Save all", after: /in two lines/ },
    { form: "a new channel", path: () => "/channels/new", fields: { Name: "every.new", Description: text }, button: "Create channel", after: /in two lines/ },
  ]) {
    test(`${form} is kept and sent once`, async () => {
      const fay = await signUp(sites.sample, `fay_${form.length}_${button.length}`);
      const name = `every.${fay.name}`;
      await fay.createChannel(name);
      const post = await fay.post(name, "Before");
      const v = await visitor(sites.sample, { as: fay });
      await v.open(path(post).replace("every/", `${name}/`));
      await v.fill(fields);
      await v.open("/channels");
      await v.page.goBack();
      await v.sees("Draft kept in this browser until you sign out.");
      for (const [label, value] of Object.entries(fields)) assert.equal(await v.field(label).inputValue(), value);
      await fay.endSessions();
      await answered(v, v.button(button));
      assert.equal(v.status, 401);
      if (form === "a new channel") await look(v, "session-ended-new-channel");
      await signInElsewhere(v, fay);
      await v.follow(v.button(button));
      await v.sees(lands);
      assert.ok(await v.page.evaluate(() => Object.keys(localStorage).every((item) => !item.startsWith("draft:"))));
      await v.leave();
    });
  }
});

test("draft: too large for a form it stays in the form", async () => {
  for (const { scripts } of modes) {
    const channel = `large.${scripts}`;
    const v = await visitor(sites.sample, { as: dia, scripts });
    await v.open(await dia.createChannel(channel));
    const large = "字".repeat(8000);
    await v.fill({ Text: large });
    await answered(v, v.button("Post"), scripts);
    assert.equal(v.status, 413);
    if (scripts) await v.open(`/channels/${channel}`);
    else await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), large);
    await v.leave();
  }
});
