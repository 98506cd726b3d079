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

// square is what Square is here: its API behind the service, and its script in the browser, with one field in a frame of its own host.
const script = `window.Square = { payments: (application, location) => ({ card: async () => ({
  attach: async element => {
    const frame = document.createElement("iframe");
    frame.title = "Card number";
    frame.src = "https://sandbox.web.squarecdn.com/v1/frame.html";
    element.append(frame);
    await new Promise(done => { frame.onload = done; });
  },
  tokenize: async asked => {
    const answer = await fetch("https://pci-connect.squareupsandbox.com/token", { method: "POST", body: JSON.stringify({ application, location, ...asked }) });
    return answer.json();
  },
}) }) };`;

async function withSquare(view) {
  const charges = [], tokens = [];
  const api = createServer((request, response) => {
    let text = "";
    request.on("data", part => { text += part; });
    request.on("end", () => {
      response.setHeader("Content-Type", "application/json");
      if (request.method === "GET") return response.end(JSON.stringify({ location: { id: "L1", status: "ACTIVE" } }));
      charges.push(JSON.parse(text));
      return response.end(JSON.stringify({ payment: { id: "P1", status: "COMPLETED", amount_money: charges.at(-1).amount_money, source_type: "CARD" } }));
    });
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const shop = await Service.start(process.argv[2], {
    DISPATCHD_MODULES__SQUARE__ENVIRONMENT: "sandbox", DISPATCHD_MODULES__SQUARE__BASE_URL: `http://127.0.0.1:${api.address().port}`,
    DISPATCHD_OUTBOUND__ALLOW_HTTP: "true", DISPATCHD_OUTBOUND__ALLOW_NETWORKS: "127.0.0.0/8",
  });
  try {
    const account = await shop.ask("POST", "/accounts", {
      name: "Square", provider: "square", credentials: { access_token: "t", application_id: "sandbox-sq0idb-1", location_id: "L1" },
    }, "cards");
    const made = await shop.ask("POST", "/pay_links", { title: "Transport", amount: "850.00", currency: "USD", account_uuid: account.uuid }, "cards");
    const page = await openPage(browser, shop, view, "about:blank");
    await page.route("https://sandbox.web.squarecdn.com/v1/square.js", route => route.fulfill({ contentType: "text/javascript", body: script }));
    await page.route("https://sandbox.web.squarecdn.com/v1/frame.html", route => route.fulfill({ contentType: "text/html", body: "<label>Card number <input></label>" }));
    await page.route("https://pci-connect.squareupsandbox.com/token", route => {
      tokens.push(route.request().postDataJSON());
      const body = tokens.length === 1 ? { status: "Invalid", errors: [{ message: "The card number is incomplete." }] } : { status: "OK", token: "cnon:ok" };
      return route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, contentType: "application/json", body: JSON.stringify(body) });
    });
    await page.goto(new URL(made.url, shop.url).href);
    await page.frameLocator("iframe").getByLabel("Card number").waitFor();
    await check(page, `${view}-pay-square`, ["https://sandbox.web.squarecdn.com"]);
    await page.getByRole("button", { name: "Pay 850.00 USD" }).click();
    await page.getByText("The card number is incomplete.").waitFor();
    await accessible(page, `${view}-pay-square`);
    await page.getByRole("button", { name: "Pay 850.00 USD" }).click();
    await page.getByText("Thank you, this is paid.").waitFor();
    assert.deepEqual(page.problems, [], "the page's policy lets in what the fields need");
    assert.deepEqual([tokens[1].application, tokens[1].location, tokens[1].amount, tokens[1].currencyCode], ["sandbox-sq0idb-1", "L1", "850.00", "USD"]);
    assert.equal(charges.length, 1);
    assert.deepEqual([charges[0].source_id, charges[0].amount_money], ["cnon:ok", { amount: 85000, currency: "USD" }]);

    // A script that is not Square's does not run, and the page says what it cannot do.
    const broken = await openPage(browser, shop, view, "about:blank");
    await broken.route("https://sandbox.web.squarecdn.com/v1/square.js", route => route.abort());
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
  await withSquare(Object.keys(views)[0]);
  for (const view of Object.keys(views)) await payTwice(view);
  console.log(`pay links: paid in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
