// What cannot be sent is kept in the browser, and sent in its order when the network is back.
const status = document.getElementById("queue");
const said = text => { if (status) { status.textContent = text; status.hidden = text === ""; } };

const shelf = () => new Promise((resolve, reject) => {
  const asked = indexedDB.open("bills-of-lading", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("entries", { autoIncrement: true });
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});
const onShelf = async (mode, use) => {
  const db = await shelf();
  return new Promise((resolve, reject) => {
    const work = db.transaction("entries", mode);
    const asked = use(work.objectStore("entries"));
    work.oncomplete = () => { db.close(); resolve(asked.result); };
    work.onerror = () => reject(work.error);
  });
};
const first = () => new Promise(async (resolve, reject) => {
  const db = await shelf();
  const asked = db.transaction("entries").objectStore("entries").openCursor();
  asked.onsuccess = () => { const at = asked.result; db.close(); resolve(at ? { key: at.key, entry: at.value } : null); };
  asked.onerror = () => reject(asked.error);
});
const count = () => onShelf("readonly", entries => entries.count());

const newId = () => crypto.randomUUID ? crypto.randomUUID() :
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, c => (c ^ crypto.getRandomValues(new Uint8Array(1))[0] & 15 >> c / 4).toString(16));

// Where the phone is goes with the entries, and is told every minute while the page is open.
let place = null, told = 0;
if (status && navigator.geolocation) navigator.geolocation.watchPosition(at => {
  place = at.coords;
  if (Date.now() - told < 60000) return;
  told = Date.now();
  const position = { at: new Date(at.timestamp).toISOString(), position: { lat: place.latitude, lng: place.longitude }, accuracy_m: Math.round(place.accuracy) };
  fetch(location.pathname + "/positions", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ positions: [position] }) }).catch(() => {});
}, () => {}, { maximumAge: 600000 });

let sending = false;
const send = async () => {
  if (sending) return;
  sending = true;
  let sent = 0, refused = "";
  try {
    for (let next = await first(); next; next = await first()) {
      const { action, files, fields } = next.entry;
      const body = files ? new FormData() : new URLSearchParams();
      for (const [name, value] of fields) body.append(name, value);
      let answer;
      try {
        answer = await fetch(action, { method: "POST", headers: { Accept: "application/json" }, body });
      } catch {
        break; // without a network
      }
      if (answer.status >= 500 || answer.status === 429) break;
      await onShelf("readwrite", entries => entries.delete(next.key));
      if (answer.ok) sent++;
      else {
        const failure = await answer.json().catch(() => ({}));
        refused = Object.values(failure.errors ?? {}).flat().join(" ") || failure.message || "It was not accepted.";
      }
    }
  } finally {
    sending = false;
  }
  const left = await count();
  if (refused) said(refused);
  else if (left > 0) said(left === 1 ? "1 entry is kept on this phone. It is sent when the network is back." : left + " entries are kept on this phone. They are sent when the network is back.");
  else if (sent > 0) location.replace(location.pathname);
};

document.addEventListener("submit", async event => {
  const form = event.target;
  const verb = form.dataset.form;
  if (!status || !["inspections", "damages", "photos", "submissions", "signatures"].includes(verb)) return;
  event.preventDefault();
  const data = new FormData(form);
  const fields = [["client_id", newId()], ["occurred_at", new Date().toISOString()]];
  const files = form.enctype === "multipart/form-data";
  const within = { photos: "", inspections: "position.", signatures: "position." }[verb];
  if (place && within !== undefined) fields.push([within + "lat", String(place.latitude)], [within + "lng", String(place.longitude)]);
  fields.push(...data);
  if (files && !(data.get("file")?.size > 0)) { said("Take or choose a photo first."); return; }
  await onShelf("readwrite", entries => entries.add({ action: form.action, files, fields }));
  said("Saved on this phone.");
  form.reset();
  send();
});
if (status) {
  addEventListener("online", send);
  setInterval(send, 15000);
  send();
}

// A damage is put on the outline by a tap.
for (const outline of document.querySelectorAll(".outline")) {
  const form = outline.closest(".card").querySelector("form[data-form=damages]");
  if (!form) continue;
  outline.addEventListener("click", event => {
    const side = event.target.dataset?.side;
    if (!side) return;
    const box = event.target.getBoundingClientRect();
    form.elements.side.value = side;
    form.elements.x.value = Math.round(1000 * (event.clientX - box.left) / box.width);
    form.elements.y.value = Math.round(1000 * (event.clientY - box.top) / box.height);
    form.closest("details").open = true;
    outline.querySelector("circle.here")?.remove();
    const whole = outline.getBoundingClientRect();
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    dot.setAttribute("class", "here");
    dot.setAttribute("r", "5");
    dot.setAttribute("cx", 300 * (event.clientX - whole.left) / whole.width);
    dot.setAttribute("cy", 210 * (event.clientY - whole.top) / whole.height);
    outline.append(dot);
  });
}

// Signatures are drawn.
for (const { form } of document.querySelectorAll("input[name=strokes]")) {
  const pad = document.createElement("canvas");
  pad.className = "pad";
  pad.width = 600;
  pad.height = 200;
  pad.setAttribute("role", "img");
  pad.setAttribute("aria-label", "Sign here with a finger or the mouse; or enter your name alone");
  form.querySelector("p.row").before(pad);
  const pen = pad.getContext("2d");
  pen.lineWidth = 3;
  pen.strokeStyle = "#111";
  let path = "", drawing = false;
  const at = event => {
    const box = pad.getBoundingClientRect();
    const within = (n, most) => Math.max(0, Math.min(most, Math.round(n)));
    return [within(600 * (event.clientX - box.left) / box.width, 600), within(200 * (event.clientY - box.top) / box.height, 200)];
  };
  pad.addEventListener("pointerdown", event => {
    pad.setPointerCapture(event.pointerId);
    drawing = true;
    const [x, y] = at(event);
    path += `M${x} ${y}`;
    pen.beginPath();
    pen.moveTo(x, y);
  });
  pad.addEventListener("pointermove", event => {
    if (!drawing || path.length > 60000) return;
    const [x, y] = at(event);
    path += `L${x} ${y}`;
    pen.lineTo(x, y);
    pen.stroke();
    form.elements.strokes.value = path;
    if (form.elements.method) form.elements.method.value = "drawn";
  });
  pad.addEventListener("pointerup", () => { drawing = false; });
  form.addEventListener("reset", () => {
    path = form.elements.strokes.value = "";
    if (form.elements.method) form.elements.method.value = "";
    pen.clearRect(0, 0, 600, 200);
  });
}
