// Reads the API reference as people do: finds an operation of any area, opens one of the largest area, and tries one. What that costs the
// browser is measured in the processor time of its main thread, which a busy machine does not change.
import assert from "node:assert/strict";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
// The limits, in seconds of processor time.
const usable = 2, opened = 0.3;
const costs = [];

async function meter(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(metric => metric.name === "TaskDuration").value;
  };
}

// cost fails the test where something took more than it may.
async function cost(spent, before, most, name) {
  const took = await spent() - before;
  costs.push(`${name} ${took.toFixed(2)} s`);
  assert.ok(took < most, `${name} took ${took} s of processor time`);
}

async function read(view) {
  const page = await openPage(browser, service, view, "about:blank");
  const spent = await meter(page);
  await page.goto(`${service.url}/docs`);
  await page.getByRole("heading", { level: 2, name: /^dispatchd / }).waitFor();
  await cost(spent, 0, usable, `${view}: usable`);
  await check(page, `${view}-docs-home`);
  await accessible(page, `${view}-docs-home`);

  const search = page.getByRole("searchbox", { name: "Search all operations" });
  let before = await spent();
  await search.fill("restore vehicle");
  await page.locator("#vehicles_restore_vehicle").waitFor();
  await cost(spent, before, opened, `${view}: found`);
  await check(page, `${view}-docs-found`);
  await search.fill("no such thing");
  await page.getByText("0 operations for").waitFor();
  await search.fill("");
  await page.getByRole("heading", { level: 2, name: /^dispatchd / }).waitFor();

  if (view !== "desk") await page.getByText("Areas", { exact: true }).click();
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: /^loads/ }).click();
  const one = page.locator("#loads_create_load");
  await one.waitFor();
  before = await spent();
  await one.locator("summary").first().click();
  await one.getByRole("heading", { name: "Request body" }).waitFor();
  await cost(spent, before, opened, `${view}: opened`);
  assert.equal(new URL(page.url()).hash, "#loads_create_load");
  await one.getByText("Fields of").first().click();
  await check(page, `${view}-docs-operation`);
  await accessible(page, `${view}-docs-operation`);

  await page.goto(`${service.url}/docs#companies_read_me`);
  const me = page.locator("#companies_read_me");
  await me.getByLabel("Token").fill(service.token);
  await me.getByRole("button", { name: "Send" }).click();
  await me.getByText(/^200 .* after \d+ ms$/).waitFor();
  await me.getByText(/owner@demo\.example/).waitFor();
  await check(page, `${view}-docs-tried`);
  await page.context().close();
}

try {
  for (const view of Object.keys(views)) await read(view);
} finally {
  await browser.close();
  await service.stop();
}
console.log(`docs: found, opened and tried operations (${costs.join(", ")})`);
