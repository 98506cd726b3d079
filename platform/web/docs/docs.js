// The reference of this deployment. It shows the operations of one area at a time, from that area's OpenAPI document, and searches those
// of all areas in docs/operations.json. Nothing is loaded from elsewhere, and nothing of a document is taken for HTML.
"use strict";

const most = 50; // operations that a search shows
const many = 40; // fields of an answer that has to be opened to be seen
const longest = 200_000; // characters of an answer that are shown
const documents = new Map();
const main = document.getElementById("main");
const search = document.getElementById("search");
let index; // of all operations
let token = ""; // for trying operations; it is kept nowhere

// make makes an element of a name, such as "p.soft", with properties and children.
function make(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = Object.assign(document.createElement(tag), properties);
  if (classes.length) made.classList.add(...classes);
  made.append(...children.filter((child) => child != null));
  return made;
}

// prose makes paragraphs, lists and code of Markdown.
function prose(text) {
  const made = document.createDocumentFragment();
  for (const block of (text || "").split(/\n{2,}/)) {
    const lines = block.trim().split("\n");
    if (!lines[0]) continue;
    if (lines.every((line) => /^(-|\*|\d+\.) |^ +/.test(line))) {
      const items = block.trim().split(/\n(?=(?:-|\*|\d+\.) )/).map((item) => make("li", {}, inline(item.replace(/^(-|\*|\d+\.) /, ""))));
      made.append(make("ul", {}, ...items));
    } else if (/^#+ /.test(lines[0])) {
      made.append(make("h3", {}, inline(block.trim().replace(/^#+ /, ""))));
    } else {
      made.append(make("p", {}, inline(lines.join(" "))));
    }
  }
  return made;
}

// inline makes code, bold text and links of a line of Markdown.
function inline(text) {
  const made = document.createDocumentFragment();
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https?:\/\/[^)\s]+)\)|(https?:\/\/[^\s)]+[^\s).,;])/g;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    made.append(text.slice(at, match.index));
    const [, code, bold, label, target, address] = match;
    if (code) made.append(make("code", { textContent: code }));
    else if (bold) made.append(make("b", { textContent: bold }));
    else made.append(make("a", { href: target || address, rel: "noreferrer", textContent: label || address }));
    at = match.index + match[0].length;
  }
  made.append(text.slice(at));
  return made;
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} was answered ${answer.status}`);
  return answer.json();
}

// documentOf returns the OpenAPI document of an area.
function documentOf(area) {
  if (!documents.has(area)) {
    const loading = load(`openapi.json?area=${encodeURIComponent(area)}`);
    loading.catch(() => documents.delete(area));
    documents.set(area, loading);
  }
  return documents.get(area);
}

// resolve follows references.
function resolve(root, value) {
  while (value && value.$ref) {
    value = value.$ref.slice(2).split("/").reduce((at, key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  }
  return value || {};
}

const nameOf = (ref) => ref.slice(ref.lastIndexOf("/") + 1);

// typeOf says in words what a schema takes.
function typeOf(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  const choices = schema.oneOf || schema.anyOf;
  if (choices) return choices.map(typeOf).join(" or ");
  if (schema.allOf) return schema.allOf.map(typeOf).join(" with ");
  const types = [].concat(schema.type || (schema.properties ? "object" : "anything"));
  return types.map((type) => {
    if (type === "array") return `list of ${typeOf(schema.items || {})}`;
    if (type === "object" && typeof schema.additionalProperties === "object") return `map of ${typeOf(schema.additionalProperties)}`;
    return type === "string" && schema.format ? schema.format : type;
  }).join(" or ");
}

// limitsOf says which values a schema takes.
function limitsOf(schema) {
  const limits = [];
  const add = (label, value) => value !== undefined && limits.push(`${label} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  if (schema.enum) limits.push(`one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`);
  add("at least", schema.minimum);
  add("more than", schema.exclusiveMinimum);
  add("at most", schema.maximum);
  add("less than", schema.exclusiveMaximum);
  add("shortest", schema.minLength);
  add("longest", schema.maxLength);
  add("fewest", schema.minItems);
  add("most", schema.maxItems);
  add("pattern", schema.pattern);
  add("default", schema.default);
  add("example", schema.examples?.[0] ?? schema.example);
  if (schema.readOnly) limits.push("read only");
  if (schema.writeOnly) limits.push("write only");
  if (schema.deprecated) limits.push("deprecated");
  return limits.length ? make("p.type", {}, limits.join(" · ")) : null;
}

// objectsIn returns the objects inside a schema: itself, the items of a list, the choices.
function objectsIn(root, schema) {
  const seen = resolve(root, schema);
  if (seen.properties) return [{ label: schema.$ref ? nameOf(schema.$ref) : "object", schema: seen }];
  const inner = [...(seen.oneOf || []), ...(seen.anyOf || []), ...(seen.allOf || [])];
  if (seen.items) inner.push(seen.items);
  if (typeof seen.additionalProperties === "object") inner.push(seen.additionalProperties);
  return inner.flatMap((part) => objectsIn(root, part));
}

// fieldsOf lists the properties of an object. What is inside of them is made when it is opened.
function fieldsOf(root, schema) {
  const required = new Set(schema.required);
  const list = make("ul.fields");
  for (const [name, property] of Object.entries(schema.properties || {})) {
    list.append(fieldOf(root, name, property, required.has(name)));
  }
  return list;
}

function fieldOf(root, name, schema, required, about) {
  const item = make("li", {}, make("code.name", { textContent: name }), " ", make("span.type", { textContent: typeOf(schema) }),
    required ? make("span.required", { textContent: " required" }) : null);
  const seen = resolve(root, schema);
  const text = about || schema.description || seen.description;
  if (text) item.append(prose(text));
  const limits = limitsOf(seen);
  if (limits) item.append(limits);
  item.append(...insideOf(root, schema));
  return item;
}

// insideOf makes what opens the objects inside of a schema.
function insideOf(root, schema) {
  return objectsIn(root, schema).map((part) => {
    const inner = make("details.inner", {}, make("summary", { textContent: `Fields of ${part.label}` }));
    inner.addEventListener("toggle", () => inner.append(fieldsOf(root, part.schema)), { once: true });
    return inner;
  });
}

// schemaOf shows the schema of a body, with its fields open.
function schemaOf(root, schema) {
  const made = make("div", {}, make("p.type", { textContent: typeOf(schema) }));
  const parts = objectsIn(root, schema);
  if (parts.length === 1) made.append(fieldsOf(root, parts[0].schema));
  else made.append(...insideOf(root, schema));
  return made;
}

const shown = (value) => typeof value === "string" ? value : JSON.stringify(value, null, 2);

function exampleOf(root, media) {
  const example = media.example ?? resolve(root, Object.values(media.examples || {})[0]).value ?? media.schema?.examples?.[0];
  return example === undefined ? undefined : shown(example);
}

function contentOf(root, content) {
  const made = document.createDocumentFragment();
  for (const [media, described] of Object.entries(content || {})) {
    made.append(make("h4", {}, make("code", { textContent: media })));
    if (described.schema) made.append(schemaOf(root, described.schema));
    const example = exampleOf(root, described);
    if (example !== undefined) {
      made.append(make("details.inner", { open: media === "application/json" }, make("summary", { textContent: "Example" }), make("pre", { textContent: example })));
    }
  }
  return made;
}

// detailOf shows an operation.
function detailOf(root, op, path, method) {
  const parameters = (op.parameters || []).map((parameter) => resolve(root, parameter));
  const body = op.requestBody && resolve(root, op.requestBody);
  const scopes = (op.security || []).flatMap((entry) => Object.values(entry).flat());
  const made = make("div", {}, prose(op.description), make("p.soft", {}, make("code", { textContent: op.operationId }), ". ",
    !op.security?.length ? "Public: it needs no token." : scopes.length ? "Scope: " : "Any valid token.",
    scopes.length ? make("code", { textContent: scopes.join(" ") }) : null));
  if (parameters.length) {
    const list = make("ul.fields");
    for (const parameter of parameters) {
      list.append(fieldOf(root, `${parameter.name}`, parameter.schema || {}, parameter.required, [`In the ${parameter.in}.`, parameter.description].filter(Boolean).join(" ")));
    }
    made.append(make("h3", { textContent: "Parameters" }), list);
  }
  if (body) made.append(make("h3", { textContent: "Request body" }), contentOf(root, body.content));
  made.append(make("h3", { textContent: "Responses" }));
  for (const [status, reference] of Object.entries(op.responses || {})) {
    const answer = make("details.answer", {}, make("summary", {}, make("b", { textContent: status }), " ", briefly(resolve(root, reference).description)));
    const fill = () => {
      const response = resolve(root, reference);
      answer.append(prose(response.description));
      for (const [name, header] of Object.entries(response.headers || {})) {
        const seen = resolve(root, header);
        answer.append(make("p", {}, make("code", { textContent: name }), " ", inline(seen.description || "")));
      }
      answer.append(contentOf(root, response.content));
    };
    answer.addEventListener("toggle", fill, { once: true });
    answer.open = status.startsWith("2") && sizeOf(root, resolve(root, reference).content) <= many;
    made.append(answer);
  }
  made.append(trial(root, path, method, parameters, body));
  return made;
}

// sizeOf counts the fields of a body.
function sizeOf(root, content) {
  return Object.values(content || {}).flatMap((media) => objectsIn(root, media.schema || {}))
    .reduce((sum, part) => sum + Object.keys(part.schema.properties).length, 0);
}

// briefly returns the beginning of a text, as plain text.
function briefly(text) {
  const line = (text || "").split("\n")[0].replaceAll("`", "");
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

// trial makes the form that sends a request.
function trial(root, path, method, parameters, body) {
  const fields = new Map();
  const field = (label, input) => make("label", {}, label, input);
  const form = make("form.try", {}, make("h3", { textContent: "Try it" }));
  const bearer = make("input", { type: "password", value: token, autocomplete: "off", placeholder: "Kept until this page is closed" });
  bearer.addEventListener("input", () => { token = bearer.value; });
  form.append(field("Token", bearer));
  for (const parameter of parameters) {
    const input = make("input", { type: "text", required: parameter.in === "path", autocomplete: "off" });
    fields.set(parameter, input);
    form.append(field(`${parameter.name} (${parameter.in})`, input));
  }
  const [media, described] = Object.entries(body?.content || {})[0] || [];
  let entry;
  if (media && (media.includes("json") || media.startsWith("text/"))) {
    entry = make("textarea", { value: exampleOf(root, described) ?? "", spellcheck: false });
  } else if (media) {
    entry = make("input", { type: "file" });
  }
  if (entry) form.append(field(`Body (${media})`, entry));
  const send = make("button", { type: "submit", textContent: "Send" });
  const stop = make("button", { type: "button", textContent: "Stop", hidden: true });
  const state = make("span.soft", { role: "status" });
  const result = make("pre", { hidden: true });
  form.append(make("div.row", {}, send, stop, state), result);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const cancel = new AbortController();
    stop.onclick = () => cancel.abort();
    stop.hidden = false;
    result.hidden = true;
    state.textContent = "Sending …";
    const began = performance.now();
    try {
      const answer = await fetch(...requestOf(path, method, fields, media, entry), { signal: cancel.signal });
      state.textContent = `${answer.status} ${answer.statusText} after ${Math.round(performance.now() - began)} ms`;
      result.textContent = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n") + "\n\n";
      result.hidden = false;
      await read(answer, result);
    } catch (failure) {
      state.textContent = failure.name === "AbortError" ? "Stopped." : `Not answered: ${failure.message}`;
    } finally {
      stop.hidden = true;
    }
  });
  return form;
}

// requestOf returns the address and the options of a request.
function requestOf(path, method, fields, media, entry) {
  const headers = new Headers(token ? { Authorization: `Bearer ${token}` } : {});
  const query = [];
  let target = path;
  for (const [parameter, input] of fields) {
    if (input.value === "") continue;
    const value = encodeURIComponent(input.value);
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, value);
    else if (parameter.in === "header") headers.set(parameter.name, input.value);
    else if (parameter.style === "deepObject") query.push(input.value.replace(/^\?|^&/, ""));
    else query.push(`${encodeURIComponent(parameter.name)}=${value}`);
  }
  let body;
  if (entry?.type === "file" && media === "multipart/form-data") {
    body = new FormData();
    if (entry.files[0]) body.append("file", entry.files[0]);
  } else if (entry?.type === "file") {
    body = entry.files[0];
    headers.set("Content-Type", media);
  } else if (entry?.value) {
    body = entry.value;
    headers.set("Content-Type", media);
  }
  // Relative to this page, which may be served below a path.
  return [`.${target}${query.length ? `?${query.join("&")}` : ""}`, { method: method.toUpperCase(), headers, body, cache: "no-store" }];
}

// read shows an answer as it comes.
async function read(answer, result) {
  const type = answer.headers.get("Content-Type") || "";
  if (!/json|text|xml/.test(type)) {
    const size = (await answer.arrayBuffer()).byteLength;
    if (size) result.textContent += `${size} bytes`;
    return;
  }
  if (!type.includes("event-stream")) {
    const text = await answer.text();
    let laid = text;
    if (/[/+]json/.test(type)) try { laid = shown(JSON.parse(text)); } catch { /* as it came */ }
    result.textContent += laid.slice(0, longest);
    return;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done && result.textContent.length < longest; part = await reader.read()) {
    result.append(part.value);
  }
}

// rowOf makes the line of an operation, which shows all of it when it is opened.
function rowOf(op) {
  const method = op.method.toLowerCase();
  const row = make("details.op", { id: op.id }, make("summary", {}, make(`span.method.${method}`, { textContent: op.method }),
    make("span.path", { textContent: op.path }), make("span.about", { textContent: op.summary })));
  row.addEventListener("toggle", async () => {
    if (!row.open) return;
    history.replaceState(null, "", `#${op.id}`);
    if (row.dataset.filled) return;
    row.dataset.filled = "yes";
    const waiting = make("div", {}, make("p.soft", { textContent: "Loading …" }));
    row.append(waiting);
    try {
      const root = await documentOf(op.area);
      waiting.replaceWith(detailOf(root, root.paths[op.path][method], op.path, method));
    } catch (failure) {
      delete row.dataset.filled;
      waiting.replaceWith(make("div", {}, make("p.failure", { textContent: `This could not be loaded: ${failure.message}. Close and open it to try again.` })));
    }
  });
  return row;
}

function show(title, ...content) {
  main.replaceChildren(make("h2", { textContent: title }), ...content.filter((part) => part != null));
}

// showArea shows the operations of an area, and opens one.
function showArea(area, open) {
  show(area.title, make("p.soft", {}, make("code", { textContent: area.id }), ` · ${area.operations.length} operations · `,
    make("a", { href: `openapi.json?area=${encodeURIComponent(area.id)}`, textContent: "OpenAPI document of this area" })),
  ...area.operations.map(rowOf));
  mark(area.id);
  const row = open && document.getElementById(open);
  if (row) {
    row.open = true;
    row.scrollIntoView();
  } else {
    window.scrollTo(0, 0);
  }
}

function showHome() {
  show(`${index.name} ${index.version}`, prose(index.description));
  mark("");
}

// found returns the operations that have all words: those first whose id or summary begins with the text, those last that have one only in the
// title of their area.
function found(text) {
  const wanted = text.toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const all = index.areas.flatMap((area) => area.operations);
  const weigh = (op) => {
    if (op.id.startsWith(wanted.replaceAll(" ", "_")) || op.summary.toLowerCase().startsWith(wanted) || op.path === wanted) return 0;
    return words.every((word) => op.own.includes(word)) ? 1 : 2;
  };
  return all.filter((op) => words.every((word) => op.text.includes(word))).sort((x, y) => weigh(x) - weigh(y));
}

function showFound(text) {
  const all = found(text);
  show(`${all.length === 1 ? "1 operation" : `${all.length} operations`} for “${text}”`, ...all.slice(0, most).map(rowOf),
    all.length > most ? make("p.soft", { textContent: `${all.length - most} more. Add a word to find fewer.` }) : null,
    all.length ? null : make("p", { textContent: "Words are looked for in the method, the path, the summary, the id and the area." }));
  mark("");
  window.scrollTo(0, 0);
}

// mark marks the area that is shown.
function mark(area) {
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${area}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// route shows what the address says: an area, an operation, or the beginning.
function route() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted === "main") return main.focus();
  search.value = "";
  const area = index.areas.find((one) => one.id === wanted || one.operations.some((op) => op.id === wanted));
  if (area) showArea(area, wanted === area.id ? "" : wanted);
  else showHome();
  const list = document.querySelector("nav details");
  if (list && innerWidth < 800) list.open = false;
}

async function begin() {
  try {
    index = await load("docs/operations.json");
  } catch (failure) {
    show("The reference could not be loaded", make("p.failure", { textContent: `${failure.message}. Reload the page to try again.` }));
    return;
  }
  for (const area of index.areas) {
    for (const op of area.operations) {
      op.area = area.id;
      op.own = [op.method, op.path, op.summary, op.id, op.id.replaceAll("_", " ")].join(" ").toLowerCase();
      op.text = `${op.own} ${area.title.toLowerCase()}`;
    }
  }
  document.title = `${index.name} API reference`;
  document.getElementById("title").textContent = `${index.name} API`;
  const links = index.areas.map((area) => make("li", {}, make("a", { href: `#${area.id}` }, area.id.replaceAll("_", " "), make("span.count", { textContent: area.operations.length }))));
  document.getElementById("areas").append(make("details", { open: innerWidth >= 800 }, make("summary", { textContent: "Areas" }), make("ul", {}, ...links)));
  document.getElementById("find").addEventListener("submit", (event) => event.preventDefault());
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search.value.trim() ? showFound(search.value.trim()) : route(), 120);
  });
  addEventListener("hashchange", route);
  route();
}

begin();
