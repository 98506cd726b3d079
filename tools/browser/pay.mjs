// Pays by links as people do, without JavaScript: a card is declined, another one succeeds, and a bank asks to confirm.
import assert from "node:assert/strict";
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

try {
  for (const view of Object.keys(views)) await payTwice(view);
  console.log(`pay links: paid in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
