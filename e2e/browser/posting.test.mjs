// Whose channel is it: an owner closes it, or blocks a user, who sees that before they type.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

let ola, pia;
before(async () => {
  [ola, pia] = await Promise.all([signUp(sites.sample, "ola"), signUp(sites.sample, "pia")]);
});

for (const scripts of [true, false]) {
  const how = scripts ? "" : ", without scripts";
  const channel = scripts ? "olas.own" : "olas.plain";

  test(`posting: an owner closes a channel and blocks a person, who sees it before they type${how}`, async () => {
    await ola.createChannel(channel);
    await pia.post(channel, "From pia");
    const owner = await visitor(sites.sample, { as: ola, scripts });
    const other = await visitor(sites.sample, { as: pia, scripts, width: phone.width });
    const anonymous = await visitor(sites.sample, { scripts });
    const composers = (v) => v.page.locator("form.compose").count();
    const says = (v, text) => v.page.getByText(text, { exact: true }).waitFor();

    await other.open(`/channels/${channel}`);
    await other.fill({ Text: "Refused, and kept" });
    await owner.open(`/channels/${channel}`);
    await owner.menu();
    await owner.follow(owner.link("Settings"));
    await owner.page.getByLabel("Only me").check();
    await owner.follow(owner.button("Save all"));
    await says(owner, "Saved: who may post.");
    await answered(other, other.button("Post"), scripts);
    assert.equal(other.status, 403);
    if (scripts) await other.sees("Your draft is kept in this browser until you sign out.");
    for (const v of [other, anonymous]) {
      await v.open(`/channels/${channel}`);
      await says(v, "Only @ola posts here.");
      assert.equal(await composers(v), 0);
    }
    if (scripts) await look(other, "posting-closed");

    await owner.open(`/channels/${channel}/edit`);
    await owner.page.getByLabel("Anyone with an account").check();
    await owner.follow(owner.button("Save all"));
    await owner.open(`/channels/${channel}`);
    await owner.page.locator("article.post a[href*='/20']").first().click();
    await owner.page.waitForURL(/\/20\d\d-/);
    await owner.page.getByText("Block @pia…").click();
    await owner.follow(owner.page.getByRole("button", { name: "Block @pia", exact: true }));
    await says(owner, /^You blocked @\w+\. They cannot post or reply in this channel\.$/);
    await other.open(`/channels/${channel}`);
    await says(other, "@ola has blocked you here.");
    assert.equal(await composers(other), 0);
    if (scripts) await look(other, "posting-blocked");

    await owner.open(`/channels/${channel}/edit`);
    await owner.page.getByRole("radio", { name: "Members" }).check();
    await owner.fill({ "Add members": "nobody_at_all pia", Description: "For members" });
    await answered(owner, owner.button("Save all"), scripts);
    await says(owner, "No account is called “nobody_at_all”. People can be on the list once they have signed up.");
    assert.equal(await owner.page.getByRole("radio", { name: "Members" }).isChecked(), true);
    if (scripts) await look(owner, "posting-edit");
    await owner.fill({ "Add members": "pia" });
    await owner.page.getByRole("checkbox", { name: "pia" }).uncheck();
    await owner.follow(owner.button("Save all"));
    await says(owner, "Saved: description, who may post, members, blocked accounts.");
    await other.open(`/channels/${channel}`);
    assert.equal(await composers(other), 1);
    if (scripts) await other.sees("Draft kept in this browser");
    assert.equal(await other.field("Text").inputValue(), scripts ? "Refused, and kept" : "");
    await Promise.all([owner, other, anonymous].map((v) => v.leave()));
  });
}

test("posting: settings that are left with a choice that is not saved ask first", async () => {
  await ola.createChannel("olas.asked");
  const owner = await visitor(sites.sample, { as: ola });
  await owner.open("/channels/olas.asked/edit");
  const asked = [];
  owner.page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return dialog.dismiss();
  });
  await owner.page.getByLabel("Only me").check();
  await owner.page.goto(new URL("/latest", owner.page.url()).href).catch(() => {}); // which the answer aborts
  assert.deepEqual(asked, ["beforeunload"]);
  assert.match(owner.page.url(), /\/edit$/);
  await owner.follow(owner.button("Save all"));
  await owner.page.getByText("Saved: who may post.").waitFor();
  await owner.open("/latest");
  assert.equal(asked.length, 1);
  await owner.leave();
});

test("posting: Back after a Save shows what is saved, and no tick of another", async () => {
  await ola.createChannel("olas.back");
  await Promise.all(["back_a", "back_b", "back_c"].map((name) => signUp(sites.sample, name)));
  const owner = await visitor(sites.sample, { as: ola });
  await owner.open("/channels/olas.back/edit");
  await owner.page.getByRole("radio", { name: "Members" }).check();
  await owner.fill({ "Add members": "back_a back_b back_c" });
  await owner.follow(owner.button("Save all"));
  await owner.open("/channels/olas.back/edit");
  await owner.page.getByRole("checkbox", { name: "back_a" }).uncheck();
  await owner.fill({ Description: "Two members" });
  await owner.follow(owner.button("Save all"));
  await owner.page.getByText("Saved: description, members.").waitFor();
  await Promise.all([owner.page.waitForEvent("load"), owner.page.evaluate(() => history.back())]);
  await owner.page.getByRole("checkbox", { name: "back_b" }).waitFor();
  const ticks = await owner.page.getByRole("checkbox").evaluateAll((all) => all.map(({ value, checked }) => `${value} ${checked}`));
  assert.deepEqual(ticks, ["back_b true", "back_c true"]);
  assert.equal(await owner.field("Description").inputValue(), "Two members");
  await owner.leave();
});

test("posting: a draft of a new channel has the choice of who may post", async () => {
  const owner = await visitor(sites.sample, { as: ola });
  await owner.open("/channels/new");
  await owner.fill({ Name: "olas.draft" });
  await owner.page.getByRole("radio", { name: "Members" }).check();
  await owner.page.getByRole("textbox", { name: "Members" }).fill("pia");
  await owner.sees("Draft kept in this browser");
  owner.page.on("dialog", (dialog) => dialog.accept());
  await owner.open("/latest");
  await owner.open("/channels/new");
  assert.equal(await owner.field("Name").inputValue(), "olas.draft");
  assert.equal(await owner.page.getByRole("radio", { name: "Members" }).isChecked(), true);
  await owner.press(owner.button("Discard"));
  assert.equal(await owner.page.getByRole("radio", { name: "Only me" }).isChecked(), true);
  await owner.leave();
});
