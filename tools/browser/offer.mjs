// Answers offers by links as customers do: one is looked at, which the company is told, and declined; another one is accepted, without JavaScript,
// a transport is booked on its own page, is in the portal of its customer, and is signed again after it was changed.
import assert from "node:assert/strict";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
const quotes = (method, path, body) => service.ask(method, path, body, "quotes");

async function send() {
  const { load } = await service.ask("POST", "/quick_loads", {
    from: "75201", to: "33101", vehicles: ["2003 Honda Accord", "2012 BMW X6 INOP"], customer: { name: "Ann Lee", phone: "214 555 0143" },
  }, "loads");
  const made = await quotes("POST", "/quotes", {
    load_uuid: load.uuid, message: "Thank you for asking us.",
    options: [{ key: "standard" }, { key: "priority", surcharge: "150.00", note: "Picked up within two days" }],
  });
  const { share } = await quotes("POST", `/quotes/${made.uuid}/send`, { tariff: made.tariff });
  return { load: load.uuid, quote: made.uuid, url: new URL(share.url, service.url).href };
}

async function until(state, uuid) {
  for (let i = 0; i < 100; i++) {
    const quote = await quotes("GET", `/quotes/${uuid}`);
    if (quote.state === state) return quote;
    await new Promise(done => { setTimeout(done, 50); });
  }
  throw new Error(`the quote is not ${state}`);
}

async function decline(view) {
  const { quote, url } = await send();
  const page = await openPage(browser, service, view, url);
  assert.equal(page.answer.status(), 200);
  await page.getByText("Thank you for asking us.").waitFor();
  assert.equal((await until("viewed", quote)).view_count, 1);
  await check(page, `${view}-offer-open`);
  await accessible(page, `${view}-offer-open`);
  await page.getByText("No, thank you").click();
  await page.getByLabel("What made you decline?").fill("Too late for us.");
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText("You have declined this offer.").waitFor();
  assert.equal((await until("declined", quote)).end_reason, "Too late for us.");
  assert.deepEqual(page.problems, [], "the page's policy lets in what the script needs");
  await page.context().close();
}

async function accept(view) {
  const { load, quote, url } = await send();
  const page = await openPage(browser, service, view, url, { javaScriptEnabled: false });
  await page.getByLabel("Your name").fill(" "); // which a browser lets through
  await page.getByLabel("First day for the pickup").fill("2030-01-07");
  await page.getByLabel("I accept this offer").check();
  await page.getByRole("button", { name: "Accept and book" }).click();
  await page.getByText("Your name: The name is required.").waitFor();
  await check(page, `${view}-offer-wrong`);
  await page.goto(url);
  await page.getByLabel("Option", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("First day for the pickup").fill("2030-01-07");
  await page.getByLabel("Your name").fill("Ann Lee");
  await page.getByLabel("I accept this offer").check();
  await page.getByRole("button", { name: "Accept and book" }).click();
  await page.getByText("Your transport is booked").waitFor();
  await check(page, `${view}-offer-accepted`);
  await page.context().close();
  const accepted = await until("accepted", quote);
  const booked = await service.ask("GET", `/loads/${load}`, undefined, "loads");
  assert.deepEqual([booked.state, booked.tariff, booked.available_from], ["booked", accepted.options[1].tariff, "2030-01-07"]);
}

// book orders a transport on the page by which the customer follows it.
async function book(view) {
  const { load } = await service.ask("POST", "/quick_loads", {
    from: "75201", to: "33101", vehicles: ["2003 Honda Accord"], customer: { name: "Ann Lee", phone: "214 555 0143" }, tariff: "1100.00", carrier_pay: "900.00",
  }, "loads");
  const share = await service.ask("POST", `/loads/${load.uuid}/shares`, {}, "loads");
  const url = new URL(share.url, service.url).href;
  const page = await openPage(browser, service, view, url, { javaScriptEnabled: false });
  await check(page, `${view}-load-open`);
  const twin = await openPage(browser, service, view, url);
  await accessible(twin, `${view}-load-open`);
  await twin.context().close();
  await page.getByLabel("First day for the pickup").fill("2030-01-07");
  await page.getByLabel("Street and number").first().fill("7 Elm St");
  await page.getByLabel("Your name").fill("Ann Lee");
  await page.getByLabel("I accept the price").check();
  await page.getByRole("button", { name: "Book this transport" }).click();
  await page.getByText("Your transport is booked.").waitFor();
  await check(page, `${view}-load-booked`);
  await page.context().close();
  const portal = await service.ask("POST", `/contacts/${load.customer_uuid}/shares`, {}, "contacts");
  const home = await openPage(browser, service, view, new URL(portal.url, service.url).href);
  await home.getByText(load.number).waitFor();
  await check(home, `${view}-portal`);
  await accessible(home, `${view}-portal`);
  await home.context().close();
  const booked = await service.ask("GET", `/loads/${load.uuid}`, undefined, "loads");
  assert.deepEqual([booked.state, booked.stops[0].venue.line1], ["booked", "7 Elm St"]);
  await sign(view, load.uuid, url);
}

// sign signs what was changed since the transport was booked.
async function sign(view, load, url) {
  await service.ask("PATCH", `/loads/${load}`, { transport_type: "enclosed", available_from: "2030-01-09" }, "loads");
  const page = await openPage(browser, service, view, url, { javaScriptEnabled: false });
  await page.getByRole("row", { name: "January 9, 2030" }).waitFor();
  await check(page, `${view}-load-changed`);
  const twin = await openPage(browser, service, view, url);
  await accessible(twin, `${view}-load-changed`);
  await twin.context().close();
  await page.getByLabel("Your name").fill("Ann Lee");
  await page.getByRole("checkbox").check();
  await page.getByRole("button").click();
  await check(page, `${view}-load-signed`);
  await page.context().close();
  const signed = await service.ask("GET", `/loads/${load}`, undefined, "loads");
  assert.deepEqual([signed.signature, signed.change_order.needed], ["signed", false]);
}

try {
  for (const view of Object.keys(views)) {
    await decline(view);
    await accept(view);
    await book(view);
  }
  console.log(`offers: answered, and booked, in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
