// How a visitor uses the controls of a page: with a mouse or a keyboard.

import assert from "node:assert/strict";

// More stops than any page has.
const manyStops = 200;

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

async function tabTo(page, control) {
  await control.waitFor();
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
