// The pages that no other test looks at.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";
import { tabTo } from "./visitor_hands.mjs";

// A name of the greatest length, without a place to break the line.
const longName = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenfabrik";
const longAddress = `https://example.org/${"very-long-path-".repeat(20)}?${"q=1&".repeat(40)}`;
const words = "The gate is a row in the same partition as the posts. A post touches it in the same transaction. ".repeat(12);

let anonymous, owner, mia;

before(async () => {
  mia = await signUp(sites.sample, "mia");
  anonymous = await visitor(sites.sample);
  owner = await visitor(sites.sample, { as: mia });
  await mia.createChannel("Bare");
  await mia.createChannel(longName, `See ${longAddress.slice(0, 300)}\n${words.slice(0, 100)}`);
  await mia.post(longName, words, "A title of as many characters as a title may have, which takes several lines on a phone, and two on a wide screen. ");
  await mia.post(longName, longAddress);
  await mia.post(longName, "عنوان المدونة قصير\nשלום עולם\n\tindented\n\n\nafter three empty lines");
});

// shows looks at a page, after act if that is given.
function shows(who, name, path, act) {
  test(name, async () => {
    const v = who();
    await v.open(typeof path === "string" ? path : await path());
    await act?.(v);
    await look(v, name.replaceAll(/[^a-z]+/g, "-"));
  });
}

const sample = "/channels/tables-and-queues";
const long = `/channels/${encodeURIComponent(longName)}`;
const newPost = () => mia.post("Bare", "One line.\n\nAnother, see https://example.org/page.", "A post");

describe("page: an anonymous client sees in order", () => {
  const see = shows.bind(null, () => anonymous);
  see("what is new", "/", async (v) => {
    const [active, post] = [await v.page.locator(".side").boundingBox(), await v.page.locator("article").first().boundingBox()];
    assert.ok(active.x > post.x + post.width && active.y < post.y + post.height, "the active channels are not next to the posts");
  });
  see("the directory", "/channels");
  see("a channel", sample);
  see("a channel without posts", "/channels/Bare");
  see("a channel with long words", long);
  see("the feeds of a channel with long words", `${long}/feed`);
  see("a post", newPost);
  see("the page of a user", "/users/ada");
  see("the page of a user with long words", "/users/mia");
  see("the page of a user without posts", "/users/barbara");
  see("the channels of a user", "/users/ada?show=channels");
  see("the channels of a user with long words", "/users/mia?show=channels");
  see("the channels of a user who has none", "/users/barbara?show=channels");
  see("the form to sign up", "/sign-up");
  see("the form to sign in", "/sign-in");
  see("how deletion works", "/how-deletion-works", async (v) => {
    const tops = await v.page.locator(".gate-story .gate-strip li").evaluateAll((all) => all.map((state) => state.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1, `the states of the gate begin at ${tops}`);
  });
  see("a page that needs an account", "/account");
});

describe("page: a user who has signed in sees in order", () => {
  const see = shows.bind(null, () => owner);
  see("an own channel without posts", "/channels/Bare");
  see("an own channel with long words", long);
  see("an own post", newPost);
  see("an own post about to be deleted", newPost, async (v) => {
    // As it is without scripts, which offer to undo instead.
    await v.page.locator("main .confirm").evaluate((fold) => { fold.open = true; });
    const [box, button] = [await v.page.locator("main .confirm form").boundingBox(), await v.button("Delete this post").boundingBox()];
    assert.ok(button.x > box.x, "the button is not in the box of what it confirms");
  });
  see("an own post that will be deleted in 8 s", newPost, async (v) => {
    await v.press(v.page.locator("main .confirm summary"));
    await v.sees("Will be deleted in");
  });
  see("the form for a channel", "/channels/new");
  see("the form for a description", `${long}/edit`);
  see("the form to edit a post", async () => `${await newPost()}/edit`);
  see("the question whether to delete a channel", `${long}/delete`);
  see("the account", "/account");
  see("the question whether to sign out", "/sign-out");
});

test("page: a name leads to its user, wherever it is shown", async () => {
  const v = await visitor(sites.sample);
  // Other tests fill the first page of the directory.
  for (const path of ["/channels?contains=tables-and-queues", sample]) {
    await v.open(path);
    await v.follow(v.page.locator("main").getByRole("link", { name: "ada", exact: true }).first());
    assert.equal(await v.heading(), "ada");
  }
  assert.ok((await v.page.locator("article").count()) > 5, "what ada wrote");
  await v.follow(v.link("Channels").last());
  await v.follow(v.link("tables-and-queues"));
  assert.equal(await v.heading(), "tables-and-queues");
  await v.open("/users/nobody_there");
  assert.equal(v.status, 404);
  await v.leave();
});

test("page: the directory of an empty site is in order", async () => {
  const v = await visitor(sites.idle);
  await v.open("/");
  await look(v, "empty-directory");
  await v.leave();
});

test("page: the first stop of the keyboard skips to the content", async () => {
  const v = await visitor(sites.idle);
  await v.open("/channels");
  await v.page.keyboard.press("Tab");
  assert.ok(await v.link("Skip to the content").evaluate((link) => link === document.activeElement));
  await v.page.keyboard.press("Enter");
  await v.page.keyboard.press("Tab");
  assert.ok(await v.page.evaluate(() => document.activeElement.closest("main") !== null));
  await v.leave();
});

test("page: Tab leads from the first control of a page to the last, and shows where it is", async () => {
  const v = await visitor(sites.sample, { as: mia });
  await v.open(sample);
  await tabTo(v.page, v.page.locator(".foot :is(a, button, summary):visible").last(), Infinity);
  await v.leave();
});
