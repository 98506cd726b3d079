// Inspects a vehicle and has its bill of lading signed as a driver does: on a phone that is without a network meanwhile, with the customer signing on
// another phone; and at the delivery without JavaScript. The customer follows it by a code.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service, usdot } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
const bills = (method, path, body) => service.ask(method, path, body, "bills_of_lading");

// A picture of one pixel.
const picture = join(service.data, "car.png");
await writeFile(picture, Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"));

// covered gives a load to a carrier, and returns the link of its driver.
async function covered() {
  const day = days => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const { load } = await service.ask("POST", "/quick_loads", {
    from: "75201", to: "33101", vehicles: ["1HGCM82633A004352"], customer: { name: "Ann Lee", phone: "214 555 0143" }, tariff: "1100.00", carrier_pay: "900.00", available_from: day(2),
  }, "loads");
  const [from, to] = load.stops;
  await service.ask("PATCH", `/loads/${load.uuid}/stops/${from.uuid}`, { venue: { line1: "1 Main St", name: "Lone Star Auto" } }, "loads");
  await service.ask("PATCH", `/loads/${load.uuid}/stops/${to.uuid}`, { contacts: [{ name: "Cy Ray", phones: ["+13055550143"] }] }, "loads");
  await service.ask("POST", `/loads/${load.uuid}/payment_plan/propose`, { template: "deposit_cod" }, "loads");
  for (const verb of ["book", "clear"]) await service.ask("POST", `/loads/${load.uuid}/${verb}`, {}, "loads");
  const carrier = await service.ask("POST", "/carriers", {
    legal_name: "Haul Co", usdot: usdot(), insurance: [{ kind: "cargo", insurer: "Sample Insurance", policy: "C-1", each_occurrence: "100000.00", expires: day(300), verified: day(-20) }],
  }, "carriers");
  await service.ask("POST", `/loads/${load.uuid}/cover`, { carrier_uuid: carrier.uuid, carrier_pay: "900.00" }, "loads");
  const { bols: [bol] } = await bills("POST", "/bols", { load_uuid: load.uuid });
  const { url } = await bills("POST", `/loads/${load.uuid}/driver_links`, {});
  return { load: load.uuid, bol: bol.uuid, url: new URL(url, service.url).href };
}

// draw draws on the field of a form.
async function draw(page, form) {
  const pad = form.locator("canvas");
  await pad.scrollIntoViewIfNeeded();
  const box = await pad.boundingBox();
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  for (let i = 0; i < 12; i++) await page.mouse.move(box.x + 20 + 15 * i, box.y + 20 + (i % 2) * 25);
  await page.mouse.up();
}

async function pickUp(view, { load, bol, url }) {
  const page = await openPage(browser, service, view, url);
  await page.getByText("Lone Star Auto").first().waitFor();
  await check(page, `${view}-driver`);
  await accessible(page, `${view}-driver`);
  await page.locator("rect[data-side=left]").click();
  const damage = page.locator("form[data-form=damages]");
  assert.equal(await damage.getByLabel("Side").inputValue(), "left", "a tap says where the damage is");
  await page.context().setOffline(true);
  await damage.getByLabel("Damage").selectOption("SC");
  await damage.getByRole("button", { name: "Note the damage" }).click();
  await page.getByText("1 entry is kept on this phone.").waitFor();
  await page.getByText("Add a photo").click();
  await page.getByLabel("Photo").setInputFiles(picture);
  await page.getByRole("button", { name: "Send the photo" }).click();
  await page.getByText("2 entries are kept on this phone.").waitFor();
  await check(page, `${view}-driver-offline`);
  assert.equal((await bills("GET", "/damages")).data.filter(one => one.bol_uuid === bol).length, 0);
  await page.context().setOffline(false);
  await page.getByText("SC: Scuffed, left").waitFor();
  await page.getByText("Photos: 1").waitFor();
  await page.getByRole("button", { name: "The inspection is complete" }).click();
  const form = page.locator("form", { has: page.getByRole("button", { name: "Sign as the driver" }) });
  await form.getByLabel("Name", { exact: true }).fill("Bo Hauler");
  await draw(page, form);
  await check(page, `${view}-driver-signs`);
  await form.getByRole("button", { name: "Sign as the driver" }).click();
  await page.getByText("Driver: Bo Hauler").waitFor();
  assert.deepEqual(page.problems.filter(text => !text.includes("ERR_INTERNET_DISCONNECTED")), [], "the page's policy lets in what the script needs");
  await page.context().close();

  const { url: signing } = await bills("POST", `/bols/${bol}/sign_links`, {});
  const customer = await openPage(browser, service, view, new URL(signing, service.url).href);
  await customer.getByText("SC: Scuffed, left").waitFor();
  await customer.getByLabel("Name", { exact: true }).fill("Ann Lee");
  await draw(customer, customer.locator("form"));
  await check(customer, `${view}-customer-signs`);
  await accessible(customer, `${view}-customer-signs`);
  await customer.getByRole("button", { name: "Sign", exact: true }).click();
  await customer.getByText("You have signed the bill of lading").waitFor();
  assert.deepEqual(customer.problems, []);
  await customer.context().close();
  const { data } = await bills("GET", `/signatures?filter[bol_uuid]=${bol}`);
  assert.deepEqual(data.map(one => [one.role, one.method, one.touchless]).sort(), [["driver", "drawn", false], ["releasing", "drawn", true]]);
  assert.ok(data.every(one => /^M\d+ \d+L/.test(one.strokes)));
  assert.equal((await service.ask("GET", `/loads/${load}`, undefined, "loads")).state, "picked_up");
}

// follow looks at the load as its customer does.
async function follow(view, { load }) {
  const tracking = (method, path, body) => service.ask(method, path, body, "tracking");
  await tracking("POST", "/positions", { load_uuid: load, positions: [{ at: new Date().toISOString(), position: { lat: 31.33, lng: -89.29 } }] });
  const { code } = await tracking("POST", `/loads/${load}/codes`, { delay_minutes: 0 });
  const page = await openPage(browser, service, view, `${service.url}/tracking/api/v1/code/${code}`);
  await page.getByText("Near Hattiesburg, MS").waitFor();
  assert.equal(await page.getByText("1 Main St").count(), 0);
  await check(page, `${view}-track`);
  await accessible(page, `${view}-track`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

async function deliver(view, { load, bol, url }) {
  const page = await openPage(browser, service, view, url, { javaScriptEnabled: false });
  await page.getByText("Note a damage").click();
  await page.locator("form[data-form=damages]").getByLabel("Damage").selectOption("CR");
  await page.getByRole("button", { name: "Note the damage" }).click();
  await page.getByText("CR: Cracked").waitFor();
  await page.getByText("Add a photo").click();
  await page.getByLabel("Photo").setInputFiles(picture);
  await page.getByRole("button", { name: "Send the photo" }).click();
  await page.getByText("Photos: 1").nth(1).waitFor();
  await page.getByRole("button", { name: "The inspection is complete" }).click();
  const driver = page.locator("form", { has: page.getByRole("button", { name: "Sign as the driver" }) });
  await driver.getByLabel("Name", { exact: true }).fill("Bo Hauler");
  await driver.getByRole("button").click();
  await page.getByText("No one is there to sign").click();
  await page.getByLabel("Why?").fill("Night drop");
  await page.getByRole("button", { name: "Go on without a signature" }).click();
  await page.getByText("All is signed.").waitFor();
  await check(page, `${view}-driver-delivered`);
  await page.context().close();
  assert.equal((await service.ask("GET", `/loads/${load}`, undefined, "loads")).state, "delivered");
  const { url: reading } = await bills("POST", `/bols/${bol}/shares`, {});
  const reader = await openPage(browser, service, view, new URL(reading, service.url).href);
  await reader.getByText("Received by: not available. Night drop").waitFor();
  await check(reader, `${view}-bol`);
  await accessible(reader, `${view}-bol`);
  await reader.context().close();
}

try {
  for (const view of Object.keys(views)) {
    const one = await covered();
    await pickUp(view, one);
    await follow(view, one);
    await deliver(view, one);
  }
  console.log(`drivers: vehicles inspected and bills of lading signed in ${Object.keys(views).length} windows, one of them without a network meanwhile`);
} finally {
  await browser.close();
  await service.stop();
}
