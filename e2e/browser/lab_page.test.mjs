// The lab: each of its pages, as everybody sees it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { key, known, lab, orphan, play, schedule, start } from "./lab_visitor.mjs";
import { look } from "./page_look.mjs";
import { phone } from "./visitor.mjs";

describe("lab: in order, wide and on a phone, is", () => {
  const pages = {
    "the index": "/lab",
    "the class": "/lab/class",
    "the handout": "/lab/class?handout=1",
    "what was handed in": `/lab/class?A1=${schedule}&A2=w1*4`,
    "the start of a level": start,
    "the end of the course": `/lab/again?s=${known("shut-gate")},w2*3,ann*6,w1*3`,
    "a run half way": `${start}?s=ann,olga*2,w1*2`,
    "a step that one went back to": `${start}?s=${schedule}&at=4`,
    "an invariant that is broken": `${start}?s=${schedule}`,
    "what fresh workers leave": `${start}?s=${schedule}&rest=1`,
    "a level that cannot be won any more": `${start}?s=ann,olga*2,w1*2,ann`,
    "a choice of faults": "/lab/late-copy?s=olga",
    "a solution that is shown": `${start}?s=${schedule}&at=5&show=1`,
    "a hint": `${start}?s=ann&hint=1`,
    "a condition that fails": "/lab/build?l=3&c=any",
    "a condition that holds": "/lab/build?l=5&c=version",
    "the code that ships": "/lab/post",
    "a long run": `/lab/own-gate?s=${known("own-gate")}`,
    "a delayed duplicate": `/lab/late-copy?s=${known("late-copy")}`,
    "a lease that ends": `/lab/shut-gate?s=${known("shut-gate")}`,
    "a run for a projector": "/lab/shut-gate?s=w1*12,w2*7&large=1",
    "the keys": "/keys",
  };
  for (const [name, path] of Object.entries(pages)) {
    test(name, async () => {
      const v = await lab(path);
      assert.equal(v.status, 200);
      await look(v, `lab-${name.replaceAll(" ", "-")}`);
      await v.leave();
    });
  }

  test("a run, whose lines wrap", async () => {
    const v = await lab(`${start}?s=${schedule}`);
    await v.page.setViewportSize(phone);
    const wide = await v.page.locator(".trail").evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth));
    assert.deepEqual(wide, [0, 0, 0]);
    await v.leave();
  });

  test("the index with a level that was won", async () => {
    const v = await lab();
    await play(v, orphan);
    await v.open("/lab");
    await v.page.locator("[data-won-mark]:visible").waitFor();
    await look(v, "lab-index-won");
    await v.leave();
  });

  test("what is folded, and the list of keys", async () => {
    const v = await lab("/lab/post?s=ann*2");
    await v.page.locator(".more > summary").click();
    await look(v, "lab-more");
    await key(v, "?");
    await v.page.getByRole("dialog").waitFor();
    await look(v, "lab-keys-here");
    await v.leave();
  });
});
