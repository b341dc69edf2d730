// Texts: what people write is shown as Markdown, without anything that runs, loads or
// breaks the page.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signUp } from "./account.mjs";
import { answered } from "./draft_writer.mjs";
import { look } from "./page_look.mjs";
import { sites, visitor } from "./visitor.mjs";

let tess;
before(async () => { tess = await signUp(sites.sample, "tess"); });

const everything = `A line,
and one more with *stress*, **more stress**, ~~a mistake~~ and \`code\`.

# A heading
### Another

1. One
2. Two
   - within, and ${"long".repeat(60)}

> Quoted, with ![a picture](https://example.org/a.png)

\`\`\`go
if wide { ${"x".repeat(200)} }
\`\`\`

---

[A link](https://example.org/), https://example.org/_a_b_/${"path/".repeat(40)}, [no link](javascript:alert(1)).`;

for (const scripts of [true, false]) {
  test(`text: is shown as Markdown ${scripts ? "with" : "without"} script`, async () => {
    const name = scripts ? "marks" : "marks.still";
    const v = await visitor(sites.sample, { as: tess, scripts });
    await v.open(await tess.createChannel(name));
    const path = await tess.post(name, everything, "Everything");
    const asked = [];
    v.page.on("request", (request) => asked.push(request.url()));
    for (const [page, headings] of [[`/channels/${name}`, ["H3", "H4"]], [path, ["H2", "H3"]]]) {
      await v.open(page);
      const text = v.page.locator("article .text");
      assert.deepEqual(
        await text.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((e) => e.tagName)), headings, page);
      assert.match(await text.innerText(), /A line,\nand one more with stress/);
      assert.deepEqual(
        await text.locator("em, strong, del, :not(pre) > code").allInnerTexts(), ["stress", "more stress", "a mistake", "code"]);
      assert.equal(await text.locator("ol > li ul > li").count(), 1);
      assert.equal(await text.locator("img").count(), 0);
      assert.equal(await text.getByRole("link", { name: "a picture" }).getAttribute("href"), "https://example.org/a.png");
      assert.equal(await text.getByRole("link").count(), 3);
      assert.match(await text.innerText(), /\[no link\]\(javascript:alert\(1\)\)/);
      const wider = await text.locator("pre").evaluate((pre) => pre.scrollWidth > pre.clientWidth);
      assert.ok(wider, "code scrolls inside");
      if (scripts) await look(v, `text-${headings[0]}`); // axe is a script
    }
    const elsewhere = asked.filter((url) => !url.startsWith(sites.sample));
    assert.deepEqual(elsewhere, [], "a text loads nothing");
    await v.leave();
  });
}

test("text: a table scrolls inside, and tasks and footnotes are text, and cells keep their alignment", async () => {
  const v = await visitor(sites.sample, { as: tess });
  await v.open(await tess.createChannel("cells"));
  const row = (cell) => `|${`${cell}|`.repeat(12)}\n`;
  await v.open(await tess.post("cells", `${row("a word")}${row("-")}${row("`wide`")}\n- [x] done\n- [ ] open[^1]\n\n[^1]: Soon`, "Cells"));
  const text = v.page.locator("article .text");
  assert.equal(await text.getByRole("table").getByRole("columnheader").count(), 12);
  const aligned = await tess.post("cells", "| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |", "Aligned");
  assert.match(await text.innerText(), /☑ done\n☐ open\[\^1\]\n+\[\^1\]: Soon/);
  await look(v, "text-table");
  await v.page.setViewportSize({ width: 360, height: 800 });
  assert.ok(await text.getByRole("table").evaluate((table) => table.scrollWidth > table.clientWidth));
  await v.open(aligned);
  assert.deepEqual(await text.locator("td").evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign.replace("-webkit-", ""))),
    ["start", "left", "center", "right"]);
  await v.leave();
});

test("text: tags are shown as they were typed", async () => {
  const v = await visitor(sites.sample, { as: tess });
  await v.open(await tess.createChannel("tags"));
  const text = `<script>document.title="no"</script> <b onclick="alert(1)">bold</b> <img src=x onerror=alert(1)>\njavascript:alert(1) "quoted"`;
  await tess.post("tags", text);
  await v.open("/channels/tags");
  assert.deepEqual(await v.posts(), [text]);
  assert.equal(await v.page.locator("article .text :is(a, b, img, script)").count(), 0);
  await v.leave();
});

for (const scripts of [true, false]) {
  test(`text: a preview leaves the form as it is, ${scripts ? "with" : "without"} script`, async () => {
    const v = await visitor(sites.sample, { as: tess, scripts });
    const name = `preview.${scripts}`;
    await v.open(await tess.createChannel(name));
    await v.fill({ Title: "Try", Text: "Some *stress*" });
    if (scripts) await look(v, "composer");
    if (scripts) {
      await v.press(v.button("Preview"));
      assert.equal(await v.page.locator("section[aria-label=Preview] article .text em").innerText(), "stress");
      assert.ok(await v.page.getByRole("heading", { name: "Preview", exact: true }).isVisible());
      await look(v, "preview");
    } else {
      const [tab] = await Promise.all([v.context.waitForEvent("page"), v.press(v.button("Preview in a new tab"))]);
      await tab.waitForLoadState();
      assert.equal(await tab.locator("article .text em").innerText(), "stress");
      await tab.close();
    }
    assert.equal(await v.field("Text").inputValue(), "Some *stress*");
    await answered(v, v.button("Post"), scripts);
    assert.deepEqual(await v.posts(), ["Some stress"]);
    await v.leave();
  });
}

test("text: a list shows the beginning of a long one, and leads on", async () => {
  const v = await visitor(sites.sample, { as: tess });
  await v.open(await tess.createChannel("folded"));
  const path = await tess.post("folded", `${"Begun. ".repeat(150)}\n\n${"Went on. ".repeat(150)}\n\nEnded.`);
  await v.open("/channels/folded");
  const [shown] = await v.posts();
  assert.match(shown, /Begun\.\s*…$/);
  assert.doesNotMatch(shown, /Went on/);
  await look(v, "text-folded");
  await v.follow(v.page.getByRole("link", { name: /^Read on in/ }));
  assert.ok(v.page.url().endsWith(path.split("/").at(-1)), v.page.url());
  assert.match((await v.posts())[0], /Ended\.$/);
  await v.leave();
});
