// Accounts: passwords, sessions, cookies.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let cem;
before(async () => { cem = await signUp(sites.sample, "cem"); });

async function signIn(v, name, password) {
  await v.open("/sign-in");
  await v.fill({ Name: name, Password: password });
  await v.follow(v.button("Sign in"));
}

const isAnonymous = async (v) => await v.page.getByRole("banner").getByRole("link", { name: "Sign in" }).isVisible();
const isSignedInAs = (v, name) => v.page.getByRole("banner").getByText(name, { exact: true }).waitFor();

test("account: a wrong password is refused, and the name is kept", async () => {
  const v = await visitor(sites.sample);
  await signIn(v, "cem", "wrong horse battery");
  assert.equal(v.status, 401);
  await v.page.getByRole("alert").waitFor();
  await look(v, "wrong-password");
  assert.equal(await v.field("Name").inputValue(), "cem");
  assert.equal(await v.field("Password").inputValue(), "");
  assert.ok(await isAnonymous(v));
  await v.fill({ Password: cem.password });
  await v.follow(v.button("Sign in"));
  await isSignedInAs(v, "cem");
  await v.leave();
});

test("account: all that one has here can be taken out", async () => {
  const v = await visitor(sites.sample, { as: cem });
  await v.open("/account");
  await v.follow(v.link("Download your data"));
  await look(v, "export");
  const [download] = await Promise.all([v.page.waitForEvent("download"), v.link("Download the zip file").click()]);
  assert.match(download.suggestedFilename(), /^microblogging-cem-.*\.zip$/);
  assert.equal((await readFile(await download.path())).subarray(0, 2).toString(), "PK");
  await v.leave();
});

test("account: it is deleted, that is undone by signing in, and it is deleted again", async () => {
  const una = await signUp(sites.sample, "una");
  const v = await visitor(sites.sample, { as: una });
  await v.open("/account");
  await v.follow(v.link("Delete account…"));
  await look(v, "delete-account");
  await v.page.getByLabel("Keep it, as the posts of a deleted user").check();
  await v.fill({ Password: "a wrong guess" });
  await v.follow(v.button("Delete my account"));
  assert.equal(v.status, 422);
  await v.fill({ Password: una.password });
  await v.follow(v.button("Delete my account"));
  assert.match(await v.notice(), /will be deleted/);
  assert.ok(await isAnonymous(v));
  await look(v, "deleted-account");
  await v.follow(v.page.getByRole("main").getByRole("link", { name: "Sign in" }));
  await v.fill({ Name: "una", Password: una.password });
  await v.follow(v.button("Sign in"));
  assert.equal(await v.heading(), "Your account will be deleted");
  await look(v, "delete-account-undo");
  await v.open("/channels/new");
  await v.fill({ Name: "Unas" });
  v.expectRefusal(403, "/channels/new");
  await v.press(v.button("Create channel"));
  await v.sees("Your account is being deleted");
  await v.open(await v.link("Undo the deletion of your account").getAttribute("href"));
  await v.follow(v.button("Undo"));
  assert.match(await v.notice(), /Your account stays/);
  await v.leave();
});

test("account: a name that is taken and a password that is too short are refused", async () => {
  const v = await visitor(sites.sample);
  await v.open("/sign-up");
  await v.fill({ Name: "CEM", Password: cem.password });
  await v.follow(v.button("Sign up"));
  assert.equal(v.status, 409);
  assert.equal(await v.field("Name").getAttribute("aria-invalid"), "true");
  await v.fill({ Name: "c", Password: "short" });
  await v.press(v.button("Sign up"));
  assert.ok(await v.field("Password").evaluate((field) => field.validity.tooShort), "the browser checks it without the server");
  await v.fill({ Password: cem.password });
  await v.follow(v.button("Sign up"));
  assert.equal(v.status, 422);
  assert.equal(await v.field("Name").inputValue(), "c");
  await look(v, "refused-account");
  await v.leave();
});

test("session: signing out ends the session, not only the cookie", async () => {
  const v = await visitor(sites.sample);
  await signIn(v, cem.name, cem.password);
  const [cookie] = (await v.context.cookies()).filter(({ name }) => name.includes("session"));
  assert.ok(cookie.httpOnly);
  assert.equal(cookie.sameSite, "Lax");
  await v.accountMenu();
  await v.follow(v.button("Sign out"));
  assert.match(await v.notice(), /signed out/);
  await v.context.addCookies([cookie]);
  await v.open("/channels");
  assert.ok(await isAnonymous(v));
  await v.leave();
});

test("session: a visitor with a made-up or expired cookie is not signed in", async () => {
  for (const token of ["made-up", "AAAAAAAAAAAAAAAAAAAAAAAAAA", cem.token.toLowerCase(), ""]) {
    const v = await visitor(sites.sample, { as: { token } });
    await v.open("/channels");
    assert.equal(v.status, 200);
    assert.ok(await isAnonymous(v));
    await v.open("/channels/new");
    assert.equal(v.status, 401);
    await v.fill({ Name: "cem", Password: cem.password });
    await v.follow(v.button("Sign in"));
    assert.equal(v.path, "/channels/new", "signing in leads back");
    await v.leave();
  }
});

test("account: a new password ends every other session", async () => {
  const dan = await signUp(sites.sample, "dan");
  const [here, there] = [await visitor(sites.sample, { as: dan }), await visitor(sites.sample)];
  await signIn(there, dan.name, dan.password);
  await here.open("/account");
  await here.page.locator("summary", { hasText: "Change password" }).click();
  await here.fill({ "Current password": "not that", "New password": "another horse battery" });
  await here.follow(here.button("Change password"));
  assert.ok(here.status >= 400);
  assert.equal(await here.field("Current password").getAttribute("aria-invalid"), "true");
  await look(here, "refused-new-password");
  await here.fill({ "Current password": dan.password, "New password": "another horse battery" });
  await here.follow(here.button("Change password"));
  assert.match(await here.notice(), /password/);
  await there.open("/account");
  assert.equal(there.status, 401);
  await here.open("/account");
  await here.follow(here.button("Sign out everywhere"));
  assert.ok(await isAnonymous(here));
  await here.leave();
  await there.leave();
});

test("session: the sample's link signs in once", async () => {
  const [first, second] = [await visitor(sites.sample), await visitor(sites.sample)];
  await first.open(process.env.SIGN_IN_LINK);
  await isSignedInAs(first, "ada");
  assert.ok(!first.page.url().includes("token"), "the token is still in the address");
  await second.open(process.env.SIGN_IN_LINK);
  assert.equal(second.status, 401);
  assert.ok(await isAnonymous(second));
  await second.link("Sign up").first().waitFor();
  await look(second, "used-sign-in-link");
  await first.leave();
  await second.leave();
});
