// Sends files with tus-js-client.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import * as tus from "tus-js-client";
import { Service } from "./service.mjs";

const sha256 = bytes => createHash("sha256").update(bytes).digest("hex");
const MiB = 1 << 20;
const service = await Service.start(process.argv[2], { DISPATCHD_MODULES__ATTACHMENTS__PART_SIZE: "1MiB" });
const endpoint = `${service.url}/attachments/api/v1/tus`;
const headers = { Authorization: `Bearer ${service.token}` };

// send sends a file, and resolves when it has arrived. Meanwhile is called with the upload and the bytes so far.
const send = (bytes, options, meanwhile = () => {}) => new Promise((resolve, reject) => {
  const upload = new tus.Upload(bytes, {
    endpoint, headers, metadata: { filename: "file.bin", category: "pod" }, retryDelays: [100, 300, 500, 1000, 2000, 4000],
    onSuccess: () => resolve(upload), onError: reject, onProgress: sent => meanwhile(upload, sent), ...options,
  });
  upload.start();
});

try {
  // Paused after a part, and resumed.
  let bytes = randomBytes(12 * MiB);
  let paused = false;
  const methods = [];
  let upload;
  await send(bytes, {
    chunkSize: 2 * MiB,
    onChunkComplete(size, accepted) {
      if (accepted < 6 * MiB || paused) return;
      paused = true;
      setImmediate(async () => { await upload.abort(); upload.start(); });
    },
    onBeforeRequest(request) { methods.push(request.getMethod()); },
  }, one => { upload = one; });
  assert.ok(paused && methods.includes("HEAD"), `it was paused and resumed: ${methods}`);
  let [file, ...more] = await service.files(sha256(bytes));
  assert.deepEqual([file.size, file.category, file.state, more.length], [bytes.length, "pod", "ready", 0]);
  console.log("tus: paused and resumed");

  // The service is killed in the middle of a request, and started again; the client tries again by itself.
  bytes = randomBytes(96 * MiB);
  let killed;
  const offsets = [];
  await send(bytes, {
    onAfterResponse(request, response) {
      if (request.getMethod() === "HEAD") offsets.push(Number(response.getHeader("Upload-Offset")));
    },
  }, (one, sent) => {
    if (sent > 24 * MiB) killed ??= service.kill().then(() => service.run());
  });
  await killed;
  assert.ok(offsets[0] > 0 && offsets[0] < bytes.length && offsets[0] % MiB === 0, `it went on from a part that is kept: ${offsets}`);
  assert.equal((await service.files(sha256(bytes))).length, 1);
  console.log(`tus: killed, and resumed at ${offsets[0] / MiB} of ${bytes.length / MiB} MiB`);

  // With its beginning in the request that begins it, by a link, without a token.
  bytes = Buffer.from("Certificate of insurance");
  const link = await service.invite({ category: "insurance", max_size: 1000 });
  upload = await send(bytes, {
    endpoint: `${service.url}${new URL(link.url, service.url).pathname}/tus`, headers: {}, metadata: { filename: "paper.txt" }, uploadDataDuringCreation: true,
  });
  [file] = await service.files(sha256(bytes));
  assert.deepEqual([file.file_name, file.category, file.upload_link_uuid], ["paper.txt", "insurance", link.uuid]);
  await assert.rejects(send(bytes, { endpoint: `${service.url}${new URL(link.url, service.url).pathname}/tus`, headers: {}, metadata: {} }), /404/);
  console.log("tus: sent by a link");

  // What is too large is refused, and what is given up is gone.
  const small = await service.invite({ max_size: 10 });
  await assert.rejects(send(bytes, { endpoint: `${service.url}${new URL(small.url, service.url).pathname}/tus`, headers: {}, metadata: {} }), /413/);
  await new Promise((resolve, reject) => {
    const given = new tus.Upload(randomBytes(4 * MiB), {
      endpoint, headers, chunkSize: MiB, onError: reject, onSuccess: () => reject(new Error("it was to be given up")),
      onChunkComplete() { given.abort(true).then(() => resolve(given)).catch(reject); },
    });
    given.start();
  }).then(async given => {
    assert.equal((await fetch(given.url, { method: "HEAD", headers: { ...headers, "Tus-Resumable": "1.0.0" } })).status, 404);
  });
  console.log("tus: refused what is too large, and gave one up");
} catch (error) {
  console.log(service.output.split("\n").slice(-20).join("\n"));
  throw error;
} finally {
  await service.stop();
}
