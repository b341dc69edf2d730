// Lists of posts, which can be used without leaving them.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

let ida, jan;
before(async () => { [ida, jan] = [await signUp(sites.sample, "list_ida"), await signUp(sites.sample, "list_jan")]; });

// A reader subscribes to a channel of their own, so that feed and digest show it.
async function listed(channel, posts) {
  await ida.createChannel(channel);
  const paths = [];
  for (const [text, title] of posts) paths.push(await ida.post(channel, text, title));
  return { channel: `/channels/${channel}`, feed: "/", digest: "/digest", paths };
}

const article = (v, text) => v.page.getByRole("article").filter({ hasText: text }).first();
const voting = (v, text) => article(v, text).getByRole("button", { name: /^Vote for/ });
const back = (v, text) => article(v, text).getByRole("button", { name: /^Take back your vote/ });
const counted = (v, text) => article(v, text).getByRole("button", { name: /, 1 vote$/ });

test("list: a title leads to its post, and the time leads to a post without a title", async () => {
  const { channel, paths } = await listed("list.links", [["It has no title"], ["It has one", "A title"]]);
  const v = await visitor(sites.sample);
  for (const [text, label, path] of [["It has one", "A title", paths[1]], ["It has no title", /min|now|UTC/, paths[0]]]) {
    await v.open(channel);
    await v.follow(article(v, text).getByRole("link", { name: label, exact: true }));
    assert.ok(v.path.endsWith(path.split("/").at(-1)), v.path);
  }
  await v.open(channel);
  assert.ok(await v.page.getByRole("heading", { name: /^Post by @list_ida, (just now|.* ago)$/ }).count() > 0, "a post without a title has no heading");
  await v.leave();
});

describe("list: a vote is given and taken back in the list", () => {
  for (const where of ["channel", "feed", "digest"]) {
    for (const scripts of [true, false]) {
      test(`of a ${where}${scripts ? "" : ", without scripts"}`, async () => {
        const text = `Voted in a ${where} ${scripts}`;
        const lists = await listed(`list.${where}.${scripts}`, [[text, "A <title>"], ["Beside it"]]);
        const v = await visitor(sites.sample, { as: ida, scripts, hand: "keyboard" });
        await v.open(lists[where]);
        if (!scripts) {
          await v.follow(voting(v, text));
          assert.equal(v.path, lists[where], "the vote leads elsewhere");
          await counted(v, text).waitFor();
          await v.open(lists.channel);
          await v.follow(back(v, text));
          assert.ok(!(await counted(v, text).isVisible()));
          return v.leave();
        }
        await v.page.evaluate(() => { window.same = true; });
        await v.press(voting(v, text));
        await counted(v, text).waitFor();
        assert.ok(await back(v, text).evaluate((button) => button === document.activeElement), "the focus is lost");
        await v.page.getByRole("status").filter({ hasText: "Your vote is counted." }).waitFor({ state: "attached" });
        await look(v, `list-voted-${where}`);
        await v.page.keyboard.press("Enter");
        await voting(v, text).waitFor();
        assert.ok(!(await counted(v, text).isVisible()));
        assert.ok(await v.page.evaluate(() => window.same), "the page was loaded again");
        await v.press(voting(v, text));
        await back(v, text).waitFor();
        await v.open(lists.channel);
        await back(v, text).waitFor();
        await v.leave();
      });
    }
  }
});

test("list: a vote that is refused says why, where it was given", async () => {
  const { channel } = await listed("list.refused", [["Soon deleted"], ["Still there"]]);
  const v = await visitor(sites.sample, { as: jan });
  await v.open(channel);
  await v.context.setOffline(true);
  await v.press(voting(v, "Still there"));
  await article(v, "Still there").getByRole("alert").getByText("The site does not answer").waitFor();
  await look(v, "list-vote-offline");
  await v.context.setOffline(false);
  v.complaints.length = 0; // that the network was gone
  await v.press(voting(v, "Still there"));
  await back(v, "Still there").waitFor();
  assert.equal(await v.page.getByRole("alert").count(), 0, "the error is still there");

  const at = article(v, "Still there").locator(".at");
  const before = await at.boundingBox();
  await v.context.setOffline(true);
  await v.press(back(v, "Still there"));
  await article(v, "Still there").getByRole("alert").getByText("The site does not answer. Your vote is shown as it was before.").waitFor();
  assert.equal(await counted(v, "Still there").innerText(), "1");
  assert.deepEqual(await at.boundingBox(), before, "the time has moved");
  await v.context.setOffline(false);
  v.complaints.length = 0;

  await jan.endSessions();
  await v.press(voting(v, "Soon deleted"));
  const alert = article(v, "Soon deleted").getByRole("alert");
  await alert.getByText("Your vote was not counted. You are not signed in any more.").waitFor();
  await look(v, "list-vote-signed-out");
  v.complaints.length = 0; // that the answer was 401
  await v.follow(alert.getByRole("link", { name: "Sign in" }));
  await v.fill({ Name: jan.name, Password: jan.password });
  await v.follow(v.button("Sign in"));
  assert.equal(v.path, channel);
  await v.press(voting(v, "Soon deleted"));
  await back(v, "Soon deleted").waitFor();
  await ida.deleteChannelWhole("list.refused");
  await v.press(back(v, "Soon deleted"));
  await alert.getByText("This post has been deleted.", { exact: true }).waitFor();
  v.complaints.length = 0; // that the answer was 404
  await v.leave();
});

test("list: on a slow network a vote shows what it will be, as not sure yet", async () => {
  const { channel } = await listed("list.slow", [["Slowly"]]);
  const v = await visitor(sites.sample, { as: jan });
  await v.open(channel);
  let pass;
  await v.page.route("**", async (route) => {
    if (route.request().method() === "POST") await new Promise((go) => { pass = go; });
    await route.continue();
  });
  const form = article(v, "Slowly").locator(".vote");
  await v.press(voting(v, "Slowly"));
  await form.and(v.page.locator("[aria-busy=true]")).waitFor();
  assert.equal(await form.innerText(), "1");
  await look(v, "list-vote-under-way");
  pass();
  await counted(v, "Slowly").waitFor();
  assert.equal(await form.getAttribute("aria-busy"), null);
  await v.leave();
});

test("list: a post that is deleted when the page is left is not back on the next one", async () => {
  const { channel } = await listed("list.left", [["Gone soon"], ["Stays"]]);
  const v = await visitor(sites.sample, { as: ida });
  // The page that was left has sent it too, and may have been faster.
  v.page.on("request", (request) => { if (request.method() === "POST") v.expectRefusal(404, new URL(request.url()).pathname); });
  await v.open(channel);
  await v.press(article(v, "Gone soon").locator(".drop > summary"));
  await v.press(article(v, "Gone soon").locator("[data-delete] > summary"));
  await v.sees("Will be deleted in");
  await v.open("/latest");
  await v.page.locator(".undo").getByText("Deleted.").waitFor();
  assert.equal(await v.page.getByText("Gone soon").count(), 0);
  assert.deepEqual(await ida.texts("list.left"), ["Stays"]);
  await v.open(channel);
  await article(v, "Stays").waitFor();
  assert.equal(await v.page.locator(".undo").count(), 0);
  await v.leave();
});

test("list: what says how many posts are new touches nothing, and moves nothing", async () => {
  const { channel } = await listed("list.new", Array.from("123456789", (n) => [`Words that go on to the next line of a small phone. ${n}`]));
  for (const { as, path } of [{ as: ida, path: channel }, { as: ida, path: "/latest" }, { path: "/latest" }, { path: channel }]) {
    for (const width of [phone.width, 1280]) {
      const v = await visitor(sites.sample, { as, width, height: phone.height });
      await v.open(path);
      assert.deepEqual(await v.page.evaluate(covered), []);
      await look(v, `news-${as ? "reader" : "signed-out"}-${path.length}`);
      await v.leave();
    }
  }
});

// covered runs in the page. It shows the bar, and returns what it touches.
function covered() {
  const [bar, first] = [document.querySelector(".newbar"), document.querySelector(".body > .post")];
  const before = first.getBoundingClientRect().top;
  bar.firstChild.innerHTML = "20 new<span class=unseen> posts</span>";
  bar.hidden = false;
  const found = new Set(first.getBoundingClientRect().top === before ? [] : ["the first post moves"]);
  const over = bar.getBoundingClientRect();
  const near = ({ left, right, top, bottom }) => left < over.right + 1 && over.left - 1 < right && top < over.bottom + 1 && over.top - 1 < bottom;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    range.selectNode(texts.currentNode);
    if (!texts.currentNode.parentElement.closest(".newbar, .unseen, details:not([open]) > :not(summary)") && [...range.getClientRects()].some(near)) found.add(texts.currentNode.data);
  }
  for (const control of document.querySelectorAll("main :is(a, button, summary, select, textarea):not(.newbar, .at)")) {
    if (control.checkVisibility() && near(control.getBoundingClientRect())) found.add(control.outerHTML);
  }
  return [...found];
}

test("list: what can be pressed has at least 24 by 24 pixels", async () => {
  const { channel } = await listed("list.targets", [["Short"], ["With a title", "T"], ["Long. ".repeat(400), "Long"]]);
  for (const as of [undefined, ida]) {
    for (const touch of [false, true]) {
      const v = await visitor(sites.sample, { as, ...phone, touch });
      for (const path of as ? [channel, "/", "/digest"] : [channel]) {
        await v.open(path);
        const small = await v.page.evaluate(() => [...document.querySelectorAll("article :is(header, h2, h3, .vote, .more) :is(a, button), .views a, .pager a, summary, .acts a")]
          .filter((target) => target.checkVisibility({ contentVisibilityAuto: true }))
          .map((target) => ({ text: target.innerText, ...target.getBoundingClientRect().toJSON() }))
          .filter(({ width, height }) => width > 0 && (width < 24 || height < 24))
          .map(({ text, width, height }) => `${text}: ${width}×${height}`));
        assert.deepEqual(small, [], path);
      }
      await v.leave();
    }
  }
});

test("list: a long text is folded, and “Read on” leads to the rest", async () => {
  const text = `${"A sentence that is neither long nor short. ".repeat(20)}\n\n${"The second paragraph goes on and on. ".repeat(30)}The end.`;
  const { channel } = await listed("list.long", [["Brief"], [text, "Long"]]);
  const v = await visitor(sites.sample, { as: ida });
  for (const path of [channel, "/", "/digest"]) {
    await v.open(path);
    const shown = await article(v, "A sentence that").locator(".text").innerText();
    assert.ok(shown.length > 500 && shown.length < 1300, `${shown.length} characters in the list`);
    assert.ok(!shown.includes("The end."));
    assert.equal(await article(v, "Brief").getByRole("link", { name: /^Read on/ }).count(), 0);
  }
  await v.open(channel);
  await look(v, "list-folded");
  await v.follow(article(v, "A sentence that").getByRole("link", { name: /^Read on/ }));
  assert.equal(await v.heading(), "Long");
  await v.sees("The end.");
  await v.leave();
});
