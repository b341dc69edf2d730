// The main job from end to end, as three different users do it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sites, visitor } from "./visitor.mjs";

const password = "correct horse battery";

walk("with a mouse", "mouse", { hand: "mouse" });
walk("without scripts", "scriptless", { scripts: false });
walk("by keyboard alone", "tabber", { hand: "keyboard" });

function walk(how, user, options) {
  const channel = `Engines.${user}`;
  const description = "What turns, and why.";

  describe(`walk: ${how}`, () => {
    let v;
    before(async () => { v = await visitor(sites.sample, options); });
    after(() => v.leave());

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

    step("somebody signs up", async () => {
      await v.open("/channels");
      await v.follow(v.link("Sign up"));
      await v.fill({ Name: user, Password: password });
      await v.follow(v.button("Sign up"));
      assert.equal(v.path, "/channels", "signing up leads back");
      await v.link(user).waitFor();
    });

    step("creates a channel", async () => {
      await v.follow(v.link("New channel"));
      await v.fill({ Name: channel, Description: description });
      await v.follow(v.button("Create channel"));
      assert.equal(await v.heading(), channel);
      await v.sees(description, "Nothing here yet");
    });

    step("posts lines and a link", async () => {
      const text = "First line\n\nThird line, see https://example.org/a?b=c&d=e.";
      await v.fill({ Title: "A title", Text: text });
      await v.follow(v.button("Post"));
      assert.match(await v.notice(), /post/);
      await v.sees("A title");
      assert.deepEqual(await v.posts(), [text]);
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
      assert.deepEqual(await v.posts(), ["Other words"]);
    });

    step("deletes the post", async () => {
      const button = v.button("Delete this post");
      assert.ok(!(await button.isVisible()), "deleting takes two steps");
      await v.press(v.page.locator("summary", { hasText: "Delete…" }));
      await v.follow(button);
      assert.match(await v.notice(), /deleted/);
      await v.sees("Nothing here yet");
      assert.deepEqual(await v.posts(), []);
    });

    step("deletes the channel and watches it go", async () => {
      await v.follow(v.link("Delete channel…"));
      assert.equal(await v.heading(), `Delete “${channel}”?`);
      await v.follow(v.button("Delete this channel and all its posts"));
      assert.match(v.path, /\/deletions\//);
      await v.sees("Deleted", "The name is free again.");
      assert.equal(await v.page.locator("progress").getAttribute("value"), "5");
    });

    step("creates it again", async () => {
      await v.follow(v.link(`Create “${channel}” again`));
      assert.equal(await v.field("Name").inputValue(), channel);
      await v.follow(v.button("Create channel"));
      assert.equal(await v.heading(), channel);
      await v.sees("Nothing here yet");
      assert.ok(!(await v.page.getByText(description).isVisible()), "the old description is still there");
    });

    step("signs out", async () => {
      await v.follow(v.button("Sign out"));
      assert.match(await v.notice(), /signed out/);
      await v.link("Sign in").waitFor();
    });
  });
}
