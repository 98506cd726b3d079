// Fills in onboarding packets of carriers as people do, without JavaScript, and approves them.
import assert from "node:assert/strict";
import { accessible, check, launch, openPage, views } from "./browser.mjs";
import { Service } from "./service.mjs";

const service = await Service.start(process.argv[2], { DISPATCHD_MODULES__CARRIERS__REGULATOR__ADAPTER: "sandbox" });
const browser = await launch();
const carriers = (method, path, body, headers) => service.ask(method, path, body, "carriers", headers);
const pdf = { name: "paper.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n") };

await carriers("PUT", "/packet_settings", {
  documents: ["insurance", "w9", "remit_to", "agreement", "identity"], agreement: "1. The carrier delivers on time.\n2. It does not broker the load.".repeat(20), link_days: 14,
});

// code is the identity code in the newest text message to a phone of the sandbox.
async function code(to) {
  for (let tries = 0; tries < 100; tries++) {
    const found = (await service.ask("GET", "/messages?sort=-created_at", undefined, "sms")).data.find(one => one.to === to);
    const digits = found?.body.match(/[0-9]{6}/);
    if (digits) return digits[0];
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`no code came to ${to}`);
}

// look checks a page whose heading is the name of its step. axe needs JavaScript, so it looks at the same page elsewhere.
async function look(page, view, heading, name) {
  await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
  await check(page, `${view}-packet-${name}`);
  const twin = await openPage(browser, service, view, page.url());
  await accessible(twin, `${view}-packet-${name}`);
  await twin.context().close();
}

async function policy(page, group, number, cover) {
  const of = page.getByRole("group", { name: group });
  await of.getByLabel("Insurance company").fill("Sample Insurance");
  await of.getByLabel("Policy number").fill(number);
  await of.getByLabel("Cover").fill(cover);
  await of.getByLabel("Expires on").fill("2199-01-31");
}

// upload sends a document by the page of its upload link, and comes back.
async function upload(page, button) {
  await page.getByRole("button", { name: button }).click();
  await page.locator("#file").setInputFiles(pdf);
  await page.locator("#send").click();
  await page.getByRole("heading", { name: /thank you/i }).or(page.getByText(/received/i)).first().waitFor();
  await page.getByRole("link", { name: /^(Continue|Back)/ }).first().click();
}

async function fillIn(view, usdot, options) {
  const carrier = await carriers("POST", "/carriers", { legal_name: `Sample ${view}`, usdot });
  const packet = await carriers("POST", `/carriers/${carrier.uuid}/packet`, { channel: "link" });
  const page = await openPage(browser, service, view, new URL(packet.url, service.url).href, options);
  assert.equal(page.answer.status(), 200);

  await look(page, view, "Company", "company");
  assert.notEqual(await page.getByLabel("Legal name").inputValue(), `Sample ${view}`, "it is filled in with the regulator's record");
  await page.getByLabel("Legal name").fill("Sample Lines LLC");
  await page.getByRole("group", { name: "Dispatch" }).getByLabel("Phone").fill("12");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await look(page, view, "Company", "company-wrong");
  const wrong = page.getByRole("link", { name: /^Dispatch, Phone: Enter a phone number/ });
  await wrong.click();
  assert.match(page.url(), /#f-dispatch_phone$/, "the summary leads to the field");
  await page.getByRole("group", { name: "Dispatch" }).getByLabel("Name").fill("Ann Example");
  await page.getByRole("group", { name: "Dispatch" }).getByLabel("Phone").fill("(214) 555-0144");
  await page.getByRole("button", { name: "Save and continue" }).click();

  await look(page, view, "Equipment and lanes", "equipment");
  await page.getByRole("group", { name: "Trailer 1" }).getByLabel("Kind").selectOption("wedge");
  await page.getByRole("group", { name: "Trailer 1" }).getByLabel(/Vehicles/).fill("3");
  await page.getByRole("group", { name: "Lane 1" }).getByLabel("From").fill("TX, 75");
  await page.getByRole("group", { name: "Lane 1" }).getByLabel("To").fill("FL");
  await page.getByRole("button", { name: "Save and continue" }).click();

  await look(page, view, "Insurance", "insurance");
  await policy(page, "Cargo insurance", "C-1", "$250,000");
  await policy(page, "Auto liability insurance", "L-1", "1000000");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await look(page, view, "Insurance", "insurance-saved");
  await upload(page, "Upload the certificate of insurance");
  await page.getByRole("link", { name: "W-9" }).first().click();
  await look(page, view, "W-9", "w9");
  await upload(page, "Upload the W-9");

  await page.goto(`${page.url().split("?")[0]}?step=remit_to`);
  await look(page, view, "How you are paid", "payment");
  await page.getByLabel("Name of the payee").fill("Sample Lines LLC");
  await page.getByLabel("Routing number").fill("021000021");
  await page.getByLabel("Account number").fill("9876543210123");
  await page.getByRole("button", { name: "Save and continue" }).click();

  await look(page, view, "Agreement", "agreement");
  await page.getByLabel("Your full name").fill("Ann Example");
  await page.getByLabel(/I accept the agreement/).check();
  await page.getByRole("button", { name: "Accept", exact: true }).click();

  await look(page, view, "Identity", "identity");
  await page.getByRole("button", { name: /Text a code/ }).click();
  await look(page, view, "Identity", "code");
  await page.getByLabel("Code").fill("1");
  await page.getByRole("button", { name: "Confirm" }).click();
  await look(page, view, "Identity", "code-wrong");
  const { identity } = await carriers("GET", `/regulator/${usdot}`);
  await page.getByLabel("Code").fill(await code(identity.cell_phone || identity.phone));
  await page.getByRole("button", { name: "Confirm" }).click();

  await look(page, view, "Review and submit", "review");
  await page.getByRole("button", { name: "Submit the packet" }).click();
  await look(page, view, "Thank you. Your packet was submitted", "sent");

  const { version } = await carriers("GET", `/packets/${packet.uuid}`);
  await carriers("POST", `/packets/${packet.uuid}/approve`, undefined, { "If-Match": `"${version}"` });
  const approved = await carriers("GET", `/carriers/${carrier.uuid}`);
  assert.equal(approved.legal_name, "Sample Lines LLC");
  assert.equal(approved.packet_state, "approved");
  assert.equal(approved.insurance.length, 2);
  await page.reload();
  await look(page, view, "This link is not valid", "over");
  await page.context().close();
}

try {
  let usdot = 9900001;
  for (const view of Object.keys(views)) await fillIn(view, String(usdot++), { javaScriptEnabled: false });
  console.log(`packets: filled in and approved in ${Object.keys(views).length} windows`);
} finally {
  await browser.close();
  await service.stop();
}
