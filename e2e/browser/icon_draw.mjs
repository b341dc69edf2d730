// The icons in static/ are the drawing static/favicon.svg in other sizes and formats.
// Chromium draws them. Run as a program, this file writes them:
//
//   node e2e/browser/icon_draw.mjs
//
// icon.test.mjs compares what is served with what it draws.

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const files = new URL("../../static/", import.meta.url);

// Systems cut their own shape out of an icon that is full. What matters in the drawing
// is within the circle of four fifths of the width that they all keep.
export const icons = [
  { name: "icon-192.png", size: 192 },
  { name: "icon-512.png", size: 512 },
  { name: "icon-maskable-512.png", size: 512, full: true },
  { name: "apple-touch-icon.png", size: 180, full: true },
];

export const drawing = () => readFile(new URL("favicon.svg", files), "utf8");

// draw runs in the page. It returns the drawing as a PNG of that size, in a data URL. A
// full one has no rounded corners.
export async function draw({ svg, size, full }) {
  const document = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (full) document.querySelector("rect").removeAttribute("rx");
  document.setAttribute("width", size);
  document.setAttribute("height", size);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(document.outerHTML)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(size, size);
  canvas.getContext("2d").drawImage(image, 0, 0, size, size);
  const blob = await canvas.convertToBlob({ type: "image/png" });
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(blob);
  });
}

const bytesOf = (url) => Buffer.from(url.slice(url.indexOf(",") + 1), "base64");

// ico wraps one PNG: a directory of one entry, and then the image.
function ico(png, size) {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // an icon
  head.writeUInt16LE(1, 4); // one image
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10); // planes
  head.writeUInt16LE(32, 12); // bits of a pixel
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

async function write() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const svg = await drawing();
  for (const { name, size, full } of icons) {
    await writeFile(new URL(name, files), bytesOf(await page.evaluate(draw, { svg, size, full })));
  }
  const small = await page.evaluate(draw, { svg, size: 32 });
  await writeFile(new URL("favicon.ico", files), ico(bytesOf(small), 32));
  await browser.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await write();
