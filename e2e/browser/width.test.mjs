// What a user wrote stays in its place: no text, title, name or description makes a page wider than the
// screen, or paints over what is next to it. A letter may carry hundreds of marks. They are one character,
// which no line break divides: some fonts write them in a row, and others pile them up over other lines.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { visitor } from "./visitor.mjs";

const widths = [900, 320];

// A row is as wide as its marks, and a tower as high.
const row = (marks) => `x${"\u0489".repeat(marks)}`;
const tower = (marks) => `o${"\u0301".repeat(marks / 2)}${"\u0316".repeat(marks / 2)}`;
const word = (letters) => "W".repeat(letters);
const turned = "\u202eturned round\u202d";

const texts = [
  row(300), `${tower(80)} `.repeat(5), word(400), `${turned} ${word(60)}`,
  `- ${row(100)}\n  - ${tower(80)}\n    1. ${row(100)}\n\n999999999. ${tower(80)} ${word(40)}`,
  `> ${row(100)}\n>\n> > ${tower(80)} ${word(40)}`,
  `\`\`\`\n${row(200)}\n${tower(80)}\n${word(200)}\n\`\`\`\n\n\`${row(100)}\` \`${word(100)}\``,
  `|${row(100)}|${tower(80)}|${word(80)}|\n|-|-|-|\n|${tower(80)}|${row(100)}|${word(80)}|`,
  `[${row(100)}](https://example.org/${"p".repeat(100)}) https://example.org/${row(50)} **${tower(80)}**`,
  `# ${row(100)}\n\n## ${tower(80)} ${word(40)}`,
];
const titles = ["", row(119), `${tower(40)} ${tower(60)}`, word(120), `${turned} ${word(50)}`];
// No new channel gets a name like these, but one that is older than the rules of names may have it. A page shows
// them in the place of the names that were accepted.
const zalgo = "zalgo", strip = "strip";
const stored = { [zalgo]: `${row(20)}${tower(30)}${word(12)}`, [strip]: row(63) };
const description = `${row(100)}\n\n${tower(80)} ${turned} ${word(200)}`;

const path = (name) => `/channels/${encodeURIComponent(name)}`;

let site, wanda, owner, anonymous, plain, post;
before(async () => {
  site = await ownSite("serve", "--teach", "--undo", "5m");
  wanda = await signUp(site.url, "w".repeat(32));
  await wanda.createChannel(strip, tower(80));
  await wanda.createChannel(zalgo, description);
  for (const [i, text] of texts.entries()) await wanda.post(zalgo, text, titles[i % titles.length]);
  post = await wanda.post(strip, texts.join("\n\n"), `${row(40)} ${tower(60)}`);
  owner = await visitor(site.url, { as: wanda });
  anonymous = await visitor(site.url);
  plain = await visitor(site.url, { as: wanda, scripts: false });
});
after(() => site.remove());

// fits checks the page that is shown on each width of the screen.
async function fits({ page }) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    let places, picture;
    do { // again if the page has changed meanwhile
      places = JSON.stringify(await page.evaluate(mark, stored));
      picture = await page.screenshot({ fullPage: true });
    } while (places !== JSON.stringify(await page.evaluate(mark, stored)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    const outside = await page.evaluate(stray, { places: JSON.parse(places), png: picture.toString("base64") });
    if (process.env.SCREENSHOTS && outside.length > 0) await writeFile(new URL("../artifacts/width.png", import.meta.url), picture);
    await page.evaluate(unmark);
    assert.ok(wide <= width && outside.length === 0,
      `on a screen of ${width} px, ${page.url()} is ${wide} px wide, and texts paint outside their blocks at ${outside}`);
  }
}

// mark runs in the page. It puts in the stored names, makes everything invisible but the texts with something of the
// above, and returns where each may paint: in its block and all that are around this, and a little beyond, for tall scripts.
function mark(stored) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    *, ::before, ::after, ::marker, ::placeholder { color: transparent !important; background: none !important; border-color: transparent !important;
      outline-color: transparent !important; box-shadow: none !important; text-decoration-color: transparent !important; animation: none !important; resize: none !important; }
    :root { background: #fff !important; }
    :is(input, select, progress, svg) { opacity: 0 !important; }
    [data-worst], li[data-worst]::marker { color: #000 !important; }`);
  document.adoptedStyleSheets = [sheet];
  const beyond = 9; // one more than the margin of app.css
  const known = new Map();
  const placeOf = (element) => {
    if (!element) return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    if (known.has(element)) return known.get(element);
    let place = placeOf(element.parentElement);
    const { display } = getComputedStyle(element);
    if (display !== "inline" && display !== "contents") {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      place = {
        left: Math.max(place.left, left + scrollX - beyond), top: Math.max(place.top, top + scrollY - beyond),
        right: Math.min(place.right, right + scrollX + beyond), bottom: Math.min(place.bottom, bottom + scrollY + beyond),
      };
    }
    known.set(element, place);
    return place;
  };
  const places = [];
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const element = all.currentNode.parentElement;
    const asName = !element.closest("code"); // that has keys and addresses, which are ASCII
    for (const name in stored) if (asName && all.currentNode.data.includes(name)) all.currentNode.data = all.currentNode.data.replaceAll(name, stored[name]);
    if (!/[\u0489\u0301\u202e]|W{30}/.test(all.currentNode.data) || !element.checkVisibility()) continue;
    element.dataset.worst = "";
    places.push(placeOf(element), ...(element.localName === "li" ? [placeOf(element.parentElement)] : [])); // the number is outside its item
  }
  return places;
}

function unmark() {
  document.adoptedStyleSheets = [];
  for (const element of document.querySelectorAll("[data-worst]")) delete element.dataset.worst;
}

// stray runs in the page. It returns where a picture of the page has ink outside all places: the lines of the
// picture, in stretches, and how far the ink reaches in each.
async function stray({ places, png }) {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  context.fillStyle = "#fff";
  for (const { left, top, right, bottom } of places) context.fillRect(left, top, Math.max(right - left, 0), Math.max(bottom - top, 0));
  const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  const white = 0xffffffff;
  const found = [];
  for (let y = 0; y < image.height; y++) {
    const line = pixels.subarray(y * image.width, (y + 1) * image.width);
    const first = line.findIndex((pixel) => pixel !== white);
    if (first < 0) continue;
    const last = line.findLastIndex((pixel) => pixel !== white);
    const above = found.at(-1);
    if (above?.bottom === y) Object.assign(above, { bottom: y + 1, left: Math.min(above.left, first), right: Math.max(above.right, last) });
    else found.push({ top: y, bottom: y + 1, left: first, right: last });
  }
  return found.map(({ top, bottom, left, right }) => `y=${top}…${bottom} x=${left}…${right}`);
}

// shows looks at a page, after act if that is given.
function shows(who, name, where, act) {
  test(name, async () => {
    const v = who();
    await v.open(typeof where === "string" ? where : where());
    await act?.(v);
    await fits(v);
  });
}

describe("width: an anonymous client sees in its place", () => {
  const see = shows.bind(null, () => anonymous);
  see("what is new", "/");
  see("the directory", "/channels");
  see("the directory by name", "/channels?order=name");
  see("what a filter finds", `/channels?contains=${zalgo}`);
  see("what a filter does not find", `/channels?contains=${encodeURIComponent(`${row(50)}${tower(40)}`)}`);
  see("what a user wrote", () => `/users/${wanda.name}`);
  see("the channels of a user", () => `/users/${wanda.name}?show=channels`);
  see("a channel that there is not", path(`no${stored[zalgo]}`));
  see("the calls behind a page", path(strip), (v) => v.press(v.page.getByText("Behind this page")));
});

describe("width: a user who has signed in sees in its place", () => {
  const see = shows.bind(null, () => owner);
  for (const where of ["/", "/latest", "/channels", "/digest", "/subscriptions", "/account", "/account/deletion", "/write"]) see(where, where);
  see("a channel", path(zalgo));
  see("its top rated posts", `${path(zalgo)}?order=rating`);
  see("what is found in it", `${path(zalgo)}?find=${encodeURIComponent(row(50))}`);
  see("what is not found in it", `${path(zalgo)}?find=${encodeURIComponent(`${row(50)}${tower(40)}`)}`);
  see("the form for its description", `${path(zalgo)}/edit`);
  see("the question whether to delete it", `${path(zalgo)}/delete`);
  see("its feeds", `${path(zalgo)}/feed`);
  see("its rows", `${path(strip)}/rows`, (v) => v.page.locator("details.store-fold").evaluateAll((folds) => folds.forEach((fold) => { fold.open = true; })));
  see("that its name is taken", `/channels/new?name=${zalgo}`, async (v) => {
    v.expectRefusal(409, "/channels/new");
    await v.press(v.button("Create channel"));
    await v.sees("Name is taken");
  });
  see("a post", () => post);

  test("the form of a post, its preview, and two versions of it", async () => {
    await plain.open(`${post}/edit`);
    await fits(plain);
    const [tab] = await Promise.all([plain.context.waitForEvent("page"), plain.press(plain.button("Preview in a new tab"))]);
    await tab.waitForLoadState();
    await fits({ page: tab });
    await tab.close();
    const response = await fetch(`${site.url}/api/v1${post}`, {
      method: "PUT", headers: { "Content-Type": "application/json", "Authorization": `Bearer ${wanda.token}`, "If-Match": "*" },
      body: JSON.stringify({ title: `${tower(60)} ${row(50)}`, text: [...texts.slice(2), ...texts.slice(0, 2)].join("\n\n") }),
    });
    assert.equal(response.status, 200);
    await plain.field("Title").fill(`${tower(60)} ${word(50)}`);
    await plain.field("Text").fill(texts.toReversed().join("\n\n"));
    await plain.follow(plain.button("Save"));
    assert.equal(plain.status, 412);
    await fits(plain);
  });

  test("a post on its way, and a draft", async () => {
    await owner.open(path(zalgo));
    await owner.fill({ Title: row(100), Text: `${tower(80)}\n${row(300)}` });
    let answer;
    const looked = new Promise((resolve) => { answer = resolve; });
    await owner.page.route("**", async (route) => {
      if (route.request().method() === "POST") await looked;
      await route.continue();
    });
    await owner.press(owner.button("Post"));
    await owner.page.locator("article.pending").waitFor();
    await fits(owner);
    await owner.button("Stop").waitFor(); // which is there once it takes long
    await fits(owner);
    answer();
    await owner.page.locator("article.pending").waitFor({ state: "detached" });
    await owner.page.unroute("**");
    await owner.fill({ Title: row(100), Text: tower(80) });
    await owner.open(path(zalgo));
    await owner.sees("Draft kept in this browser until you sign out.");
    await fits(owner);
  });

  test("a deletion that can be undone", async () => {
    await owner.open(await wanda.deleteChannel(zalgo));
    await owner.sees("will be deleted in");
    await fits(owner);
    await owner.open("/account/deletions");
    await fits(owner);
  });

  test("a deletion that is done", async () => {
    await site.kill();
    await site.start("serve", "--teach");
    await owner.open(await wanda.deleteChannel(strip));
    await owner.sees("the name was free again");
    await fits(owner);
    // The command that the page of a poisoned deletion has.
    await owner.page.locator(".deletion > p").first().evaluate((said, name) => {
      said.insertAdjacentHTML("afterend", `<pre><code>microblogging requeue <span class="whole">--channel</span> ${name}</code></pre>`);
    }, stored[strip]);
    await fits(owner);
  });
});
