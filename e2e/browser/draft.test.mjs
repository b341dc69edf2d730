// Drafts: whatever happens to a form, what was typed is on the screen in the end, or
// published exactly once. Each case is tried with and without script. Without it there
// is only what the browser keeps, which these tests pin down:
//
//   - Back brings back what was typed. A reload does not in Chromium, nor does a new visit
//     by a link; Back from there does.
//   - A form that got no answer is sent again by a reload, and published once.
//   - Back to a form that was published brings back the text with a new key. Pressing
//     Post there posts it again: nothing says that this is not meant.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { startServer } from "./server.mjs";
import { sites, visitor } from "./visitor.mjs";

const text = "What I wrote,\nin two lines";

let dia, dov;
before(async () => {
  dia = await signUp(sites.sample, "dia");
  dov = await signUp(sites.sample, "dov");
});

const modes = [{ mode: "with script", scripts: true }, { mode: "without script", scripts: false }];

// both makes a test of a case with script and one without.
function both(name, run) {
  for (const { mode, scripts } of modes) test(`${name} ${mode}`, () => run(scripts, `${run.name}.${scripts ? "on" : "off"}`));
}

// writer makes a channel, opens its page and types.
async function writer(channel, scripts, { account = dia, options = {} } = {}) {
  const v = await visitor(account.site, { as: account, scripts, ...options });
  await v.open(await account.createChannel(channel));
  await v.fill({ Title: "Mine", Text: text });
  return v;
}

// inspect looks at a page. Axe needs script, so it sees the page as it is with it.
async function inspect(v, scripts, name) {
  if (scripts) await look(v, name);
}

const kept = (v) => v.page.locator("form[data-draft] [role=status]");
const shown = (v) => v.page.locator("textarea").first().inputValue();
const sendsWhenItCan = /Your text is kept here/;

// comesBack waits until the text is in a form again.
async function comesBack(v) {
  await v.sees("Draft kept in this tab.");
  assert.equal(await v.field("Text").inputValue(), text);
  assert.equal(await v.field("Title").inputValue(), "Mine");
}

async function published(v, channel, account = dia) {
  await v.page.locator("article").first().waitFor();
  assert.deepEqual(await account.texts(channel), [text], "published exactly once");
  assert.deepEqual(await v.posts(), [text]);
}

describe("draft: a session that has ended", () => {
  both("is begun again by signing in, which publishes", async function ended(scripts, channel) {
    const v = await writer(channel, scripts);
    await dia.endSessions();
    await v.follow(v.button("Post"));
    assert.equal(v.status, 401);
    assert.equal(await shown(v), text);
    await inspect(v, scripts, "session-ended");

    await v.fill({ Password: "wrong horse battery" });
    await v.follow(v.button("Sign in and publish"));
    assert.equal(v.status, 401);
    assert.equal(await shown(v), text);
    await v.sees("The name or the password is wrong.");
    assert.deepEqual(await dia.texts(channel), []);

    await v.fill({ Password: dia.password });
    await v.follow(v.button("Sign in and publish"));
    assert.match(await v.notice(), /published/);
    await published(v, channel);
    await v.open(`/channels/${channel}`);
    assert.equal(await v.field("Text").inputValue(), "", "nothing is left of the draft");
    await v.leave();
  });

  both("is not begun again in the name of another", async function stranger(scripts, channel) {
    const v = await writer(channel, scripts);
    await dia.endSessions();
    await v.follow(v.button("Post"));
    await v.fill({ Name: "dov", Password: dov.password });
    await v.follow(v.button("Sign in and publish"));
    assert.equal(v.status, 409);
    await v.sees("You are signed in as dov now");
    assert.equal(await shown(v), text);
    assert.deepEqual(await dia.texts(channel), []);
    await inspect(v, scripts, "another-user");
    await v.follow(v.button("Post"));
    await published(v, channel);
    await v.leave();
  });
});

test("draft: offline it waits for the network, and is then published with script", async () => {
  const v = await writer("offline", true);
  await v.context.setOffline(true);
  await v.press(v.button("Post"));
  await v.sees("You are offline. Your text is kept here");
  await look(v, "offline");
  assert.deepEqual(await dia.texts("offline"), []);
  await v.context.setOffline(false);
  await v.page.waitForEvent("load");
  v.complaints.length = 0; // that it was offline
  await published(v, "offline");
  await v.leave();
});

test("draft: sending can be stopped while offline, and begun again with script", async () => {
  const v = await writer("stopped", true);
  await v.context.setOffline(true);
  await v.press(v.button("Post"));
  await v.press(v.button("Stop sending"));
  await v.context.setOffline(false);
  await comesBack(v);
  v.complaints.length = 0;
  assert.deepEqual(await dia.texts("stopped"), []);
  await v.follow(v.button("Post"));
  await published(v, "stopped");
  await v.leave();
});

describe("draft: a server that was killed", () => {
  let server, ula;
  before(async () => {
    server = await startServer();
    ula = await signUp(server.url, "ula");
  });
  after(() => server.remove());

  test("gets the form once it is back with script", async () => {
    const v = await writer("killed.on", true, { account: ula });
    await server.kill();
    await v.press(v.button("Post"));
    await v.sees("The server does not answer. Your text is kept here");
    await server.start();
    await v.page.waitForEvent("load");
    v.complaints.length = 0; // that nobody answered
    await published(v, "killed.on", ula);
    await v.leave();
  });

  test("gets the form by a reload without script", async () => {
    const v = await writer("killed.off", false, { account: ula });
    await server.kill();
    await v.press(v.button("Post"));
    await v.page.waitForFunction(() => location.protocol === "chrome-error:");
    await server.start();
    await v.page.reload();
    v.complaints.length = 0;
    await published(v, "killed.off", ula);
    await v.leave();
  });
});

describe("draft: an answer that was lost", () => {
  // lose lets the server do what a form says, and keeps the answer back.
  const lose = (v) => v.page.route("**", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch({ maxRedirects: 0 });
    return route.abort();
  });

  test("is asked for again with script", async () => {
    const v = await writer("lost.on", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.sees(sendsWhenItCan);
    assert.deepEqual(await dia.texts("lost.on"), [text], "it was published");
    await v.page.unroute("**");
    await v.page.waitForEvent("load");
    v.complaints.length = 0; // that the answer was lost
    assert.match(await v.notice(), /published/);
    await published(v, "lost.on");
    await v.leave();
  });

  test("is asked for again after a reload with script", async () => {
    const v = await writer("lost.reload", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.sees(sendsWhenItCan);
    await v.page.unroute("**");
    await v.page.reload();
    v.complaints.length = 0;
    await comesBack(v);
    await v.follow(v.button("Post"));
    await published(v, "lost.reload");
    await v.leave();
  });

  test("and another text in its place are two posts, and not unseen, with script", async () => {
    const v = await writer("lost.changed", true);
    await lose(v);
    await v.press(v.button("Post"));
    await v.press(v.button("Stop sending"));
    await v.page.unroute("**");
    v.complaints.length = 0;
    await v.fill({ Text: "Other words" });
    await v.follow(v.button("Post"));
    assert.equal(v.status, 422, "another text with the same key is not posted unseen");
    await v.sees("This form was sent before, with another text");
    assert.equal(await v.field("Text").inputValue(), "Other words");
    await look(v, "posted-before");
    await v.follow(v.button("Post"));
    assert.deepEqual(await v.posts(), ["Other words", text]);
    await v.leave();
  });

  test("is asked for again by a reload without script", async () => {
    const v = await writer("lost.off", false);
    await lose(v);
    const failed = v.page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await v.press(v.button("Post"));
    await failed;
    v.complaints.length = 0;
    await v.page.unroute("**");
    await v.page.reload();
    assert.match(await v.notice(), /published/);
    await published(v, "lost.off");
    await v.leave();
  });
});

// aside presses a link that opens another tab, and returns that.
async function aside(v, link) {
  const [tab] = await Promise.all([v.context.waitForEvent("page"), v.press(link)]);
  return tab;
}

describe("draft: a channel that is deleted meanwhile", () => {
  let ira, ivo;
  before(async () => {
    ira = await signUp(sites.idle, "ira");
    ivo = await signUp(sites.idle, "ivo");
  });

  // The site has no worker, so the deletion does not go on.
  both("shows the text and the gate that is shut", async function shut(scripts, channel) {
    const v = await writer(channel, scripts, { account: ira });
    const guest = await visitor(sites.idle, { as: ivo, scripts });
    await guest.open(`/channels/${channel}`);
    await guest.fill({ Text: text });
    await ira.deleteChannel(channel);

    await v.follow(v.button("Post"));
    assert.equal(v.status, 410);
    await v.sees(/so it is not an orphan/);
    assert.equal(await shown(v), text);
    await inspect(v, scripts, "gate-shut");
    const deletion = await aside(v, v.link("The deletion that refused it"));
    await deletion.getByText("Waiting").first().waitFor();
    assert.equal(await shown(v), text, "it is still there");

    await guest.follow(guest.button("Post"));
    assert.equal(guest.status, 410);
    assert.equal(await shown(guest), text);
    const gate = await aside(guest, guest.link("The gate that refused it"));
    await gate.locator("#gate").waitFor();
    await v.leave();
    await guest.leave();
  });

  both("shows the text once the channel is gone", async function gone(scripts, channel) {
    const v = await writer(channel, scripts);
    await dia.deleteChannelWhole(channel);
    await v.follow(v.button("Post"));
    assert.equal(v.status, 404);
    await v.sees(/so it is not an orphan/);
    assert.equal(await shown(v), text);
    await v.leave();
  });

  test("shows the text to whoever comes back with script", async () => {
    const v = await writer("gone.later", true);
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
  const v = await writer("again", true);
  await v.open("/channels");
  await dia.deleteChannelWhole("again");
  await dia.createChannel("again");
  await v.open("/channels/again");
  assert.equal(await v.field("Text").inputValue(), "");
  await v.sees("A draft for the old one is kept in this tab.");
  await look(v, "draft-for-the-old-channel");
  await v.press(v.button("Put my text in this form"));
  await comesBack(v);
  await v.follow(v.button("Post"));
  await published(v, "again");
  await v.leave();
});

describe("draft: leaving and coming back", () => {
  test("by links brings back the text with script", async () => {
    const v = await writer("left.on", true);
    await look(v, "draft-kept");
    await v.follow(v.link("Channels"));
    await v.follow(v.link("left.on"));
    await comesBack(v);
    await v.follow(v.button("Post"));
    await published(v, "left.on");
    await v.follow(v.link("Channels"));
    await v.follow(v.link("left.on"));
    assert.equal(await v.field("Text").inputValue(), "", "nothing is left of the draft");
    await v.leave();
  });

  both("by Back brings back the text", async function back(scripts, channel) {
    const v = await writer(channel, scripts);
    await v.follow(v.link("Channels"));
    await v.page.goBack();
    if (scripts) await v.sees("Draft kept in this tab.");
    assert.equal(await v.field("Text").inputValue(), text);
    await v.follow(v.button("Post"));
    await published(v, channel);
    await v.leave();
  });

  test("by a reload brings back the text with script", async () => {
    const v = await writer("reloaded.on", true);
    await v.page.reload();
    await comesBack(v);
    await v.follow(v.button("Post"));
    await published(v, "reloaded.on");
    await v.leave();
  });

  test("by a reload leads to an empty form without script", async () => {
    const v = await writer("reloaded.off", false);
    await v.page.reload();
    assert.equal(await v.field("Text").inputValue(), "", "this is Chromium's way, and no page can change it");
    await v.leave();
  });

  test("without script, a link leads to an empty form, and Back to the text", async () => {
    const v = await writer("left.off", false);
    await v.follow(v.link("Channels"));
    await v.follow(v.link("left.off"));
    assert.equal(await v.field("Text").inputValue(), "");
    await v.page.goBack();
    await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), text);
    await v.leave();
  });
});

describe("draft: pressing twice", () => {
  both("publishes once", async function twice(scripts, channel) {
    const v = await writer(channel, scripts);
    await Promise.all([v.page.waitForEvent("load"), v.button("Post").dblclick({ noWaitAfter: true })]);
    await published(v, channel);
    await v.leave();
  });

  test("after Back publishes once with script", async () => {
    const v = await writer("again.on", true);
    await v.follow(v.link("Channels"));
    await v.follow(v.link("again.on"));
    await v.follow(v.button("Post"));
    await published(v, "again.on");
    await v.page.goBack();
    assert.equal(v.path, "/channels", "the form that was sent is not in the history");
    await v.page.goForward();
    await v.page.locator("article").waitFor();
    assert.equal(await v.page.locator("form[data-draft] textarea").inputValue(), "");
    assert.deepEqual(await dia.texts("again.on"), [text]);
    await v.leave();
  });

  test("after Back brings back the text without script", async () => {
    const v = await writer("again.off", false);
    await v.follow(v.button("Post"));
    await published(v, "again.off");
    await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), text);
    assert.deepEqual(await dia.texts("again.off"), [text], "Back itself sends nothing");
    await v.leave();
  });

  both("after a refusal and Back publishes once", async function refused(scripts, channel) {
    const v = await writer(channel, scripts);
    await dia.endSessions();
    await v.follow(v.button("Post"));
    await v.fill({ Password: dia.password });
    await v.follow(v.button("Sign in and publish"));
    await published(v, channel);
    // Past the page that had refused it.
    await Promise.all([v.page.waitForEvent("load"), v.page.evaluate(() => history.go(-2))]);
    await v.field("Text").waitFor({ state: "attached" });
    assert.deepEqual(await dia.texts(channel), [text]);
    await v.leave();
  });
});

test("draft: it can be discarded, and that can be undone", async () => {
  const v = await writer("discarded", true);
  await v.press(v.button("Discard"));
  await v.sees("Draft discarded.");
  assert.equal(await v.field("Text").inputValue(), "");
  await v.press(v.button("Undo"));
  await comesBack(v);
  await v.press(v.button("Discard"));
  await v.page.reload();
  assert.equal(await v.field("Text").inputValue(), "");
  assert.equal(await kept(v).innerText(), "");
  await v.leave();
});

test("draft: signing out removes all of them, and ending a session none", async () => {
  const eva = await signUp(sites.sample, "eva");
  const v = await writer("out", true, { account: eva });
  await v.open("/channels/new");
  await v.fill({ Name: "never", Description: "A draft" });
  const drafts = () => v.page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("draft:eva:")).length);
  assert.equal(await drafts(), 2);
  await eva.endSessions();
  await v.page.reload();
  assert.equal(v.status, 401);
  assert.equal(await drafts(), 2);
  await v.fill({ Name: "eva", Password: eva.password });
  await v.follow(v.button("Sign in"));
  await v.sees("Draft kept in this tab.");
  assert.equal(await v.field("Description").inputValue(), "A draft");
  const other = await v.context.newPage();
  await other.goto("/channels/out");
  await other.locator("form").getByLabel("Text").fill("In another tab");
  await v.follow(v.button("Sign out"));
  assert.match(await v.notice(), /signed out/);
  assert.equal(await drafts(), 0);
  await other.waitForFunction(() => Object.keys(sessionStorage).every((name) => !name.startsWith("draft:eva:")));
  await v.leave();
});

describe("draft: of every form for text", () => {
  for (const { form, path, fields, button, after: lands } of [
    { form: "a change of a post", path: (post) => `${post}/edit`, fields: { Title: "New", Text: text }, button: "Save", after: /in two lines/ },
    { form: "a description", path: () => "/channels/every/edit", fields: { Description: text }, button: "Save", after: /in two lines/ },
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
      await v.sees("Draft kept in this tab.");
      for (const [label, value] of Object.entries(fields)) assert.equal(await v.field(label).inputValue(), value);
      await fay.endSessions();
      await v.follow(v.button(button));
      assert.equal(v.status, 401);
      if (form === "a new channel") await look(v, "session-ended-new-channel");
      await v.fill({ Password: fay.password });
      await v.follow(v.page.getByRole("button", { name: /^Sign in and/ }));
      await v.sees(lands);
      assert.ok(await v.page.evaluate(() => Object.keys(sessionStorage).every((item) => !item.startsWith("draft:"))));
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
    await v.follow(v.button("Post"));
    assert.equal(v.status, 413);
    await v.page.goBack();
    assert.equal(await v.field("Text").inputValue(), large);
    await v.leave();
  }
});
