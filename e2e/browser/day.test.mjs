// A day on the site: what most people do, one thing after the other, in one browser. It is
// lived three times. Whatever one time leaves behind in the browser must not disturb the
// next. What a step did is read from the API, so that no page can claim more than is stored.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signIn, signUp } from "./account.mjs";
import { hands } from "./visitor_hands.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

const password = "correct horse battery";
const desk = { width: 1280, height: 800 };

let v, browser;
before(async () => {
  v = await visitor(sites.raced);
  browser = await v.context.newCDPSession(v.page);
});
after(() => v.leave());

day("with a mouse", "mouse", "mouse", true);
day("without script", "scriptless", "mouse", false);
day("by keyboard alone", "tabber", "keyboard", true);

describe("day: on a phone with a bad network", () => {
  const path = "/channels/Train";
  const form = (page) => page.locator("#text");
  const isPosted = (page, text) => page.locator("article:not(.pending)", { hasText: text }).waitFor();
  const sends = (page) => page.getByRole("button", { name: "Post", exact: true }).click();
  const each = `**${path}`;
  let account;

  before(async () => {
    account = await signUp(sites.raced, "commuter");
    await account.createChannel("Train");
    await v.context.clearCookies();
    await browser.send("Emulation.setScriptExecutionDisabled", { value: false });
    await v.context.addCookies([{ name: "session", value: account.token, url: sites.raced }]);
    await v.page.setViewportSize(phone);
    await v.open(path);
  });

  test("a draft belongs to its tab, and another can take it", async () => {
    await form(v.page).fill("A lease is no lock.");
    await v.sees("Draft kept in this browser");
    const tab = await v.context.newPage();
    await tab.goto(path);
    await tab.getByText("Another tab has a draft of this: “A lease is no lock.”").waitFor();
    await form(tab).fill("Of the second tab");
    assert.equal(await form(v.page).inputValue(), "A lease is no lock.");
    await v.page.reload();
    await v.sees("Draft kept in this browser");
    assert.equal(await form(v.page).inputValue(), "A lease is no lock.", "the second tab has overwritten it");
    await form(tab).fill("");
    await tab.reload();
    await tab.getByRole("button", { name: "Take it here" }).click();
    assert.equal(await form(tab).inputValue(), "A lease is no lock.");
    await v.sees("Another tab has taken or removed this draft.");
    await sends(tab);
    await isPosted(tab, "A lease is no lock.");
    assert.deepEqual(await account.texts("Train"), ["A lease is no lock."]);
    await tab.close();
  });

  test("a post is in the list while the network is slow, and the form is ready for the next", async () => {
    await v.context.route(each, async (route) => {
      if (route.request().method() === "POST") await new Promise((go) => setTimeout(go, 2500));
      await route.continue();
    });
    await form(v.page).fill("Slow one");
    await sends(v.page);
    await v.page.locator("article.pending", { hasText: "Slow one" }).waitFor();
    await form(v.page).fill("Slow two");
    await sends(v.page);
    await isPosted(v.page, "Slow two");
    await isPosted(v.page, "Slow one");
    await v.context.unroute(each);
    assert.deepEqual((await account.texts("Train")).slice(0, 2), ["Slow two", "Slow one"]);
  });

  test("a post waits for a server that was killed, also if the page is left", async () => {
    await v.context.route(each, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    await form(v.page).fill("Sent later");
    await sends(v.page);
    await v.sees("The server does not answer. Sent when it does.");
    await v.open("/channels");
    await v.context.unroute(each);
    v.complaints.length = 0; // the browser tells of each try
    await v.open(path);
    await isPosted(v.page, "Sent later");
    assert.equal((await account.texts("Train"))[0], "Sent later");
  });

  test("a refused form is sent once, and comes back with the reason", async () => {
    v.expectRefusal(422, path);
    let sent = 0;
    v.page.on("request", (request) => { if (request.method() === "POST") sent++; });
    await form(v.page).fill("x".repeat(5001));
    await sends(v.page);
    await v.page.locator("#text-error").waitFor();
    assert.equal(sent, 1);
    assert.equal((await form(v.page).inputValue()).length, 5001);
    await form(v.page).fill("Short");
    await sends(v.page);
    await isPosted(v.page, "Short");
    assert.deepEqual(await v.page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("draft:"))), [], "a draft is left");
  });

  test("a post is deleted when the page is left before the time to undo is over", async () => {
    await v.page.locator("article summary", { hasText: "⋯" }).first().click();
    await v.page.locator("article [data-delete] > summary").first().click();
    await v.sees("or when you leave this page");
    await v.open("/channels");
    while ((await account.texts("Train")).includes("Short")); // the answer is not waited for
  });

  test("the number of new posts is shown, and they are taken in without moving what is read", async () => {
    for (let i = 0; i < 12; i++) await account.post("Train", `Old ${i}`);
    await v.open(path);
    const read = v.page.locator("article", { hasText: "Old 0" });
    await read.scrollIntoViewIfNeeded();
    await account.post("Train", "Fresh");
    await v.page.getByText("1 new post").waitFor();
    const before = (await read.boundingBox()).y;
    await v.page.getByText("1 new post").evaluate((bar) => bar.click()); // a click of the mouse scrolls to it
    await isPosted(v.page, "Fresh");
    assert.ok(Math.abs((await read.boundingBox()).y - before) <= 1, "what is read has moved");
  });
});

function day(how, user, hand, scripts) {
  const channel = `Engines.${user}`;
  const path = `/channels/${channel}`;
  const description = "What turns, and why.";

  describe(`day: ${how}`, () => {
    let account;
    const posted = [];

    before(async () => {
      v.hand = hands[hand];
      await v.context.clearCookies(); // if the day before broke off
      await browser.send("Emulation.setScriptExecutionDisabled", { value: !scripts });
    });

    let stuck = false;
    // After a failed step the next ones cannot start from where they should.
    function step(sentence, take) {
      test(sentence, async () => {
        assert.ok(!stuck, "an earlier step failed");
        stuck = true;
        await take();
        stuck = false;
      });
    }

    async function post(text) {
      await v.fill({ Text: text });
      if (scripts) await v.press(v.button("Post"));
      else await v.follow(v.button("Post"));
      await v.sees("Your post is published.");
      assert.equal(await v.field("Text").inputValue(), "", "the form is not ready for the next post");
      if (scripts) assert.ok(await v.field("Text").evaluate((field) => field === document.activeElement), "the focus is elsewhere");
      posted.unshift(text);
      await isStored();
    }

    async function isStored() {
      assert.deepEqual(await account.texts(channel), posted);
      assert.deepEqual(await v.posts(), posted);
    }

    async function createChannel(name) {
      await v.fill({ Name: name, Description: description });
      await v.follow(v.button("Create channel"));
      assert.equal(await v.heading(), name);
      const { owner, state } = await account.get(`/channels/${name}`);
      assert.deepEqual({ owner, state }, { owner: user, state: "active" });
    }

    step("a user signs up", async () => {
      await v.open("/channels");
      await v.follow(v.link("Sign up"));
      await v.fill({ Name: user, Password: password });
      await v.follow(v.button("Sign up"));
      assert.equal(v.path, "/channels", "signing up leads back");
      await v.page.locator(".top").getByText(user).waitFor();
      account = await signIn(sites.raced, user);
    });

    step("looks at what is new, and at what one person wrote", async () => {
      await v.follow(v.link("Feed"));
      assert.ok((await v.page.locator("article").count()) > 0, "nothing new is shown");
      await v.fill({ "Search posts, channels and people": "ada" });
      await Promise.all([v.page.waitForURL(/\/search\?q=ada/), v.page.keyboard.press("Enter")]);
      await v.follow(v.page.locator("main a[href=\"/users/ada\"]").first());
      assert.equal(v.path, "/users/ada");
      assert.ok((await v.page.locator("article").count()) > 0, "nothing that ada wrote is shown");
      await v.follow(v.link("Channels").first());
    });

    step("looks around before creating a channel, goes back, and creates another", async () => {
      await v.follow(v.link("New channel").first());
      await v.fill({ Name: "A name, at first" });
      await v.follow(v.link("Channels"));
      await v.page.goBack();
      await createChannel(`First.${user}`);
      await v.page.goBack();
      await createChannel(channel);
      await v.sees(description, "Nothing here yet");
    });

    step("posts three times without leaving the page", async () => {
      await post("hello one");
      await post("hello two");
      await post("hello three");
    });

    step("posts the same words three times", async () => {
      await post("ok");
      await post("ok");
      await post("ok");
    });

    step("posts lines and a link", async () => {
      const text = "First line\n\nThird line, see https://example.org/a?b=c&d=e.";
      await v.fill({ Title: "A title" });
      await post(text);
      const link = v.link("https://example.org/a?b=c&d=e");
      assert.equal(await link.getAttribute("href"), "https://example.org/a?b=c&d=e");
    });

    step("edits the post", async () => {
      await v.follow(v.link("A title"));
      assert.equal(await v.heading(), "A title");
      await v.follow(v.link("Edit"));
      assert.match(await v.field("Text").inputValue(), /^First line\n\nThird line/);
      await v.fill({ Title: "Another title", Text: "Other words" });
      await v.follow(v.button("Save"));
      assert.match(await v.notice(), /saved/);
      await v.sees("edited");
      assert.equal(await v.heading(), "Another title");
      posted[0] = "Other words";
      assert.deepEqual(await account.texts(channel), posted);
    });

    step("votes for it", async () => {
      await v.votes();
      const { items } = await account.get(`/channels/${channel}/blogs`);
      assert.equal(items[0].rating, 1);
    });

    step("subscribes", async () => {
      await v.follow(v.link(channel).first());
      await v.menu();
      const subscribed = v.button("Subscribed (press to unsubscribe)");
      if (await subscribed.isVisible()) {
        await v.follow(subscribed);
        await v.menu();
      }
      await v.follow(v.button("Subscribe"));
      const { items } = await account.get("/subscriptions");
      assert.ok(items.some(({ channel: name }) => name === channel), JSON.stringify(items));
    });

    step("posts on a phone", async () => {
      await v.page.setViewportSize(phone);
      await v.page.reload();
      await post("From the bus");
      await v.page.setViewportSize(desk);
    });

    step("reads a post, goes back, and posts again", async () => {
      await v.follow(v.link("Another title"));
      await v.page.goBack();
      await post("And once more");
    });

    step("deletes a post", async () => {
      await v.follow(v.link("Another title"));
      const button = v.button("Delete this post");
      const fold = v.page.locator("summary", { hasText: "Delete" });
      assert.ok(!(await button.isVisible()), "deleting takes two steps");
      await v.press(fold);
      if (scripts) {
        await v.sees("Will be deleted in");
        await v.press(v.button("Undo"));
        assert.deepEqual(await account.texts(channel), posted, "a deletion that was undone");
        await v.press(fold);
        await v.page.waitForURL(`**${path}`);
      } else await v.follow(button);
      assert.match(await v.notice(), /deleted/);
      posted.splice(posted.indexOf("Other words"), 1);
      await isStored();
    });

    step("finds a post by a word of it", async () => {
      await v.follow(v.link("Find"));
      await v.fill({ "Title or text contains": "BUS" });
      await v.follow(v.button("Find").last());
      assert.deepEqual(await v.posts(), ["From the bus"]);
      await v.follow(v.link("Newest"));
      await isStored();
    });

    step("deletes the channel, thinks better of it, and has it back", async () => {
      await v.menu();
      await v.follow(v.link("Delete channel…"));
      await v.follow(v.button("Delete channel and posts"));
      await v.sees("about to be deleted");
      assert.equal((await account.ask(`/channels/${channel}`)).status, 410);
      await v.follow(v.button("Undo"));
      assert.match(await v.notice(), /The channel is back/);
      await isStored();
    });

    step("deletes the channel and watches it go", async () => {
      await v.menu();
      await v.follow(v.link("Delete channel…"));
      assert.equal(await v.heading(), `Delete “${channel}”?`);
      await v.follow(v.button("Delete channel and posts"));
      assert.match(v.path, /\/deletions\//);
      await v.sees("Deleted", "the name was free again.");
      assert.equal(await v.page.locator("progress").getAttribute("value"), "5");
      assert.equal((await account.ask(`/channels/${channel}`)).status, 404);
    });

    step("creates it again, and posts", async () => {
      await v.follow(v.link(`Create “${channel}” again, if the name is still free`));
      assert.equal(await v.field("Name").inputValue(), channel);
      await v.fill({ Description: "" });
      await v.follow(v.button("Create channel"));
      assert.equal(await v.heading(), channel);
      await v.sees("Nothing here yet");
      assert.ok(!(await v.page.getByText(description).isVisible()), "the old description is still there");
      posted.length = 0;
      await post("hello one");
    });

    step("signs out", async () => {
      await v.accountMenu();
      await v.follow(v.button("Sign out"));
      assert.match(await v.notice(), /signed out/);
      await v.link("Sign in").waitFor();
    });
  });
}
