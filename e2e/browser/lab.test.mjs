// The lab: runs are stepped through in place, by mouse, by key, on a phone, and without
// scripts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { actor, at, key, known, lab, mark, move, orphan, play, same, schedule, start, take, taken } from "./lab_visitor.mjs";
import { phone, sites, visitor } from "./visitor.mjs";

test("lab: by keyboard alone one goes from the index to an invariant that is broken", async () => {
  const v = await lab("/lab", { hand: "keyboard" });
  await v.follow(v.page.getByRole("link", { name: /^Start: / }));
  assert.equal(v.path, start);
  await mark(v);
  await play(v, orphan);
  await v.sees("The invariant “no orphan post” is violated", "Won in 9 steps");
  assert.equal(taken(v), schedule);
  assert.ok(await same(v), "a step has loaded the page again");
  await v.leave();
});

test("lab: without scripts the same run is made of links", async () => {
  const v = await lab("/lab", { scripts: false });
  await v.follow(v.page.getByRole("link", { name: /^Start: / }));
  const names = { 1: "ann", 2: "olga", 3: "w1" };
  for (const number of orphan) await v.follow(take(v, names[number]));
  await v.sees("The invariant “no orphan post” is violated");
  assert.equal(taken(v), schedule);
  await v.leave();
});

// asServed asserts that the page shows what the server sends for its address. What scripts
// put in, and what is unfolded, may differ.
async function asServed(v) {
  const difference = await v.page.evaluate(async () => {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const [here, there] = [document, page].map((from) => {
      const main = from.querySelector("main").cloneNode(true);
      for (const e of main.querySelectorAll("[data-own]")) e.remove();
      for (const e of main.querySelectorAll("details")) e.removeAttribute("open");
      for (const e of main.querySelectorAll("a:not([href])")) e.removeAttribute("tabindex");
      for (const e of main.querySelectorAll("[data-step]")) e.classList.remove("lit");
      main.removeAttribute("style");
      main.removeAttribute("aria-busy");
      main.normalize();
      return main;
    });
    const differ = (a, b) => {
      if (a.isEqualNode(b)) return "";
      for (let i = 0; i < Math.max(a.childNodes.length, b.childNodes.length); i++) {
        const [x, y] = [a.childNodes[i], b.childNodes[i]];
        if (x?.nodeName !== y?.nodeName) break;
        if (!x.isEqualNode(y)) return differ(x, y);
      }
      return [a, b].map((e) => (e.outerHTML ?? e.data).slice(0, 400)).join("\nand not\n");
    };
    return differ(here, there);
  });
  assert.equal(difference, "");
}

describe("lab: a step in place", () => {
  test("shows what the server sends, however one got there", async () => {
    const v = await lab();
    await mark(v);
    await play(v, orphan);
    await asServed(v);
    for (const [name, step, of] of [["start", 0, 0]]) {
      await v.press(move(v, name));
      await at(v, step, of);
      await asServed(v);
    }
    await v.page.goBack();
    await at(v, 9);
    await asServed(v);
    for (let step = 8; step >= 4; step--) {
      await key(v, "ArrowLeft");
      await at(v, step, 9);
      await asServed(v);
    }
    await v.press(v.page.locator(".run a.step").first());
    await at(v, 1, 9);
    await asServed(v);
    await key(v, "u");
    await at(v, 0);
    await asServed(v);
    await play(v, ["1"]);
    await asServed(v);
    assert.ok(await same(v), "a step has loaded the page again");
    await v.leave();
  });

  test("touches only what differs", async () => {
    const v = await lab();
    await play(v, ["1", "2"]);
    await v.page.evaluate(() => {
      window.before = new Map([...document.querySelectorAll("main [data-key]")].map((e) => [e.dataset.key, { e, html: e.outerHTML }]));
      window.touched = [];
      new MutationObserver((records) => {
        for (const { target, type } of records) {
          const place = (target.closest ? target : target.parentElement)?.closest("[data-key]");
          if (place) window.touched.push({ name: place.dataset.key, type });
        }
      }).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await play(v, ["2"], 2);
    const { anew, unasked } = await v.page.evaluate(() => {
      const now = (name) => document.querySelector(`main [data-key="${CSS.escape(name)}"]`);
      return {
        anew: [...window.before].filter(([name, { e }]) => now(name) && now(name) !== e).map(([name]) => name),
        unasked: window.touched.filter(({ name, type }) => {
          const was = window.before.get(name);
          return was && was.html === now(name).outerHTML;
        }).map(({ name, type }) => `${name}: ${type}`),
      };
    });
    assert.deepEqual(anew, [], "made anew, although they were there");
    assert.deepEqual(unasked, [], "touched, although they do not differ");
    await v.leave();
  });

  for (const [how, size] of [["on a wide screen", {}], ["on a phone", phone]]) {
    test(`never moves what is under the pointer, ${how}`, async () => {
      const v = await lab(start, size);
      const names = { 1: "ann", 2: "olga", 3: "w1" };
      // The last step wins: no actor is left to be pressed.
      for (const [i, number] of orphan.slice(0, -1).entries()) {
        const button = take(v, names[number]);
        await button.hover();
        const before = await button.boundingBox();
        await v.page.mouse.down();
        await v.page.mouse.up();
        await at(v, i + 1);
        const after = await button.boundingBox();
        assert.ok(Math.abs(after.y - before.y) <= 1, `step ${i + 1} moved the button from y=${before.y} to ${after.y}`);
        assert.ok(Math.abs(after.x - before.x) <= 1, `step ${i + 1} moved the button from x=${before.x} to ${after.x}`);
      }
      await v.leave();
    });
  }

  for (const [how, size] of [["on a wide screen", {}], ["on a phone", phone]]) {
    test(`leaves the button that goes on in a solution under the pointer, ${how}`, async () => {
      const v = await lab(start, size);
      await v.press(move(v, "show-me"));
      await at(v, 0, 9);
      const next = v.page.locator("[data-move=show]");
      await next.hover();
      for (let step = 1; step < 9; step++) {
        const before = await next.boundingBox();
        await v.page.mouse.down();
        await v.page.mouse.up();
        await at(v, step, 9);
        const { y } = await next.boundingBox();
        assert.ok(Math.abs(y - before.y) <= 1, `step ${step} moved the button from y=${before.y} to ${y}`);
      }
      await v.leave();
    });
  }

  test("leaves the row under the pointer where it is when a key is pressed", async () => {
    const v = await lab(`${start}?s=ann,olga*2`, { height: 600 });
    const row = v.page.locator(".rows [data-key^=row-]").first();
    await row.hover();
    let { y: before } = await row.boundingBox();
    for (const name of ["3", "3", "3", "1", "ArrowLeft", "ArrowLeft", "u"]) {
      const was = v.page.url();
      await key(v, name);
      await v.page.waitForFunction((url) => location.href !== url, was);
      const { y } = await row.boundingBox();
      assert.ok(Math.abs(y - before) <= 1, `${name} moved the row from y=${before} to ${y}`);
      before = y;
    }
    await v.leave();
  });

  test("keeps the focus on its control, also when that leads nowhere any more", async () => {
    const v = await lab(start, { hand: "keyboard" });
    await v.press(take(v, "olga"));
    await at(v, 1);
    const focused = () => v.page.evaluate(() => document.activeElement.closest("[data-key]")?.dataset.key);
    assert.equal(await focused(), "actor-olga");
    await key(v, "Enter");
    await at(v, 2);
    assert.equal(await focused(), "actor-olga", "olga has finished");
    await v.press(move(v, "undo"));
    await at(v, 1);
    await key(v, "Enter");
    await at(v, 0);
    assert.equal(await v.page.evaluate(() => document.activeElement.dataset.move), "undo");
    await v.leave();
  });

  test("is told to a screen reader", async () => {
    const v = await lab();
    await play(v, ["1"]);
    const told = v.page.locator("body > [role=status]").first();
    await told.filter({ hasText: /^Step 1 of 1\. \S/ }).waitFor({ state: "attached" });
    await play(v, orphan.slice(1), 1);
    await told.filter({ hasText: /The invariant “no orphan post” is violated/ }).waitFor({ state: "attached" });
    await v.leave();
  });

  test("is in the history of the browser", async () => {
    const v = await lab("/lab");
    await v.open(start);
    await mark(v);
    await play(v, ["1", "2", "2"]);
    await v.page.goBack();
    await at(v, 2);
    assert.equal(taken(v), "ann,olga");
    await play(v, ["1"], 2);
    await v.page.goBack();
    await at(v, 2);
    await v.page.goForward();
    await at(v, 3);
    assert.equal(taken(v), "ann,olga,ann", "the fork is what comes after");
    for (const step of [2, 1, 0]) {
      await v.page.goBack();
      await at(v, step);
    }
    assert.ok(await same(v));
    await v.page.goBack();
    assert.equal(v.path, "/lab");
    await v.leave();
  });
});

describe("lab: two quick presses", () => {
  // held keeps the answers back until release is called. asked is when the first request comes.
  async function held(v) {
    const waiting = [];
    let free = false, first;
    const asked = new Promise((resolve) => { first = resolve; });
    await v.page.route(/\/lab\/A1\?/, (route) => {
      if (free) return route.continue();
      waiting.push(route);
      first();
    });
    return { waiting, asked, release: () => { free = true; waiting.splice(0).forEach((route) => route.continue()); } };
  }

  test("are two steps", async () => {
    const v = await lab();
    const { waiting, asked, release } = await held(v);
    await take(v, "olga").dblclick();
    await asked;
    await v.page.waitForFunction(() => document.querySelector("main").ariaBusy === "true");
    assert.equal(waiting.length, 1, "concurrent requests");
    await v.page.getByText("Working…").waitFor(); // told to a screen reader, and shown
    assert.equal(await v.page.evaluate(() => getComputedStyle(document.querySelector("main"), "::after").visibility), "visible");
    release();
    await at(v, 2);
    assert.equal(taken(v), "olga*2");
    await v.page.goBack();
    await at(v, 1);
    await v.leave();
  });

  test("on one step of the run lead there once", async () => {
    const v = await lab(`${start}?s=${schedule}`);
    const { release } = await held(v);
    await v.page.locator("a[data-step]").nth(2).dblclick();
    release();
    await at(v, 3, 9);
    await v.page.goBack();
    await at(v, 9);
    await v.leave();
  });

  test("are forgotten when one goes back meanwhile", async () => {
    const v = await lab();
    await play(v, ["1"]);
    const { release } = await held(v);
    await take(v, "olga").dblclick();
    await v.page.evaluate(() => history.back());
    await v.page.waitForURL((url) => !url.search);
    release();
    await at(v, 0);
    assert.equal(taken(v), "");
    await v.leave();
  });
});

test("lab: a step that fails is left to the browser", async () => {
  const v = await lab();
  await mark(v);
  await v.page.route(/\/lab\/A1\?/, (route) => (route.request().resourceType() === "fetch" ? route.abort() : route.continue()));
  await v.follow(take(v, "ann"));
  v.complaints.length = 0; // that a request failed
  await at(v, 1);
  assert.ok(!await same(v));
  assert.equal(taken(v), "ann");
  await v.leave();
});

test("lab: a state is asked for again while the lab is busy", async () => {
  const v = await lab();
  await mark(v);
  v.expectRefusal(503, start);
  let busy = 2;
  await v.page.route(/\/lab\/A1\?/, (route) => (busy-- > 0 ? route.fulfill({ status: 503, headers: { "Retry-After": "0.1" } }) : route.continue()));
  await v.press(take(v, "ann"));
  await at(v, 1);
  assert.ok(await same(v), "the page was loaded again");
  await v.leave();
});

test("lab: a state that the server refuses is shown as it says", async () => {
  const v = await lab();
  await v.page.evaluate(() => { document.querySelector("#actor-ann a.act").href = "/lab/A1?s=eve"; });
  v.expectRefusal(400, start);
  await v.follow(take(v, "ann"));
  assert.equal(v.status, 400);
  await v.sees("no run of the level");
  await v.leave();
});

test("lab: a fault is chosen by keyboard", async () => {
  const v = await lab("/lab/A3", { hand: "keyboard" });
  await key(v, "Shift+Digit1");
  // The page may still be loading what handles the first key.
  await v.page.waitForFunction(() => document.activeElement.closest(".faults"));
  await key(v, "Enter");
  await at(v, 1);
  assert.match(taken(v), /^\w+:/);
  assert.ok(await v.page.evaluate(() => document.activeElement !== document.body), "the focus is lost");
  await v.leave();
});

describe("lab: keys", () => {
  test("step back and forth, and undo", async () => {
    const v = await lab(`${start}?s=${schedule}`);
    for (const [name, step, of] of [["ArrowLeft", 8, 9], ["ArrowLeft", 7, 9], ["ArrowRight", 8, 9], ["u", 7, 7]]) {
      await key(v, name);
      await at(v, step, of);
    }
    await v.leave();
  });

  test("are listed above the page, and on the page of keys", async () => {
    const v = await lab();
    await key(v, "?");
    const list = v.page.getByRole("dialog", { name: "Keys in the lab" });
    await list.waitFor();
    const listed = await list.locator("kbd").allInnerTexts();
    assert.deepEqual(listed, ["→", "←", "u", "1–9", "Shift 1–9", "/", "?"]);
    await key(v, "1");
    await v.press(list.getByRole("button", { name: "Close" }));
    assert.equal(taken(v), "", "a key has reached the page behind the list");
    await v.open("/keys");
    assert.deepEqual(await v.page.locator("#lab-keys kbd").allInnerTexts(), listed);
    await v.leave();
  });

  test("do nothing with a modifier, in a field, or turned off", async () => {
    const v = await lab();
    for (const name of ["Control+1", "Alt+2", "Meta+u"]) await key(v, name);
    await v.page.evaluate(() => document.querySelector("main").append(document.createElement("input")));
    await v.page.locator("main input").press("1");
    assert.equal(await v.page.locator("main input").inputValue(), "1");
    await v.open("/keys");
    await v.press(v.button("Turn the keys off"));
    await v.open(start);
    for (const name of ["1", "?"]) await key(v, name);
    await v.press(take(v, "olga"));
    await at(v, 1);
    assert.equal(taken(v), "olga");
    assert.equal(await v.page.getByRole("dialog").count(), 0);
    await v.leave();
  });
});

test("lab: each command and schedule has one button that copies it, wherever one steps", async () => {
  const v = await lab();
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const labels = () => v.page.locator(".share button").allInnerTexts();
  await v.press(v.page.locator(".more > summary"));
  assert.deepEqual(await labels(), ["Copy the command"]);
  await play(v, ["1"]);
  assert.deepEqual(await labels(), ["Copy the command", "Copy the schedule"]);
  await play(v, ["2"], 1);
  await v.press(v.button("Copy the schedule"));
  await v.sees("Copied.");
  assert.equal(await v.page.evaluate(() => navigator.clipboard.readText()), "ann,olga");
  await v.page.goBack();
  await at(v, 1);
  assert.ok(!await v.page.getByText("Copied.").isVisible());
  await v.page.goBack();
  await at(v, 0);
  assert.deepEqual(await labels(), ["Copy the command"]);
  await v.leave();
});

// inSight waits until something is neither above nor below what is seen.
const inSight = (v, selector) => v.page.waitForFunction((wanted) => {
  const { top, bottom } = document.querySelector(wanted).getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}, selector, { timeout: 3000 });

describe("lab: on a phone", () => {
  const touch = { ...phone, touch: true };

  test("the verdict comes into sight when a run is won, and the focus with it", async () => {
    const v = await lab(`${start}?s=ann,olga*2,w1*3,ann`, touch);
    await v.press(take(v, "w1"));
    await at(v, 8);
    const { y } = await take(v, "w1").boundingBox();
    assert.ok(y > 0 && y < phone.height, "the control under the finger is out of sight");
    await v.press(take(v, "w1"));
    await at(v, 9);
    await inSight(v, ".say .headline");
    assert.equal(await v.page.evaluate(() => document.activeElement.id), "say");
    await v.leave();
  });

  test("the verdict comes into sight when a run ends without being won", async () => {
    const v = await lab(`${start}?s=ann*2,olga*2,w1*5`, touch);
    while (await v.page.locator(".choices [data-key=choice-w1][href]").count()) {
      const was = v.page.url();
      await v.press(take(v, "w1"));
      await v.page.waitForFunction((url) => location.href !== url, was);
      await v.page.locator("main:not([aria-busy=true])").waitFor();
    }
    await inSight(v, ".say .headline");
    await v.leave();
  });

  test("the sentence about a step is in sight, wherever the step is made", async () => {
    const v = await lab(start, touch);
    for (const [i, name] of ["ann", "olga", "olga", "w1", "w1", "w1"].entries()) {
      await v.press(take(v, name));
      await at(v, i + 1);
      await inSight(v, ".say .response");
    }
    await v.leave();
  });

  test("the first choice is above the fold", async () => {
    for (const level of ["A1", "late-copy", "shut-gate", "join"]) {
      const v = await lab(`/lab/${level}`, touch);
      const { bottom, moves } = await v.page.evaluate(() => ({
        bottom: document.querySelector(".choices .act").getBoundingClientRect().bottom, moves: document.querySelector(".moves").getBoundingClientRect().top,
      }));
      assert.ok(bottom > 0 && bottom <= moves, `${level}: the first choice ends at ${bottom}, below ${moves}`);
      await v.leave();
    }
  });

  for (const scripts of [true, false]) {
    test(`the story comes before the actors, and each choice stays at the bottom, ${scripts ? "with" : "without"} scripts`, async () => {
      for (const path of ["/lab/own-gate?s=olga*2,w1*4", "/lab/shut-gate", "/lab/A1?s=ann,olga*2,w1*2,ann", "/lab/late-copy?s=olga,olga:copied"]) {
        const v = await lab(path, { width: 390, height: 844, touch: true, scripts });
        const top = (selector) => v.page.locator(selector).first().evaluate((e) => e.getBoundingClientRect().top);
        assert.ok(await v.page.locator(".choices .act[href]:visible").count() > 0, `${path}: no choice`);
        assert.ok(await top(".says") < await top(".scene") && await top(".scene") < await top(".card"), `${path}: the story is not first`);
        for (const down of [0, 0.5, 1]) {
          const faults = await v.page.evaluate((part) => {
            scrollTo({ top: part * document.documentElement.scrollHeight, behavior: "instant" });
            const bar = document.querySelector(".moves").getBoundingClientRect();
            return [...document.querySelectorAll(".choices .act")].map((e) => ({ e, box: e.getBoundingClientRect() }))
              .filter(({ e, box }) => box.height < 44 || box.top < 0 || box.bottom > bar.top || !e.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)))
              .map(({ e, box }) => `${e.innerText}: ${box.top} to ${box.bottom}, above ${bar.top}`);
          }, down);
          assert.deepEqual(faults, [], `${path}, ${down} of the way down`);
        }
        await v.leave();
      }
    });
  }

  test("nothing that has the focus is behind what stays at the bottom, and the foot can be read", async () => {
    const v = await lab("/lab/own-gate?s=olga*2,w1*4", { width: 390, height: 844, touch: true });
    await v.page.locator(".more > summary").click();
    const hidden = await v.page.evaluate(() => {
      const links = [...document.querySelectorAll("main :is(a[href], summary), .foot :is(a[href], summary)")].filter((e) => e.checkVisibility() && e.getClientRects().length > 0);
      return links.filter((e) => {
        e.focus();
        const box = e.getClientRects()[0];
        return !e.contains(document.elementFromPoint(box.x + Math.min(box.width, 20) / 2, box.y + box.height / 2));
      }).map((e) => e.outerHTML.slice(0, 120));
    });
    assert.deepEqual(hidden, []);
    await v.leave();
  });
});

test("lab: a chip leads to what its invariant demands, and whether it holds", async () => {
  const v = await lab();
  await v.press(v.page.locator("a.chip").first());
  const invariant = v.page.locator("[data-key=invariant-A1]");
  await invariant.waitFor();
  assert.match(await invariant.innerText(), /no orphan post[^]*When the system is idle, no post is left[^]*Here it is open/);
  await v.leave();
});

describe("lab: the run", () => {
  const keys = { olga: "1", w1: "2" };
  const fence = known("own-gate").split(",").flatMap((part) => {
    const [name, n = 1] = part.split("*");
    return Array(Number(n)).fill(name);
  });

  for (const hand of ["mouse", "keyboard"]) {
    test(`is in sight at 1280 x 720 after each step by ${hand}, with the goal, the cards and the response`, async () => {
      const v = await lab("/lab/own-gate", { width: 1280, height: 720, hand });
      for (const [i, name] of fence.entries()) {
        if (hand === "mouse") await take(v, name).click();
        else await key(v, keys[name]);
        await at(v, i + 1);
        const out = await v.page.evaluate(() => [".goal", ".say", ".cards", ".run .trail"].filter((selector) => {
          const part = document.querySelector(selector)?.getBoundingClientRect();
          return part && (part.top < 0 || part.bottom > innerHeight);
        }));
        assert.deepEqual(out, [], `step ${i + 1}`);
      }
      assert.equal(await v.page.locator(".trail .step.did").count(), 1);
      assert.match(await v.page.locator(".trail .step.idle.bad").innerText(), /No actor can go on/);
      await v.leave();
    });
  }

  test("leads to each step, fits a phone, and shows whose steps a link chooses", async () => {
    const v = await lab(`${start}?s=${schedule}`);
    await v.page.locator(".trail a[data-step='4']").click();
    await at(v, 4, 9);
    await v.page.setViewportSize(phone);
    const fits = await v.page.locator(".run .trail").evaluate((lines) => {
      const { left, right } = lines.getBoundingClientRect();
      return [...lines.querySelectorAll("*")].every((part) => {
        const box = part.getBoundingClientRect();
        return box.left >= left - 5 && box.right <= right + 5;
      });
    });
    assert.ok(fits, "something sticks out");
    await v.press(v.page.locator(".filter", { hasText: /^olga$/ }));
    await v.page.waitForFunction(() => document.querySelectorAll(".run a.step").length === 2);
    await v.leave();
  });

  test("lights up a step with the rows that it has touched, and a card with its call", async () => {
    const v = await lab(`${start}?s=ann,olga*2`);
    await v.page.locator(".run a[data-step='2']").hover();
    assert.deepEqual(await v.page.locator(".store .lit .name").allInnerTexts(), ["channel “news”"]);
    await actor(v, "ann").hover();
    const lit = await v.page.locator(".use.of-1").evaluateAll((all) => all.map((e) => getComputedStyle(e).boxShadow !== "none"));
    assert.deepEqual(lit, [true]);
    await v.leave();
  });

  test("is large for a projector, step by step", async () => {
    const v = await lab(`${start}?s=ann,olga&large=1`, { width: 1920, height: 1080 });
    await key(v, "2");
    await at(v, 3);
    assert.match(v.page.url(), /large=1/);
    const sizes = await v.page.locator(".act b, .run .step").evaluateAll((all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize)));
    assert.ok(sizes.every((size) => size >= 19), `${sizes} px`);
    const { bottom } = await v.page.evaluate(() => document.querySelector(".cards").getBoundingClientRect());
    assert.ok(bottom <= 1080, "the cards are out of sight");
    assert.ok(!await v.page.locator(".top").isVisible());
    await v.leave();
  });
});

test("lab: with reduced motion nothing moves", async () => {
  const v = await lab();
  await v.page.emulateMedia({ reducedMotion: "reduce" });
  for (const [i, name] of orphan.entries()) {
    await key(v, name);
    await at(v, i + 1);
    const moving = await v.page.evaluate(() => document.getAnimations().map((a) => a.effect.target.outerHTML.slice(0, 100)));
    assert.deepEqual(moving, []);
  }
  assert.equal(await v.page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), "auto");
  await v.leave();
});

test("lab: on a phone the name of a row is not broken into letters by what comes next", async () => {
  const v = await lab("/lab/expected?s=ann", phone);
  const { width, height } = await v.page.locator(".store .name", { hasText: /^channel “news”$/ }).boundingBox();
  assert.ok(width > height, `${width} by ${height} px`);
  await v.leave();
});

test("lab: on a wide screen a row's content is not broken into letters by what comes next", async () => {
  const v = await lab("/lab/workers-die", { width: 1280, height: 800 });
  const { width, height } = await v.page.locator(".store .name", { hasText: /^message: delete incarnation 1$/ }).boundingBox();
  assert.ok(width > height, `${width} by ${height} px`);
  await v.leave();
});

test("lab: on a phone one can search, and what is left is within the bar", async () => {
  const v = await lab("/lab/workers-die", phone);
  await move(v, "search").waitFor();
  const [bar, left] = await Promise.all([".moves", ".budget"].map((part) => v.page.locator(part).boundingBox()));
  assert.ok(left.y > bar.y && left.y + left.height < bar.y + bar.height, JSON.stringify([bar, left]));
  await v.leave();
});

test("lab: on a phone the invariants are counted where any of them will do", async () => {
  const v = await lab("/lab/again", phone);
  assert.match(await v.page.locator(".goal").innerText(), /\d+ invariants/);
  await v.leave();
});

test("lab: a level on paper has its run, its rows, the last answer and the code, and nothing to press", async () => {
  const v = await lab();
  const says = {
    "s=ann,olga*2,w1*2": "Mark the channel that has the name", "s=ann,olga*2,w1*2,ann": "From here the invariant holds, whatever you do",
    [`s=${schedule}`]: "is violated", "s=ann,olga*2&large=1": "Send a message to the workers",
  };
  for (const [run, answer] of Object.entries(says)) {
    await v.open(`${start}?${run}`);
    await v.page.emulateMedia({ media: "print" });
    const seen = await v.page.evaluate(() => {
      const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height > 0);
      return {
        pressed: shown("button, .button, :not(.whole) > summary, .act, .also, .faults, .moves, .helps, .switch, .nudge, .reach a, .share a").map((e) => e.outerHTML.slice(0, 80)),
        drawn: shown(".trail .step").length, rows: shown(".store li").length, answer: document.querySelector(".say").innerText,
        code: shown(".card.about-to-call").length === shown(".whole .code").length, beyond: document.documentElement.scrollWidth - innerWidth,
      };
    });
    assert.deepEqual(seen.pressed, [], run);
    assert.ok(seen.drawn > 2 && seen.rows > 2 && seen.answer.includes(answer) && seen.code && seen.beyond <= 0, `${run}: ${JSON.stringify(seen)}`);
    if (process.env.SCREENSHOTS) await v.page.screenshot({ path: `artifacts/print-lab-${run.length}.png`, fullPage: true });
    await v.page.emulateMedia({ media: null });
  }
  await v.leave();
});

describe("lab: what was won", () => {
  const mark = (v, level) => v.page.locator(`[data-level="${level}"] [data-won-mark]`);
  const line = (v) => v.page.locator("[data-progress]");

  test("is remembered in the browser until one wants it forgotten", async () => {
    const v = await lab();
    await play(v, orphan);
    await v.open("/lab");
    assert.match(await mark(v, "A1").innerText(), /won in 9/);
    assert.match(await line(v).innerText(), /You have won 1 of \d+/);
    assert.ok(!await mark(v, "A2").isVisible());
    await v.open(start);
    await play(v, ["1", "2"]);
    await key(v, "u");
    await at(v, 1);
    await v.open("/lab");
    assert.match(await mark(v, "A1").innerText(), /won in 9/);
    await v.press(v.button("Forget that"));
    assert.ok(!await mark(v, "A1").isVisible());
    await v.press(v.button("Undo"));
    assert.match(await mark(v, "A1").innerText(), /won in 9/);
    await v.press(v.button("Forget that"));
    await v.page.reload();
    assert.ok(!await mark(v, "A1").isVisible());
    assert.ok(!await line(v).isVisible());
    await v.leave();
  });

  test("is where the index goes on, and can be handed in", async () => {
    const v = await lab("/lab");
    const goOn = v.page.locator("[data-go-on]");
    assert.match(await goOn.innerText(), /^Start: A post without/);
    await v.open(start);
    await play(v, orphan);
    await v.open("/lab");
    assert.match(await goOn.innerText(), /^Continue: Build 1/);
    assert.equal(await goOn.getAttribute("href").then((href) => new URL(href, v.page.url()).pathname), "/lab/build");
    await v.open("/lab/class?handout=1");
    assert.match(await line(v).innerText(), /You have won 1 of 12/);
    await v.press(v.page.getByRole("link", { name: "What to hand in" }));
    await v.sees("Checked: 1 of 1 won");
    assert.equal(new URL(v.page.url()).search, `?A1=${schedule}`);
    await v.open("/lab");
    await v.press(v.button("Forget that"));
    assert.match(await goOn.innerText(), /^Start: A post without/);
    await v.leave();
  });

  test("counts also if it was remembered without its run", async () => {
    const v = await lab("/lab");
    await v.page.evaluate(() => localStorage.setItem("lab", '{"A1":9}'));
    await v.page.reload();
    assert.match(await mark(v, "A1").innerText(), /won in 9/);
    assert.equal(await v.page.getByRole("link", { name: "What to hand in" }).count(), 0);
    await v.open(start);
    await play(v, orphan);
    await v.open("/lab");
    assert.equal(await v.page.getByRole("link", { name: "What to hand in" }).count(), 1);
    await v.leave();
  });

  test("is also a condition that was checked and holds, and not one that fails or was only looked at", async () => {
    const v = await lab("/lab/build?l=1&c=version");
    const check = async (condition) => {
      await v.open("/lab/build?l=1");
      await v.press(v.page.getByRole("radio", { name: condition }));
      await v.press(v.button("Check all states"));
      await v.page.locator("[data-verdict]").waitFor();
      await v.open("/lab");
    };
    await v.open("/lab");
    assert.ok(!await mark(v, "build-1").isVisible());
    await check("the channel exists");
    assert.ok(!await mark(v, "build-1").isVisible());
    await check("the channel has the version that Ann read");
    assert.equal(await mark(v, "build-1").innerText(), "✓ built");
    assert.match(await line(v).innerText(), /You have won 1 of \d+/);
    await v.press(v.page.getByRole("link", { name: "What to hand in" }));
    await v.sees("Checked: 1 of 1 won");
    assert.equal(new URL(v.page.url()).search, "?build-1=version");
    await v.leave();
  });

  test("is also what one has run on to", async () => {
    const v = await lab();
    const runOn = (name) => v.press(actor(v, name).locator("[data-run]"));
    await play(v, ["1"]);
    await runOn("olga");
    await at(v, 3);
    await play(v, ["3", "3", "3", "1"], 3);
    await runOn("w1");
    await at(v, 9);
    await v.sees("The invariant “no orphan post” is violated");
    await v.open("/lab");
    assert.match(await mark(v, "A1").innerText(), /won in 9/);
    await v.leave();
  });

  test("is not what was only looked at", async () => {
    const v = await lab(`${start}?s=${schedule}`);
    await v.open(start);
    await v.press(move(v, "show-me"));
    await at(v, 0, 9);
    for (let step = 1; step <= 9; step++) {
      await key(v, "ArrowRight");
      await at(v, step, 9);
    }
    await v.open("/lab");
    assert.ok(!await mark(v, "A1").isVisible());
    await v.leave();
  });

  test("is told where the browser keeps nothing, and all else works", async () => {
    const v = await visitor(sites.sample);
    await v.page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
      }
    });
    await v.open(start);
    await play(v, orphan);
    await v.sees("The invariant “no orphan post” is violated");
    await v.open("/lab");
    await v.sees("This browser keeps nothing for this site");
    await v.leave();
  });
});
