// Chromium, and what every page has to keep to.
import assert from "node:assert/strict";
import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// pictures is the folder for pictures of the pages, undefined for none.
export const pictures = process.env.SCREENSHOTS;
// views are the windows in which pages are looked at.
export const views = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  desk: { viewport: { width: 1280, height: 800 } },
  dark: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2, colorScheme: "dark" },
};

const executable = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(path => {
  try { accessSync(path, constants.X_OK); return true; } catch { return false; }
});
if (!executable) throw new Error("there is no Chromium: install chromium, or name it in CHROMIUM");

export const launch = () => chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// openPage opens a page of a service; what its console says against it fails the test, as does what axe finds or a page that is too wide.
export async function openPage(browser, service, view, url, options = {}) {
  const context = await browser.newContext({ ...views[view], ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", message => {
    // Chromium says so of each answer that is an error.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.problems.push(message.text());
  });
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("requestfailed", request => { if (!request.url().startsWith(service.url)) page.problems.push(request.url()); });
  page.answer = await page.goto(url);
  return page;
}

// check looks at a page, which loads nothing from elsewhere but from some origins.
export async function check(page, name, origins = []) {
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }
  assert.deepEqual(page.problems, [], name);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is no wider than its window`);
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(entry => entry.name).filter(one => !one.startsWith(location.origin)));
  assert.deepEqual(loaded.filter(one => !origins.includes(new URL(one).origin)), [], name);
}

export async function accessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate("axe.run()");
  assert.deepEqual(violations.map(one => `${one.id}: ${one.nodes.map(node => node.html).join(" ")}`), [], name);
}
