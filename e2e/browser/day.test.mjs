// A day on the site: what most people do, one thing after the other, in one browser. It is
// lived three times. Whatever one time leaves behind in the browser must not disturb the
// next. What a step did is read from the API, so that no page can claim more than is stored.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signIn } from "./account.mjs";
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
      await v.follow(v.button("Post"));
      assert.match(await v.notice(), /published/, `after ${JSON.stringify(text)}`);
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
      await v.link(user).waitFor();
      account = await signIn(sites.raced, user);
    });

    step("looks at what is new, and at what one person wrote", async () => {
      await v.follow(v.link("Feed"));
      await v.follow(v.link("See what is new"));
      assert.ok((await v.page.locator("article").count()) > 0, "nothing new is shown");
      await v.fill({ "Find channels and people": "ada" });
      await Promise.all([v.page.waitForURL(/contains=ada/), v.page.keyboard.press("Enter")]);
      await v.follow(v.page.locator(".person a"));
      assert.equal(v.path, "/users/ada");
      assert.ok((await v.page.locator("article").count()) > 0, "nothing that ada wrote is shown");
      await v.follow(v.link("Channels").first());
    });

    step("looks around before creating a channel, goes back, and creates another", async () => {
      await v.follow(v.link("New channel"));
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
      await v.menu();
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
      await v.follow(v.link(`← ${channel}`));
      const subscribed = v.button("Subscribed (press to unsubscribe)");
      if (await subscribed.isVisible()) await v.follow(subscribed);
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
      assert.ok(!(await button.isVisible()), "deleting takes two steps");
      await v.menu();
      await v.press(v.page.locator("summary", { hasText: "Delete…" }));
      await v.follow(button);
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
      await v.follow(v.button("Delete this channel and all its posts"));
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
      await v.follow(v.button("Delete this channel and all its posts"));
      assert.match(v.path, /\/deletions\//);
      await v.sees("Deleted", "Then the name was free again.");
      assert.equal(await v.page.locator("progress").getAttribute("value"), "5");
      assert.equal((await account.ask(`/channels/${channel}`)).status, 404);
    });

    step("creates it again, and posts", async () => {
      await v.follow(v.link(`Create “${channel}” again`));
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
      await v.follow(v.button("Sign out"));
      assert.match(await v.notice(), /signed out/);
      await v.link("Sign in").waitFor();
    });
  });
}
