// Signs and declines envelopes of the sandbox, as people do, and sees what becomes of them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { accessible, check, launch, openPage, pictures, views } from "./browser.mjs";
import { Service } from "./service.mjs";

const service = await Service.start(process.argv[2]);
const browser = await launch();
const esign = (method, path, body) => service.ask(method, path, body, "esign");
const open = (view, url, options) => openPage(browser, service, view, new URL(url, service.url).href, options);

// office is where people who sign embedded come back to.
const office = createServer((request, answer) => { answer.setHeader("Content-Type", "text/html"); answer.end(`<title>Back</title>${request.url.replaceAll("<", "")}`); });
office.listen(0, "127.0.0.1");
await once(office, "listening");
const back = `http://127.0.0.1:${office.address().port}/orders/7?tab=papers`;

async function until(what, holds) {
  for (let tries = 0; tries < 150; tries++) {
    const value = await holds();
    if (value) return value;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  throw new Error(`it does not happen: ${what}`);
}

// The demo company has an account of the sandbox.
await esign("POST", "/templates/sync", {});
const template = await until("the templates are here", async () => (await esign("GET", "/templates")).data.find(one => one.name === "Bill of lading"));

// send makes an envelope for two people, and returns it when the sandbox has it.
async function send(subject, embedded = false) {
  const made = await esign("POST", "/envelopes", {
    template_uuid: template.uuid, subject,
    recipients: [
      { role: "Shipper", name: "Ann Example", email: "ann@example.org", embedded, tabs: { load_number: "1024", pickup_address: "1 Main St", delivery_address: "2 Side St", vin: "1HGCM82633A004352" } },
      { role: "Carrier", name: "Bob Example", email: "bob@example.org" },
    ],
  });
  return state(made.uuid, "sent");
}

const state = (uuid, wanted) => until(`the envelope is ${wanted}`, async () => {
  const envelope = await esign("GET", `/envelopes/${uuid}`);
  return envelope.state === wanted && envelope;
});

// mail is the page of who has got the sandbox's e-mail.
async function mail(envelope, name) {
  const found = await until(`${name} has got an e-mail`, async () => (await esign("GET", "/sandbox/inbox")).data
    .find(one => one.envelope_id === envelope.external_id && one.name === name));
  return (await esign("POST", "/sandbox/links", { envelope_id: found.envelope_id, recipient_id: found.recipient_id })).url;
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

async function signs(view) {
  const envelope = await send(`Load 1024, ${view}`);
  const page = await open(view, await mail(envelope, "Ann Example"));
  assert.equal(page.answer.status(), 200);
  await page.getByRole("heading", { name: `Load 1024, ${view}` }).waitFor();
  await check(page, `${view}-signing`);
  await accessible(page, `${view}-signing`);
  assert.equal(await page.getByLabel("Vin").inputValue(), "1HGCM82633A004352", "it is filled in");
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "signature", "the browser asks for what is missing");
  await page.getByLabel("Operable").check();
  await page.getByLabel("Condition").selectOption("damaged");
  await page.getByLabel("Your signature").fill("Ann Example");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await check(page, `${view}-signed`);
  await accessible(page, `${view}-signed`);

  await page.goto(new URL(await mail(envelope, "Bob Example"), service.url).href);
  await page.getByLabel("Carrier name").fill("Fast Freight");
  await page.getByLabel("Your signature").fill("Bob Example");
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await state(envelope.uuid, "completed");
  await page.context().close();
}

async function declines(view, options) {
  const envelope = await send(`Load 2048, ${view}`);
  const page = await open(view, await mail(envelope, "Ann Example"), options);
  await page.getByText("I do not want to sign").click();
  await page.getByLabel("Why not?").fill("The rate is wrong");
  await picture(page, `${view}-declining`);
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByRole("heading", { name: "You have declined" }).waitFor();
  await picture(page, `${view}-declined`);
  assert.equal((await state(envelope.uuid, "declined")).reason, "The rate is wrong");
  await page.reload();
  await page.context().close();
}

async function withoutScript() {
  const plain = { javaScriptEnabled: false };
  await declines("phone", plain);
  const envelope = await send("Load 4096");
  const page = await open("phone", await mail(envelope, "Ann Example"), plain);
  await page.getByLabel("Your signature").fill("Ann Example");
  await page.getByRole("button", { name: "Finish later" }).click();
  await page.getByRole("heading", { name: "See you later" }).waitFor();
  await page.getByRole("link", { name: "Go on signing" }).click();
  await page.getByLabel("Your signature").fill("Ann Example");
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await page.context().close();
}

// Who signs embedded is led back to where he came from; the address works once.
async function signsEmbedded(options = {}) {
  const envelope = await send("Load 8192", true);
  const signer = envelope.recipients.find(one => one.name === "Ann Example");
  const { url } = await esign("POST", `/envelopes/${envelope.uuid}/signing_link`, { recipient_uuid: signer.uuid, return_url: back });
  const page = await open("desk", url, options);
  await page.getByLabel("Your signature").fill("Ann Example");
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.waitForURL(address => address.origin === new URL(back).origin);
  assert.equal(new URL(page.url()).search, "?event=signing_complete&tab=papers");
  const again = await page.goto(new URL(url, service.url).href);
  assert.equal(again.status(), 404);
  await page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
  await page.context().close();
}

try {
  for (const view of Object.keys(views)) {
    await signs(view);
    console.log(`signing: signed, ${view}`);
  }
  await declines("phone");
  await declines("desk");
  console.log("signing: declined");
  await withoutScript();
  await signsEmbedded();
  await signsEmbedded({ javaScriptEnabled: false });
  console.log("signing: without script, and embedded");
} catch (error) {
  console.log(service.output.split("\n").slice(-20).join("\n"));
  throw error;
} finally {
  await browser.close();
  await service.stop();
  office.close();
}
