"use strict";
// Sends files by tus, so that a phone that loses its network goes on where it stopped.
(() => {
  const piece = 4 << 20;                       // bytes that are sent in one request
  const waits = [1, 2, 4, 8, 15, 30, 30, 30];  // seconds before trying again, while nothing gets through
  const form = document.getElementById("form");
  const chooser = document.getElementById("file");
  const camera = document.getElementById("camera");
  const list = document.getElementById("files");
  const button = document.getElementById("send");
  const status = document.getElementById("status");
  const problem = document.getElementById("problem");
  const drop = document.getElementById("drop");
  const endpoint = location.pathname.replace(/\/+$/, "") + "/tus";
  const maxSize = Number(form.dataset.maxSize);
  let left = Number(form.dataset.left);
  let sending = false;
  const items = [];

  document.documentElement.classList.add("js", "empty");
  chooser.required = false;
  chooser.multiple = left > 1;
  if (matchMedia("(pointer: coarse)").matches) {
    document.documentElement.classList.add("touch");
    if (camera) camera.disabled = false;
  }
  const until = document.querySelector("time");
  until.textContent = new Date(until.dateTime).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });

  const sized = bytes => {
    for (const [unit, factor] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
      if (bytes >= factor) return `${(bytes / factor).toFixed(bytes < 10 * factor ? 1 : 0).replace(/\.0$/, "")} ${unit}`;
    }
    return `${bytes} bytes`;
  };
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // What is left of an upload that the page was closed in.
  const key = file => `dispatchd ${endpoint} ${file.name} ${file.size} ${file.lastModified}`;
  const memory = {
    get: file => { try { return localStorage.getItem(key(file)); } catch { return null; } },
    set: (file, url) => { try { localStorage.setItem(key(file), url); } catch { /* then it begins anew */ } },
    drop: file => { try { localStorage.removeItem(key(file)); } catch { /* nothing was kept */ } },
  };

  class Refused extends Error {}
  class Lost extends Error {
    constructor(wait) { super("The connection was lost."); this.wait = wait; }
  }

  // ask sends a request, and says how far its body is. It fails with Refused or, if it may be tried again, Lost.
  const ask = (item, method, url, headers, body) => new Promise((resolve, reject) => {
    const request = item.request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries({ Accept: "application/json", "Tus-Resumable": "1.0.0", ...headers })) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = event => show(item, item.offset + event.loaded);
    request.onerror = request.ontimeout = () => reject(new Lost());
    request.onabort = () => reject(new Refused("It was taken back."));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve(request);
      if ([408, 409, 423, 429].includes(request.status) && !permanent(request) || request.status >= 500) {
        return reject(new Lost(Number(request.getResponseHeader("Retry-After"))));
      }
      const refused = new Refused(said(request));
      refused.status = request.status;
      reject(refused);
    };
    request.send(body || null);
  });
  const answer = request => { try { return JSON.parse(request.responseText); } catch { return {}; } };
  const permanent = request => ["attachments.quota_exceeded", "attachments.too_many_parts", "attachments.too_many_transfers"].includes(answer(request).code);
  const said = request => {
    const { code, message, errors } = answer(request);
    if (code === "attachments.type_refused") return "Files of this kind are not taken here.";
    if (code === "attachments.quota_exceeded") return "There is no room for it at the moment.";
    return Object.values(errors || {})[0]?.[0] || message || "It was not taken.";
  };

  const metadata = name => {
    const bytes = new TextEncoder().encode(name);
    return "filename " + btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  };

  // place finds out where to send a file to, and how much of it is there.
  const place = async item => {
    item.url ||= memory.get(item.file);
    if (item.url) {
      try {
        item.offset = Number((await ask(item, "HEAD", item.url)).getResponseHeader("Upload-Offset"));
        return;
      } catch (error) {
        if (!(error instanceof Refused) || !error.status) throw error;
        memory.drop(item.file);
      }
    }
    const made = await ask(item, "POST", endpoint, { "Upload-Length": item.file.size, "Upload-Metadata": metadata(item.file.name) });
    item.url = made.getResponseHeader("Location");
    item.offset = Number(made.getResponseHeader("Upload-Offset"));
    memory.set(item.file, item.url);
  };

  const pause = (seconds) => new Promise(resolve => {
    const done = () => { clearTimeout(timer); removeEventListener("online", done); resolve(); };
    const timer = setTimeout(done, seconds * 1000);
    addEventListener("online", done);
  });

  const send = async item => {
    let failures = 0;
    item.offset = 0;
    mark(item, "sending", "Sending");
    for (let placed = false; ;) {
      const before = item.offset;
      if (item.cancelled) throw new Refused("It was taken back.");
      try {
        if (!placed) { await place(item); placed = true; }
        show(item, item.offset);
        if (item.offset >= item.file.size) break;
        const sent = await ask(item, "PATCH", item.url, {
          "Content-Type": "application/offset+octet-stream", "Upload-Offset": item.offset,
        }, item.file.slice(item.offset, item.offset + piece));
        item.offset = Number(sent.getResponseHeader("Upload-Offset"));
        failures = 0;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        failures = item.offset > before ? 0 : failures + 1;
        if (failures > waits.length) throw error;
        placed = false;
        mark(item, "sending", navigator.onLine ? "Interrupted; trying again" : "No network; waiting for it");
        await pause(error.wait || waits[failures - 1] || 1);
      }
    }
    memory.drop(item.file);
  };

  // follow shows what becomes of a file that has arrived: it may still be scanned.
  const checks = 60; // that are asked for, seldomer and seldomer, which takes about ten minutes
  const follow = async (item, number = 0) => {
    let outcome;
    try { outcome = answer(await ask(item, "GET", item.url)).status; } catch (error) { outcome = error instanceof Lost ? "checking" : ""; }
    if (outcome === "refused") return mark(item, "refused", "Refused: it was found to be dangerous.");
    if (outcome !== "checking") return mark(item, "done", `Arrived, ${sized(item.file.size)}`);
    if (number >= checks) return mark(item, "done", "Arrived, and will be checked later");
    mark(item, "checking", "Arrived, and is being checked");
    setTimeout(async () => { await follow(item, number + 1); if (!sending) summary(); }, Math.min(1000 * (number + 1), 10_000));
  };
  const over = item => ["done", "checking", "refused"].includes(item.kind);

  const show = (item, bytes) => {
    const part = item.file.size ? Math.min(1, bytes / item.file.size) : 1;
    item.bar.value = part;
    if (item.kind === "sending") item.state.textContent = part < 1 ? `${Math.floor(part * 100)} % of ${sized(item.file.size)}` : "Almost done";
  };
  const mark = (item, kind, text) => {
    item.kind = kind;
    item.row.className = kind;
    item.state.textContent = text;
    item.bar.hidden = kind !== "sending";
    item.away.hidden = over(item);
    item.away.textContent = kind === "sending" ? "Cancel" : "Remove";
    item.away.setAttribute("aria-label", `${item.away.textContent} ${item.file.name}`);
  };

  const waiting = () => items.filter(item => item.kind === "waiting" || item.kind === "failed");
  const refresh = () => {
    document.documentElement.classList.toggle("empty", items.length === 0);
    const count = waiting().length;
    button.hidden = count === 0 && !sending;
    button.disabled = sending;
    button.textContent = sending ? "Sending…" : items.some(item => item.kind === "failed") ? "Try again" : count > 1 ? `Send ${count} files` : "Send";
  };

  const remove = item => {
    item.cancelled = true;
    if (item.kind === "sending") {
      item.request?.abort();
      if (item.url) fetch(item.url, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } }).catch(() => {});
    }
    memory.drop(item.file);
    items.splice(items.indexOf(item), 1);
    item.row.remove();
    problem.textContent = "";
    refresh();
    (chooser.disabled ? document.getElementById("heading") : chooser).focus();
  };

  const add = files => {
    problem.textContent = "";
    status.textContent = "";
    for (const file of files) {
      if (items.some(item => key(item.file) === key(file))) continue;
      if (file.size > maxSize) {
        problem.textContent = `${file.name} is larger than ${sized(maxSize)}.`;
        continue;
      }
      if (items.filter(item => !over(item)).length >= left) {
        problem.textContent = left === 1 ? "This link takes one file more." : `This link takes ${left} files more.`;
        break;
      }
      const item = {
        file, offset: 0,
        bar: element("progress", { max: 1, value: 0 }), state: element("span", { className: "state" }), away: element("button", { type: "button" }),
      };
      item.bar.setAttribute("aria-label", `Progress of ${file.name}`);
      item.away.addEventListener("click", () => remove(item));
      item.row = element("li", {}, element("div", { className: "row" },
        element("div", {}, element("div", { className: "name", textContent: file.name }), item.state), item.away), item.bar);
      mark(item, "waiting", sized(file.size));
      items.push(item);
      list.append(item.row);
    }
    refresh();
    if (waiting().length) button.focus();
  };

  const sendAll = async () => {
    if (sending) return;
    sending = true;
    problem.textContent = "";
    let number = 0;
    for (let item; (item = waiting().find(one => !one.tried));) {
      item.tried = true;
      refresh();
      status.className = "";
      const rest = waiting().filter(one => !one.tried).length;
      status.textContent = ++number + rest > 1 ? `Sending file ${number} of ${number + rest}` : "";
      try {
        await send(item);
        left--;
        await follow(item);
      } catch (error) {
        if (items.includes(item)) mark(item, "failed", `Not sent: ${error.message}`);
      }
    }
    sending = false;
    for (const item of items) item.tried = false;
    summary();
    if (!waiting().length && left <= 0) {
      chooser.disabled = true;
      drop.hidden = document.getElementById("rules").hidden = true;
    }
    refresh();
    if (button.hidden) document.getElementById("heading").focus();
  };

  // summary says what became of all.
  const summary = () => {
    const count = kind => items.filter(item => item.kind === kind).length;
    const failed = count("failed"), refused = count("refused"), checking = count("checking"), done = count("done") + checking;
    status.className = failed || refused || checking || !done ? "" : "done";
    status.textContent = failed || refused ? `${done || "None"} of ${items.length} sent. Please see above what went wrong.`
      : checking ? "All files have arrived, and are being checked. You can close this page."
      : !done ? "" : left === 1 ? "All files have arrived. Thank you! You can send one more." : left > 1
        ? `All files have arrived. Thank you! You can send ${left} more.` : "All files have arrived. Thank you!";
  };

  for (const input of [chooser, camera]) {
    input?.addEventListener("change", () => { add([...input.files]); input.value = ""; });
  }
  form.addEventListener("submit", event => { event.preventDefault(); sendAll(); });
  for (const name of ["dragenter", "dragover"]) {
    addEventListener(name, event => { event.preventDefault(); drop.classList.add("over"); });
  }
  addEventListener("dragleave", event => { if (!event.relatedTarget) drop.classList.remove("over"); });
  addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    if (!chooser.disabled) add([...event.dataTransfer.files]);
  });
  addEventListener("beforeunload", event => { if (sending) event.preventDefault(); });
  refresh();
})();
