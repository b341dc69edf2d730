// How a visitor gets at the controls of a page.

import assert from "node:assert/strict";

// No page has more stops than this.
const manyStops = 100;

const mouse = {
  // What a click leads to is for the visitor to wait for.
  press: (page, control) => control.click({ noWaitAfter: true }),
  fill: (page, field, text) => field.fill(text),
};

// A keyboard has no way to a control but Tab, and none to use it but its keys.
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
    assert.ok(await page.evaluate(showsFocus), "nobody can see where the focus is");
  }
  assert.fail(`Tab does not lead to ${control}`);
}

// showsFocus runs in the page. A control may leave it to what surrounds it to
// show that it has the focus. Past the last control nothing has.
function showsFocus() {
  const outlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  };
  const { activeElement } = document;
  return activeElement === document.body || outlined(activeElement) || outlined(activeElement.parentElement);
}
