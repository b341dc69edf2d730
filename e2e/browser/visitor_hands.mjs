// How a visitor uses the controls of a page: with a mouse or a keyboard.

import assert from "node:assert/strict";

// More stops than any page has.
const manyStops = 200;

// What comes before a control is passed as on any page, which takes a test long. So Tab begins this many stops before it;
// page.test.mjs goes through a whole page.
const near = 5;

const mouse = {
  // With noWaitAfter, playwright would not press again after it has kept a click from a
  // control that was put in another's place just before.
  press: (page, control) => control.click(),
  fill: (page, field, text) => field.fill(text),
};

// Only Tab reaches a control, and only keys use it.
const keyboard = {
  async press(page, control) {
    await tabTo(page, control);
    await page.keyboard.press(await control.getAttribute("type") === "checkbox" ? "Space" : "Enter");
  },
  async fill(page, field, text) {
    await tabTo(page, field);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(text);
  },
};

export const hands = { mouse, keyboard };

// tabTo presses Tab until the control has the focus, and begins at most so many stops before it.
export async function tabTo(page, control, before = near) {
  await control.waitFor();
  await control.evaluate(approach, before);
  for (let stop = 0; stop < manyStops; stop++) {
    const { here, shown } = await control.evaluate(focus);
    if (stop > 0) assert.ok(shown, "the focus is not visible");
    if (here) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${control}`);
}

// focus runs in the page: whether the control has the focus, and whether what has it
// shows that. The outline may be around the parent of the control. Behind the last
// control the body has the focus, without an outline.
function focus(control) {
  const outlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  };
  const { activeElement } = document;
  const shown = activeElement === document.body || outlined(activeElement) || outlined(activeElement.parentElement);
  return { here: control === activeElement, shown };
}

// approach runs in the page.
function approach(control, before) {
  const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter((stop) => stop.tabIndex >= 0 && !stop.disabled && stop.checkVisibility());
  const [here, there] = [document.activeElement, control].map((stop) => stops.indexOf(stop));
  if (here > there || here < there - before) stops[Math.max(0, there - before)]?.focus();
}
