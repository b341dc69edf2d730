// How a visitor of the lab steps through a run.

import { readFileSync } from "node:fs";
import { sites, visitor } from "./visitor.mjs";

const records = JSON.parse(readFileSync(new URL("../../lab/modelcheck/known.json", import.meta.url)));

// known is the shortest run that the model checker has found in a scenario. It changes with the
// protocol, so no test writes it down.
export const known = (scenario) => records.find(({ name }) => name === scenario).schedule;

// The keys of a run that breaks A1: ann is 1, olga 2, the worker 3.
export const orphan = [..."122333133"];
export const schedule = "ann,olga*2,w1*3,ann,w1*2";
export const start = "/lab/A1";

export async function lab(path = start, options = {}) {
  const v = await visitor(sites.sample, options);
  await v.open(path);
  return v;
}

export const key = (v, name) => v.page.keyboard.press(name);
export const position = (v) => v.page.locator(".position");
export const actor = (v, name) => v.page.locator(`#actor-${name}`);
// On a phone, what an actor does next is at the bottom, and not on its card.
export const take = (v, name) => v.page.locator(`#actor-${name} .act:visible, .choices [data-key=choice-${name}]:visible`).first();
export const move = (v, name) => v.page.locator(`[data-move=${name}]`);
export const taken = (v) => new URL(v.page.url()).searchParams.get("s") ?? "";

// at waits until that step of so many is shown, and nothing is under way.
export async function at(v, step, of = step) {
  await position(v).getByText(`${step} of ${of}`).waitFor();
  await v.page.locator("main:not([aria-busy=true])").waitFor();
}

// mark lets a test check whether the page was loaded again.
export const mark = (v) => v.page.evaluate(() => { window.same = true; });
export const same = (v) => v.page.evaluate(() => window.same === true);

// play takes steps by keys.
export async function play(v, keys, before = 0) {
  for (const [i, name] of keys.entries()) {
    await key(v, name);
    await at(v, before + i + 1);
  }
}
