// A channel on a phone: posts come soon, and what one needs less often is folded or below them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signUp } from "./account.mjs";
import { ownSite } from "./own_site.mjs";
import { look } from "./page_look.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

// The first post begins above this line, in CSS pixels: at least its beginning can be read on a small screen.
const fold = 470;

let flo, reader, path;
before(async () => {
  [flo, reader] = [await signUp(sites.sample, "flo"), await signUp(sites.sample, "flo_reader")];
  path = await flo.createChannel("garden.phone", "What grows behind the house, what does not, and what the snails left. Written on most evenings from March to October, and read again in winter.");
  for (const title of ["Beans", "Peas", "Kale"]) await flo.post("garden.phone", "It grows.", title);
});

describe("phone: the first post begins above the fold", () => {
  const readers = {
    "for an anonymous client": () => undefined,
    "for a reader": () => reader,
    "for the owner": () => flo,
  };
  for (const [who, as] of Object.entries(readers)) {
    for (const touch of [false, true]) {
      test(`${who}${touch ? ", by touch" : ""}`, async () => {
        const v = await visitor(sites.sample, { as: as(), ...phone, touch });
        await v.open(path);
        const { y } = await v.page.getByRole("article").first().boundingBox();
        assert.ok(y < fold, `the first post begins at y=${y}`);
        if (!touch) await look(v, `phone-${who.replaceAll(" ", "-")}`);
        await v.leave();
      });
    }
  }
});

for (const scripts of [true, false]) {
  const how = scripts ? "" : ", without scripts";

  test(`phone: “Manage” folds what the owner may do, and the feeds are below the posts${how}`, async () => {
    const v = await visitor(sites.sample, { as: flo, ...phone, scripts, hand: "keyboard" });
    await v.open(path);
    for (const name of ["Settings", "Delete channel…"]) {
      assert.ok(!(await v.link(name).isVisible()), `${name} is not folded`);
    }
    const [last, feeds] = [await v.page.getByRole("article").last().boundingBox(), await v.link("Follow in a feed reader").boundingBox()];
    assert.ok(feeds.y > last.y + last.height, "the feeds are above the posts");
    await v.sees("Created", "and read again in winter.");
    await v.menu();
    await v.link("Settings").waitFor();
    await v.follow(v.link("Delete channel…"));
    await v.leave();
  });

  test(`phone: a post in the feed has its channel's name, and its time is next to its menu${how}`, async () => {
    const v = await visitor(sites.sample, { as: flo, ...phone, scripts });
    await v.open("/");
    const { name, covered } = await v.page.locator("article:has(.mine)").first().evaluate((post) => {
      const [ch, at, mine] = [".ch bdi", ".at time", ".mine .drop"].map((part) => post.querySelector(part).getBoundingClientRect());
      const box = post.querySelector(".in").getBoundingClientRect();
      return { name: Math.min(ch.right, box.right) - ch.left, covered: at.right > mine.left && at.top < mine.bottom && mine.top < at.bottom };
    });
    assert.ok(name > 20, `the name of the channel has ${name} px`);
    assert.ok(!covered, "the menu covers the time");
    if (scripts) await look(v, "phone-feed");
    await v.leave();
  });

  test(`phone: “Write” leads to the form, which grows with use and keeps what was typed${how}`, async () => {
    await flo.createChannel(`line.${scripts}`);
    await flo.post(`line.${scripts}`, "First");
    const v = await visitor(sites.sample, { as: flo, ...phone, scripts, hand: "keyboard" });
    v.expectRefusal(422, `/channels/line.${scripts}`);
    await v.open(`/channels/line.${scripts}`);
    assert.ok(!(await v.field("Title").isVisible()), "the title is not folded");
    await v.press(v.link("Write"));
    await v.page.locator("#text:focus").waitFor();
    const small = await v.field("Text").boundingBox();
    await v.fill({ Text: "Second", Title: "x".repeat(121) });
    const grown = await v.field("Text").boundingBox();
    assert.ok(grown.height > small.height, "the text has no more room than before");
    if (scripts) await look(v, "phone-compose");
    await v.press(v.button("Post"));
    await v.page.locator("#title[aria-invalid]:focus").waitFor();
    assert.equal(await v.field("Text").inputValue(), "Second");
    if (scripts) await v.page.reload();
    else await v.page.goBack();
    await v.field("Text").waitFor();
    assert.equal(await v.field("Text").inputValue(), "Second", "the browser kept what was typed");
    await v.leave();
  });
}

for (const scripts of [true, false]) {
  test(`phone: the header finds a channel and a person${scripts ? "" : ", without scripts"}`, async () => {
    for (const as of [undefined, flo]) {
      const v = await visitor(sites.sample, { as, ...phone, scripts });
      await v.open(path);
      await v.press(v.link("Search"));
      await v.page.locator("#seek:focus").waitFor();
      assert.ok((await v.page.locator("#seek").boundingBox()).y >= 0, "the field is above the screen");
      if (scripts) await look(v, `phone-find-${as ? "reader" : "anonymous"}`);
      await v.page.keyboard.type("flo");
      await Promise.all([v.page.waitForURL(/\/search\?q=flo/), v.page.keyboard.press("Enter")]);
      await v.link("flo_reader").waitFor();
      await v.leave();
    }
  });
}

test("phone: the head of a page has one line, however long the reader's name is", async () => {
  for (const name of ["flo_eight", "flo_eleven_x", "flo_".padEnd(32, "w")]) {
    const v = await visitor(sites.sample, { as: await signUp(sites.sample, name), ...phone });
    await v.open(path);
    const middles = await v.page.locator(".top :is(.brand, nav a, .find, .main, summary)").evaluateAll((all) => all.filter((part) => part.checkVisibility()).map((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return (top + bottom) / 2;
    }));
    assert.ok(Math.max(...middles) - Math.min(...middles) < 3, `the middles of its parts are at ${middles}`);
    await v.accountMenu();
    await v.link("Your page").waitFor();
    await v.button("Sign out").waitFor();
    await v.accountMenu();
    await look(v, `phone-head-${name.length}`);
    await v.leave();
  }
});

// A page whose text is twice as large is a page on half the width, since widths are in letters.
const screens = [["at 320 px", 320, 100], ["at 390 px with text at 200 %", 390, 200], ["at 320 px with text at 200 %", 320, 200]];

async function onScreen(site, as, width, text) {
  const v = await visitor(site, { as, width, height: 740, touch: true });
  const settings = await v.context.newCDPSession(v.page);
  await settings.send("Page.setFontSizes", { fontSizes: { standard: 16 * text / 100 } });
  return v;
}

// menusFit opens one menu after another, with what is folded in it. The page has at least so many.
async function menusFit(v, page, least) {
  const { opened, outside } = await v.page.evaluate((width) => {
    const drops = [...document.querySelectorAll(".drop")].filter((drop) => drop.checkVisibility());
    const outside = drops.flatMap((drop) => {
      const folds = [drop, ...drop.querySelectorAll("details")];
      for (const fold of folds) fold.open = true;
      const found = [...drop.querySelectorAll("div, a, button, input, summary, p")].filter((part) => part.checkVisibility())
        .map((part) => ({ part, ...part.getBoundingClientRect().toJSON() })).filter(({ left, right }) => left < 0 || right > width)
        .map(({ part, left, right }) => `${part.outerHTML} is from ${left} to ${right}`);
      if (document.documentElement.scrollWidth > width) found.push(`the page scrolls sideways: ${drop.outerHTML}`);
      for (const fold of folds) fold.open = false;
      return found;
    });
    return { opened: drops.length, outside };
  }, v.page.viewportSize().width);
  assert.deepEqual(outside, [], `on ${page}, outside the screen`);
  assert.ok(opened >= least, `${page} has ${opened} menus`);
}

describe("phone: no page is wider than the screen, and the header begins with the mark and stays on it", () => {
  for (const [how, width, text] of screens) {
    for (const who of ["a reader", "an anonymous client"]) {
      test(`${how}, for ${who}`, async () => {
        const post = await flo.post("garden.phone", "See https://example.org/a_b", "Onions");
        const v = await onScreen(sites.sample, who === "a reader" ? flo : undefined, width, text);
        const pages = ["/", "/latest", "/channels", path, `${path}?find=grows`, post, "/users/flo", "/digest", "/search?q=garden", "/keys", "/sign-up", "/sign-in"];
        if (who === "a reader") pages.push("/channels/new", "/write", "/subscriptions", "/account", `${path}/edit`, `${path}/delete`, `${post}/edit`);
        for (const page of pages) {
          await v.open(page);
          assert.equal(await v.page.evaluate(() => getComputedStyle(document.documentElement).fontSize), `${16 * text / 100}px`);
          const outside = await v.page.evaluate((width) => [...document.querySelectorAll(".top :is(.brand, nav a, .find, .button, summary)")]
            .filter((part) => part.checkVisibility() && (part.getBoundingClientRect().right > width || part.getBoundingClientRect().left < 0)).map((part) => part.outerHTML), width);
          assert.deepEqual(outside, [], `on ${page}, outside the screen`);
          const { x } = await v.page.locator(".brand").boundingBox();
          assert.ok(x <= 16, `on ${page}, the mark begins at x=${x}`);
          const wide = await v.page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${page} is ${wide} px wide`);
          const low = await v.page.evaluate(() => [...document.querySelectorAll("button:not(.plain), .button, .drop > summary, .foot a, .foot summary, select, input:not([type=checkbox], [type=radio])")]
            .filter((part) => part.checkVisibility() && part.getBoundingClientRect().width > 1 && part.getBoundingClientRect().height < 43.5).map((part) => part.outerHTML));
          assert.deepEqual(low, [], `on ${page}, less than 44 px high`);
          const thin = await v.page.evaluate(() => [...document.querySelectorAll("main :is(li, h2, h3) a")].filter((link) => link.checkVisibility()).filter((link) => {
            link.scrollIntoView({ block: "center" });
            const { left, right, top, bottom } = link.getClientRects()[0];
            const hits = Array.from({ length: 49 }, (_, i) => document.elementFromPoint((left + right) / 2, (top + bottom) / 2 + i - 24));
            return hits.filter((hit) => link.contains(hit)).length < 24;
          }).map((part) => part.outerHTML));
          assert.deepEqual(thin, [], `on ${page}, a finger hits less than 24 px of them`);
        }
        await v.leave();
      });
    }
  }

  test("and a preview is there as soon as there is text", async () => {
    const v = await visitor(sites.sample, { as: flo, ...phone });
    await v.open(path);
    assert.ok(!(await v.button("Preview").isVisible()), "there is nothing to preview");
    await v.fill({ Text: "Some **text**" });
    await v.press(v.button("Preview"));
    await v.page.locator(".preview strong").waitFor();
    await v.leave();
  });
});

describe("phone: what a menu holds is on the screen", () => {
  let site, owner, operator;
  before(async () => {
    site = await ownSite("web");
    [owner, operator] = [await signUp(site.url, "owner"), await signUp(site.url, "operator")];
    for (const name of ["Boats", "Regatta-2026-news"]) {
      await owner.createChannel(name);
      await owner.post(name, "Rowed.");
    }
    await site.kill();
    await site.start("web", "--operator", "operator");
  });
  after(() => site.remove());

  for (const [how, width, text] of screens) {
    for (const who of ["owner", "operator"]) {
      test(`${how}, for the ${who}`, async () => {
        const v = await onScreen(site.url, { owner, operator }[who], width, text);
        const pages = { "/latest": 3, "/channels/Boats": 3, "/channels/Regatta-2026-news": 3, "/digest": 2 };
        for (const [page, menus] of Object.entries(pages)) {
          await v.open(page);
          await menusFit(v, page, menus);
        }
        await v.leave();
      });
    }
  }
});
