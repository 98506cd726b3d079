// Pays by links as people do, without JavaScript: a card is declined, another one succeeds, and a bank asks to confirm. With the card fields of
// a vendor, JavaScript is needed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
const cards = (method, path, body) => service.ask(method, path, body, "cards");

async function link(view) {
  const made = await cards("POST", "/pay_links", {
    title: "Transport of a 2021 Honda Accord", message: "From Dallas, TX to Tampa, FL.\nDue on delivery.", amount: "850.00", currency: "USD",
  });
  const page = await openPage(browser, service, view, new URL(made.url, service.url).href, { javaScriptEnabled: false });
  assert.equal(page.answer.status(), 200);
  return { uuid: made.uuid, page };
}

// look checks a page that has a text. axe needs JavaScript, so it looks at the same page elsewhere.
async function look(page, view, text, name) {
  await page.getByText(text).waitFor();
  await check(page, `${view}-pay-${name}`);
  const twin = await openPage(browser, service, view, page.url());
  await accessible(twin, `${view}-pay-${name}`);
  await twin.context().close();
}

async function pay(page, card) {
  await page.getByLabel("Test card").selectOption({ label: card });
  await page.getByRole("button", { name: "Pay 850.00 USD" }).click();
}

async function payTwice(view) {
  const { uuid, page } = await link(view);
  await look(page, view, "Due on delivery.", "open");
  await pay(page, "Insufficient funds");
  await look(page, view, "The payment did not succeed.", "declined");
  await pay(page, "Succeeds");
  await look(page, view, "Thank you, this is paid.", "paid");
  await page.context().close();
  const made = await cards("GET", `/pay_links/${uuid}`);
  assert.equal(made.attempts, 2);
  assert.equal((await cards("GET", `/payments/${made.payment_uuid}`)).state, "captured");

  const asked = await link(view);
  await pay(asked.page, "Asks to confirm (3-D Secure)");
  await look(asked.page, view, "Your bank asks you to confirm the payment.", "confirm");
  await asked.page.getByRole("button", { name: "Confirm" }).click();
  await asked.page.getByText("Thank you, this is paid.").waitFor();
  await asked.page.context().close();
}

// frame is what the scripts that play vendors' have in common: one field in a frame of the vendor's own host.
const frame = `const framed = async (element, src) => {
  const frame = document.createElement("iframe");
  frame.title = "Card number";
  frame.src = src;
  element.append(frame);
  await new Promise(done => { frame.onload = done; });
};`;

// square and stripe are what the vendors are here: their scripts in the browser, which make a token the second time that they are asked, and
// what their API behind the service answers to a charge.
const square = {
  provider: "square", environment: { DISPATCHD_MODULES__SQUARE__ENVIRONMENT: "sandbox" }, address: "DISPATCHD_MODULES__SQUARE__BASE_URL",
  credentials: { access_token: "t", application_id: "sandbox-sq0idb-1", location_id: "L1" },
  script: "https://sandbox.web.squarecdn.com/v1/square.js", token: "https://pci-connect.squareupsandbox.com/token",
  code: `${frame} window.Square = { payments: (application, location) => ({ card: async () => ({
    attach: element => framed(element, "https://sandbox.web.squarecdn.com/v1/frame.html"),
    tokenize: async asked => {
      const answer = await fetch("https://pci-connect.squareupsandbox.com/token", { method: "POST", body: JSON.stringify({ application, location, ...asked }) });
      return answer.json();
    },
  }) }) };`,
  refused: { status: "Invalid", errors: [{ message: "The card number is incomplete." }] }, made: { status: "OK", token: "cnon:ok" }, paid: "cnon:ok",
  asked: { application: "sandbox-sq0idb-1", location: "L1", amount: "850.00", currencyCode: "USD" },
  healthy: { location: { id: "L1", status: "ACTIVE" } },
  charge(text) {
    const { source_id: token, amount_money: money } = JSON.parse(text);
    return { token, amount: money.amount, answer: { payment: { id: "P1", status: "COMPLETED", amount_money: money, source_type: "CARD" } } };
  },
};

const stripe = {
  provider: "stripe", environment: {}, address: "DISPATCHD_MODULES__STRIPE__BASE_URL",
  credentials: { secret_key: "sk_test_1", publishable_key: "pk_test_1", connected_account: "acct_1" },
  script: "https://js.stripe.com/v3/", token: "https://api.stripe.com/v1/payment_methods",
  code: `${frame} window.Stripe = (key, options) => ({
    elements: () => ({ create: type => {
      const on = {};
      return { on: (event, then) => { on[event] = then; }, mount: element => framed(element, "https://js.stripe.com/v3/frame.html").then(() => on.ready()) };
    } }),
    createPaymentMethod: async ({ type }) => {
      const answer = await fetch("https://api.stripe.com/v1/payment_methods", { method: "POST", body: JSON.stringify({ key, type, ...options }) });
      return answer.json();
    },
  });`,
  refused: { error: { message: "The card number is incomplete." } }, made: { paymentMethod: { id: "pm_ok" } }, paid: "pm_ok",
  asked: { key: "pk_test_1", stripeAccount: "acct_1", type: "card" },
  healthy: { object: "balance" },
  charge(text) {
    const form = new URLSearchParams(text), amount = Number(form.get("amount"));
    return { token: form.get("payment_method"), amount, answer: { id: "pi_1", status: "succeeded", amount, amount_received: amount, currency: form.get("currency") } };
  },
};

async function withVendor(view, vendor) {
  const charges = [], tokens = [], origin = new URL(vendor.script).origin;
  const api = createServer((request, response) => {
    let text = "";
    request.on("data", part => { text += part; });
    request.on("end", () => {
      response.setHeader("Content-Type", "application/json");
      if (request.method === "GET") return response.end(JSON.stringify(vendor.healthy));
      charges.push(vendor.charge(text));
      return response.end(JSON.stringify(charges.at(-1).answer));
    });
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const shop = await Service.start(process.argv[2], {
    ...vendor.environment, [vendor.address]: `http://127.0.0.1:${api.address().port}`,
    DISPATCHD_OUTBOUND__ALLOW_HTTP: "true", DISPATCHD_OUTBOUND__ALLOW_NETWORKS: "127.0.0.0/8",
  });
  try {
    const account = await shop.ask("POST", "/accounts", { name: "Till", provider: vendor.provider, credentials: vendor.credentials }, "cards");
    const made = await shop.ask("POST", "/pay_links", { title: "Transport", amount: "850.00", currency: "USD", account_uuid: account.uuid }, "cards");
    const page = await openPage(browser, shop, view, "about:blank");
    await page.route(vendor.script, route => route.fulfill({ contentType: "text/javascript", body: vendor.code }));
    await page.route(new URL("frame.html", vendor.script).href, route => route.fulfill({ contentType: "text/html", body: "<label>Card number <input></label>" }));
    await page.route(vendor.token, route => {
      tokens.push(route.request().postDataJSON());
      const body = tokens.length === 1 ? vendor.refused : vendor.made;
      return route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, contentType: "application/json", body: JSON.stringify(body) });
    });
    await page.goto(new URL(made.url, shop.url).href);
    await page.frameLocator("iframe").getByLabel("Card number").waitFor();
    await check(page, `${view}-pay-${vendor.provider}`, [origin]);
    await page.getByRole("button", { name: "Pay 850.00 USD" }).click();
    await page.getByText("The card number is incomplete.").waitFor();
    await accessible(page, `${view}-pay-${vendor.provider}`);
    await page.getByRole("button", { name: "Pay 850.00 USD" }).click();
    await page.getByText("Thank you, this is paid.").waitFor();
    assert.deepEqual(page.problems, [], "the page's policy lets in what the fields need");
    for (const [name, value] of Object.entries(vendor.asked)) assert.equal(tokens[1][name], value, name);
    assert.equal(charges.length, 1);
    assert.deepEqual([charges[0].token, charges[0].amount], [vendor.paid, 85000]);

    // A script that is not the vendor's does not run, and the page says what it cannot do.
    const broken = await openPage(browser, shop, view, "about:blank");
    await broken.route(vendor.script, route => route.abort());
    const again = await shop.ask("POST", "/pay_links", { title: "Transport", amount: "850.00", currency: "USD", account_uuid: account.uuid }, "cards");
    await broken.goto(new URL(again.url, shop.url).href);
    await broken.getByText("The card fields could not be loaded.").waitFor();
    for (const opened of [page, broken]) await opened.context().close();
  } finally {
    api.close();
    await shop.stop();
  }
}

try {
  for (const vendor of [square, stripe]) await withVendor(Object.keys(views)[0], vendor);
  for (const view of Object.keys(views)) await payTwice(view);
  console.log(`pay links: paid in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
