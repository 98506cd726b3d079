// Sends files by the page of an upload link, as people do.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, check, launch, openPage, pictures, views } from "./browser.mjs";
import { Clam } from "./clam.mjs";
import { Service } from "./service.mjs";

const sha256 = bytes => createHash("sha256").update(bytes).digest("hex");
const clam = await Clam.start();
const service = await Service.start(process.argv[2], {
  DISPATCHD_MODULES__ATTACHMENTS__SCAN__CLAMD: clam.address, DISPATCHD_MODULES__ATTACHMENTS__SCAN__RETRY_AFTER: "200ms",
});
const browser = await launch();

// address is where a link leads in this service.
const address = link => service.url + new URL(link.url, service.url).pathname;

const open = (view, url, options) => openPage(browser, service, view, url, options);

const asked = {
  brand: "Acme Logistics", title: "Photos of the delivery", category: "pod", max_uploads: 3, max_size: 20_000_000,
  message: "Please send photos of all four sides,\nand the signed delivery receipt.", types: ["application/pdf", "image/*", "text/plain"],
};

async function sendsFiles(view) {
  const link = await service.invite(asked);
  const page = await open(view, address(link));
  assert.equal(page.answer.status(), 200);
  await page.getByRole("heading", { name: asked.title }).waitFor();
  await check(page, `${view}-asked`);
  await accessible(page, `${view}-asked`);

  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), randomBytes(9_000_000)]);
  const text = Buffer.from(`Signed on the ${view}`);
  await page.locator("#file").setInputFiles([
    { name: "A photo with quite a long name, as phones and people make them, of the left side.png", mimeType: "image/png", buffer: png },
    { name: "Empfangsbestätigung.txt", mimeType: "text/plain", buffer: text },
    { name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(20_000_001) },
  ]);
  await page.getByRole("alert").getByText("huge.png is larger than 20 MB.").waitFor();
  await check(page, `${view}-chosen`);
  await accessible(page, `${view}-chosen`);

  // The network fails in the middle of the first file, and comes back.
  let cut = 0;
  await page.route("**/tus/*", async route => {
    if (route.request().method() === "PATCH" && route.request().headers()["upload-offset"] !== "0" && cut++ === 0) return route.abort("connectionreset");
    return route.continue();
  });
  assert.equal(await page.evaluate(() => document.activeElement.id), "send", "the button has the focus");
  await page.keyboard.press("Enter");
  await page.getByText("Interrupted; trying again").waitFor();
  await check(page, `${view}-interrupted`);
  await page.getByRole("status").getByText("All files have arrived. Thank you! You can send one more.").waitFor();
  await check(page, `${view}-sent`);
  await accessible(page, `${view}-sent`);
  assert.ok(cut > 1, "it went on");
  for (const [bytes, name] of [[png, /left side\.png$/], [text, /^Empfangsbestätigung\.txt$/]]) {
    const [file, ...more] = await service.files(sha256(bytes));
    assert.equal(more.length, 0);
    assert.match(file.file_name, name);
    assert.deepEqual([file.category, file.upload_link_uuid], ["pod", link.uuid]);
  }

  // One more, dropped: then the link is used up.
  const pdf = Buffer.from(`%PDF-1.7 ${view}`);
  await page.evaluate(content => {
    const data = new DataTransfer();
    data.items.add(new File([content], "receipt.pdf"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, pdf.toString());
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(`Arrived, ${pdf.length} bytes`, { exact: true }).waitFor();
  await page.locator("#drop").waitFor({ state: "hidden" });
  await check(page, `${view}-done`);
  assert.equal((await service.files(sha256(pdf))).length, 1);
  const answer = await page.reload();
  assert.equal(answer.status(), 404);
  await page.getByRole("heading", { name: "This link has been used" }).waitFor();
  await check(page, `${view}-used`);
  await accessible(page, `${view}-used`);
  await page.context().close();
}

// A wrong file is refused with a reason, and the right one goes through after it; the keyboard does.
async function saysWhatIsWrong() {
  const link = await service.invite({ max_size: 1000, types: ["image/*"] });
  const page = await open("desk", address(link));
  await page.getByRole("heading", { name: "Send files" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "file");
  await page.locator("#file").setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("not an image") });
  await page.keyboard.press("Enter");
  await page.getByText("Not sent: Files of this kind are not taken here.").waitFor();
  await check(page, "desk-refused");
  await accessible(page, "desk-refused");
  await page.keyboard.press("Shift+Tab");
  await page.getByRole("button", { name: "Remove photo.png" }).press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "file", "the focus is not lost");
  await service.ask("POST", `/upload_links/${link.uuid}/revoke`);
  await page.locator("#file").setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("89504e470d0a1a0a", "hex") });
  await page.keyboard.press("Enter");
  await page.getByText("Not sent: This link was revoked or replaced. Use the newest one, or ask for it.").waitFor();
  assert.equal((await page.reload()).status(), 404);
  await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
  await check(page, "desk-revoked");
  await page.context().close();

  const expired = await service.invite({ expires_at: new Date(Date.now() + 1500).toISOString() });
  await new Promise(resolve => setTimeout(resolve, 1600));
  const late = await open("phone", address(expired));
  assert.equal(late.answer.status(), 404);
  await late.getByRole("heading", { name: "This link has expired" }).waitFor();
  await check(late, "phone-expired");
  await late.context().close();
}

async function worksWithoutScript() {
  const link = await service.invite({ ...asked, max_uploads: 1 });
  const page = await open("phone", address(link), { javaScriptEnabled: false });
  await page.getByText("Without JavaScript, one file is sent at a time.").waitFor();
  if (pictures) await page.screenshot({ path: join(pictures, "phone-plain.png"), fullPage: true });
  const wrong = Buffer.from("\x7fELF\x02\x01\x01" + "\0".repeat(900), "latin1");
  await page.locator("#file").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: wrong });
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "That file was not taken" }).waitFor();
  if (pictures) await page.screenshot({ path: join(pictures, "phone-plain-refused.png"), fullPage: true });
  await page.getByRole("link", { name: "Try again" }).click();
  const bytes = Buffer.from("Without script");
  await page.locator("#file").setInputFiles({ name: "<b>plain</b>.txt", mimeType: "text/plain", buffer: bytes });
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  if (pictures) await page.screenshot({ path: join(pictures, "phone-plain-sent.png"), fullPage: true });
  assert.equal((await service.files(sha256(bytes))).length, 1);
  await page.context().close();
}

// It goes on where it was when the page was closed in the middle.
async function goesOnAfterTheTabWasClosed() {
  const link = await service.invite({ max_size: 30_000_000 });
  const bytes = randomBytes(25_000_000);
  const file = join(service.data, "walkaround.mp4"); // of a file of its own, so that its time stays
  writeFileSync(file, bytes);
  const page = await open("phone", address(link));
  let through = 0;
  await page.route("**/tus/*", route => route.request().method() === "PATCH" && through++ > 0 ? route.abort() : route.continue());
  await page.locator("#file").setInputFiles(file);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForRequest(request => request.method() === "PATCH" && request.headers()["upload-offset"] !== "0");
  page.on("dialog", dialog => dialog.accept());
  await page.close();

  const again = await page.context().newPage();
  const asked = [];
  again.on("request", request => asked.push(`${request.method()} ${request.headers()["upload-offset"] ?? ""}`.trim()));
  const kept = again.waitForResponse(answer => answer.request().method() === "HEAD").then(answer => Number(answer.headers()["upload-offset"]));
  await again.goto(address(link));
  await again.locator("#file").setInputFiles(file);
  await again.getByRole("button", { name: "Send", exact: true }).click();
  await again.getByRole("status").getByText("All files have arrived. Thank you!").waitFor();
  // How much of the second piece came through is chance; what came through is not sent again.
  const from = await kept;
  assert.ok(from >= 4 << 20, `kept ${from} bytes`);
  const sent = asked.filter(one => one !== "GET");
  assert.deepEqual(sent.slice(0, 2), ["HEAD", `PATCH ${from}`]);
  assert.ok(!sent.includes("PATCH 0"), sent.join());
  assert.equal((await service.files(sha256(bytes))).length, 1);
  assert.equal(await again.evaluate(() => localStorage.length), 0, "nothing is left of it");
  await again.context().close();
}

// What is found to be dangerous when it is scanned later is said on the page that is still open, and at the link.
async function saysWhatWasRefused() {
  const link = await service.invite({ title: "Papers", max_uploads: 1 });
  const page = await open("phone", address(link));
  clam.away = true;
  await page.locator("#file").setInputFiles({ name: "papers.txt", mimeType: "text/plain", buffer: Buffer.from("it has a virus") });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Arrived, and is being checked").waitFor();
  await page.getByRole("status").getByText("All files have arrived, and are being checked.").waitFor();
  await check(page, "phone-checking");
  clam.away = false;
  await page.getByText("Refused: it was found to be dangerous.").waitFor();
  await page.getByRole("status").getByText("None of 1 sent.").waitFor();
  await check(page, "phone-dangerous");
  await accessible(page, "phone-dangerous");
  assert.equal((await page.reload()).status(), 404);
  await page.getByText("Found to be dangerous, and refused: papers.txt.").waitFor();
  await page.context().close();
}

try {
  for (const view of Object.keys(views)) {
    await sendsFiles(view);
    console.log(`page: sent files, ${view}`);
  }
  await saysWhatIsWrong();
  await goesOnAfterTheTabWasClosed();
  console.log("page: goes on after the tab was closed");
  await saysWhatWasRefused();
  console.log("page: says what was refused");
  await worksWithoutScript();
  console.log("page: says what is wrong, and works without script");
} catch (error) {
  console.log(service.output.split("\n").slice(-20).join("\n"));
  throw error;
} finally {
  await browser.close();
  await service.stop();
  clam.stop();
}
