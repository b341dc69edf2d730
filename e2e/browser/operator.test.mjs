// An operator makes an invitation, removes a post, closes an account and gives back a password.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signIn, signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { phone, visitor } from "./visitor.mjs";

let site, olive, hal;
before(async () => {
  site = await ownSite("serve");
  [olive, hal] = await Promise.all([signUp(site.url, "olive"), signUp(site.url, "hal")]);
  await site.kill();
  await site.start("serve", "--registration", "invited", "--operator", "olive");
});
after(() => site.remove());

// The link that the page shows once.
const shownLink = (v) => v.page.locator(".address code").innerText();

test("operator: an invitation makes one account, whose post the operator removes", async () => {
  const operator = await visitor(site.url, { as: olive });
  await operator.open("/");
  await operator.accountMenu();
  await operator.follow(operator.link("Operator"));
  await look(operator, "operator");
  await operator.follow(operator.link("Invitations"));
  await operator.follow(operator.button("Make an invitation"));
  const link = await shownLink(operator);
  await look(operator, "operator-invitations");

  const novice = await visitor(site.url, { width: phone.width });
  await novice.open("/sign-up");
  assert.equal(await novice.page.getByLabel("Password").count(), 0, "the sign-up is open to who has no invitation");
  await look(novice, "operator-invited-only");
  await novice.open(link);
  await look(novice, "operator-invitation");
  await novice.fill({ Name: "gus", Password: olive.password });
  await novice.follow(novice.page.locator("main").getByRole("button", { name: "Sign up" }));
  assert.equal(novice.path, "/");
  const late = await visitor(site.url);
  await late.open(link);
  assert.equal(late.status, 410);
  await look(late, "operator-invitation-used");

  const gus = await signIn(site.url, "gus");
  await gus.createChannel("regatta");
  await gus.post("regatta", "Not for a club");
  await operator.open("/channels/regatta");
  await operator.press(operator.page.locator("article details.drop > summary"));
  await operator.sees("Remove (operator)");
  await look(operator, "operator-post");
  await operator.press(operator.page.locator("article").getByText("Remove (operator)"));
  await operator.page.getByRole("button", { name: "Undo" }).waitFor();
  await operator.page.locator("article").waitFor({ state: "detached" });
  await Promise.all([operator, novice, late].map((v) => v.leave()));
});

test("operator: an account that was closed signs in again once it is open, with a password set by a link", async () => {
  const operator = await visitor(site.url, { as: olive });
  const act = async (name) => {
    await operator.open("/operator?contains=hal");
    await operator.press(operator.page.locator(".listed summary").first());
    await operator.press(operator.page.locator(".listed").getByText(name, { exact: true }));
  };
  await act("Close account…");
  await look(operator, "operator-close");
  await operator.follow(operator.button("Close account"));
  await operator.sees("You closed the account of @hal. They cannot sign in.");
  const user = await visitor(site.url, { as: hal, width: phone.width });
  const enter = async (password) => {
    await user.open("/sign-in");
    await user.fill({ Name: "hal", Password: password });
    await user.follow(user.page.locator("main").getByRole("button", { name: "Sign in" }));
  };
  await enter(hal.password);
  await user.sees("This account is closed");
  await look(user, "operator-closed");
  await act("Open account");
  await operator.page.waitForLoadState();
  await act("New password link");
  await operator.page.waitForURL((url) => url.pathname !== "/operator" || url.search === "");
  const link = await shownLink(operator);
  await look(operator, "operator-link");
  await user.open(link);
  await user.fill({ "New password": "nine quiet herons" });
  await user.follow(user.page.locator("main form").getByRole("button").first());
  await enter("nine quiet herons");
  await user.accountMenu();
  await user.follow(user.link("Account"));
  await user.sees("olive");
  await Promise.all([operator, user].map((v) => v.leave()));
});
