// Answers offers of loads by links as carriers do: one is haggled over and accepted, without JavaScript, then the carrier says who comes, and gives the
// load back; another one is declined.
import assert from "node:assert/strict";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service, usdot } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
const dispatches = (method, path, body) => service.ask(method, path, body, "dispatches");

await dispatches("PATCH", "/settings", { identity_code: "off", usdot: "1234567", docket: "MC-654321", phone: "+12025550100", terms: "The carrier is there on the agreed day.\nIt does not give the load to anybody else." });

// offer offers a load, which is ready, to a carrier.
async function offer() {
  const day = days => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const { load } = await service.ask("POST", "/quick_loads", {
    from: "75201", to: "33101", vehicles: ["1HGCM82633A004352", "2012 BMW X6 INOP"], customer: { name: "Ann Lee", phone: "214 555 0143" }, tariff: "1100.00", carrier_pay: "900.00",
    available_from: day(2),
  }, "loads");
  const [from, to] = load.stops;
  await service.ask("PATCH", `/loads/${load.uuid}/stops/${from.uuid}`, { venue: { line1: "1 Main St", name: "Ann's garage" }, contacts: [{ name: "Ann Lee", phones: ["+12145550143"] }], window: { from: day(2), to: day(6) } }, "loads");
  await service.ask("PATCH", `/loads/${load.uuid}/stops/${to.uuid}`, { window: { from: day(4), to: day(12) } }, "loads");
  await service.ask("PATCH", `/loads/${load.uuid}`, { instructions_carrier: "Call 24 hours before the pickup." }, "loads");
  await service.ask("POST", `/loads/${load.uuid}/payment_plan/propose`, { template: "deposit_cod" }, "loads");
  for (const verb of ["book", "clear"]) await service.ask("POST", `/loads/${load.uuid}/${verb}`, {}, "loads");
  const carrier = await service.ask("POST", "/carriers", {
    legal_name: "Haul Co", usdot: usdot(), insurance: [{ kind: "cargo", insurer: "Sample Insurance", policy: "C-1", each_occurrence: "100000.00", expires: day(300), verified: day(-20) }],
  }, "carriers");
  const made = await dispatches("POST", "/offers", { load_uuid: load.uuid, carrier_uuids: [carrier.uuid], message: "A good one, on your way home." });
  assert.deepEqual(made.refused, []);
  const [{ offer: { uuid }, share: { url } }] = made.offers;
  return { load: load.uuid, uuid, url: new URL(url, service.url).href, pickup: day(3), delivery: day(6) };
}

const state = async uuid => (await dispatches("GET", `/offers/${uuid}`)).state;

async function decline(view) {
  const { uuid, url } = await offer();
  const page = await openPage(browser, service, view, url);
  await page.getByText("A good one, on your way home.").waitFor();
  await check(page, `${view}-carrier-offer`);
  await accessible(page, `${view}-carrier-offer`);
  assert.equal(await page.getByText("1 Main St").count(), 0, "no street before it has accepted");
  await page.getByText("No, thank you").click();
  await page.getByLabel("What made you decline?").fill("Too far.");
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText("You have declined this offer.").waitFor();
  const said = await dispatches("GET", `/offers/${uuid}`);
  assert.equal(said.end_reason, "Too far.");
  assert.ok(said.first_viewed_at, "the script says that the page was shown");
  assert.deepEqual(page.problems, [], "the page's policy lets in what the script needs");
  await page.context().close();
}

async function carry(view) {
  const { load, uuid, url, pickup, delivery } = await offer();
  const page = await openPage(browser, service, view, url, { javaScriptEnabled: false });
  await page.getByText("Ask for something else").click();
  await page.getByRole("textbox", { name: "Pay" }).fill("950.00");
  await page.getByRole("button", { name: "Send the counter" }).click();
  await page.getByText("We have your counter, and will answer.").waitFor();
  await check(page, `${view}-carrier-countered`);
  await dispatches("POST", `/offers/${uuid}/counter`, { shown: 2, amount: "925.00" });
  await page.goto(url);
  await page.getByText("$925.00", { exact: true }).waitFor();
  const form = page.locator("form", { has: page.getByRole("button", { name: "Accept this load" }) });
  await form.getByLabel("Day of the pickup").fill(pickup);
  await form.getByLabel("Day of the delivery").fill(delivery);
  await form.getByRole("textbox", { name: "Driver (optional)", exact: true }).fill("Bo Hauler");
  await form.getByLabel("Your name").fill("Bo Hauler");
  await form.getByLabel("I accept this load").check();
  await form.getByRole("button", { name: "Accept this load" }).click();
  await page.getByText("The load is yours.").waitFor();
  await page.getByText("1 Main St").waitFor();
  await check(page, `${view}-carrier-has`);
  const twin = await openPage(browser, service, view, url);
  await accessible(twin, `${view}-carrier-has`);
  await twin.context().close();
  await page.getByRole("textbox", { name: "Truck (optional)", exact: true }).fill("Unit 12");
  await page.getByLabel("At the pickup, local time").fill(`${pickup}T14:30`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The load is yours.").waitFor();
  assert.equal(await page.getByLabel("At the pickup, local time").inputValue(), `${pickup}T14:30`);
  const had = (await dispatches("GET", `/dispatches?filter[load_uuid]=${load}`)).data[0];
  assert.deepEqual([had.state, had.carrier_pay, had.driver_name, had.truck], ["accepted", "925.00", "Bo Hauler", "Unit 12"]);
  await page.getByText("Give the load back").first().click();
  await page.getByLabel("Why?").selectOption({ label: "The truck broke down" });
  await page.getByRole("button", { name: "Give the load back" }).click();
  await page.getByText("You have given this load back.").waitFor();
  assert.equal(await page.getByText("1 Main St").count(), 0);
  await check(page, `${view}-carrier-gone`);
  await page.context().close();
  assert.equal((await service.ask("GET", `/loads/${load}`, undefined, "loads")).state, "ready");
  assert.equal(await state(uuid), "accepted");
}

try {
  for (const view of Object.keys(views)) {
    await decline(view);
    await carry(view);
  }
  console.log(`carriers: offers answered, and a load given back, in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
