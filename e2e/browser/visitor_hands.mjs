// How a visitor uses the controls of a page: with a mouse or a keyboard.

import assert from "node:assert/strict";

// More stops than any page has.
const manyStops = 100;

const mouse = {
  // The visitor waits for the page that a click leads to.
  press: (page, control) => control.click({ noWaitAfter: true }),
  fill: (page, field, text) => field.fill(text),
};

// Only Tab reaches a control, and only keys use it.
const keyboard = {
  async press(page, control) {
    await tabTo(page, control);
    await page.keyboard.press("Enter");
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
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(showsFocus), "the focus is not visible");
  }
  assert.fail(`Tab does not lead to ${control}`);
}

// showsFocus runs in the page. The outline may be around the parent of the control.
// Behind the last control the body has the focus, without an outline.
function showsFocus() {
  const outlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  };
  const { activeElement } = document;
  return activeElement === document.body || outlined(activeElement) || outlined(activeElement.parentElement);
}
