// Sends queries to the address of this page and shows the documentation of the schema, which is part of the page.
"use strict";

const byId = id => document.getElementById(id);
const schema = JSON.parse(byId("schema").textContent);
const query = byId("query");
const variables = byId("variables");
const token = byId("token");
const EXAMPLE = `# Ctrl + Enter runs the query. Root fields in the documentation put a beginning here.
query {
  states(limit: 5, sort: ["key asc"]) {
    total
    results {
      id
      key
      type
      name(acceptLanguage: ["en", "de"])
      transitions {
        key
      }
    }
  }
}
`;

/** An element with a class and children; texts become text, never markup. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return element;
}

// What was typed last is still there after a reload; tokens only as long as the tab is open.
byId("project").textContent = decodeURIComponent(location.pathname.split("/")[1] ?? "");
query.value = localStorage.getItem("kontor-query") || EXAMPLE;
variables.value = localStorage.getItem("kontor-variables") || "";
token.value = sessionStorage.getItem("kontor-token") || "";
query.addEventListener("input", () => localStorage.setItem("kontor-query", query.value));
variables.addEventListener("input", () => localStorage.setItem("kontor-variables", variables.value));
token.addEventListener("input", () => sessionStorage.setItem("kontor-token", token.value));

/** Names, texts and numbers of JSON in colours. */
function show(value, failed) {
  const answer = byId("answer");
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  answer.replaceChildren();
  answer.classList.toggle("failed", failed);
  const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(-?\d[\d.eE+-]*|true|false|null)\b/g;
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    answer.append(text.slice(end, found.index));
    const [whole, string, colon] = found;
    answer.append(make("span", string ? (colon ? "name" : "text") : "number", string ?? whole));
    if (colon) answer.append(colon);
    end = found.index + whole.length;
  }
  answer.append(text.slice(end));
}

/** The operation in which the cursor is, where there are several with names. */
function operationName() {
  const names = [...query.value.matchAll(/(?:^|\s)(?:query|mutation)\s+([A-Za-z_]\w*)/g)];
  if (names.length < 2) return undefined;
  return (names.filter(found => found.index <= query.selectionStart).pop() ?? names[0])[1];
}

async function run() {
  const status = byId("status");
  let given;
  try {
    given = variables.value.trim() ? JSON.parse(variables.value) : undefined;
  } catch (error) {
    return show("The variables are no JSON: " + error.message, true);
  }
  status.textContent = "…";
  const started = performance.now();
  try {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + token.value.trim() },
      body: JSON.stringify({ query: query.value, variables: given, operationName: operationName() }),
    });
    const body = await answer.text();
    status.textContent = `${answer.status} in ${Math.round(performance.now() - started)} ms`;
    let json;
    try { json = JSON.parse(body); } catch { return show(body, true); }
    show(json, !answer.ok || Boolean(json.errors));
    if (answer.status === 401) byId("sign-in").open = true;
  } catch (error) {
    status.textContent = "";
    show("The server did not answer: " + error.message, true);
  }
}

byId("run").addEventListener("click", run);
document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    byId("search").focus();
  }
});
query.addEventListener("keydown", event => {
  // Tab indents; Shift and Tab leaves the field, so that the keyboard is never caught in it.
  if (event.key === "Tab" && !event.shiftKey) {
    event.preventDefault();
    query.setRangeText("  ", query.selectionStart, query.selectionEnd, "end");
  }
});

byId("client").addEventListener("submit", async event => {
  event.preventDefault();
  const form = new FormData(event.target);
  const said = byId("client-answer");
  const answer = await fetch("/oauth/token", {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: "Basic " + btoa(form.get("id") + ":" + form.get("secret")),
    },
    body: "grant_type=client_credentials",
  });
  const body = await answer.json();
  if (!answer.ok) {
    said.textContent = body.error_description ?? body.message ?? "refused";
    return;
  }
  token.value = body.access_token;
  sessionStorage.setItem("kontor-token", token.value);
  said.textContent = "";
  byId("sign-in").open = false;
});

// Documentation.

const innermost = type => type.split("=")[0].replace(/[[\]!\s]/g, "");
const place = () => decodeURIComponent(location.hash.slice(1)) || "Query";

/** A type in SDL, with a link where it has a page of its own. */
function linked(type) {
  const name = innermost(type);
  if (!schema[name]) return type;
  const [before, after] = type.split(name, 2);
  const link = make("a", "", name);
  link.href = "#" + name;
  return make("span", "", before, link, after);
}

/** A query for a root field, with its arguments and its plain fields. */
function beginning(root, name, field) {
  const plain = type => (schema[innermost(type)]?.fields ?? [])
    .filter(inner => !schema[innermost(inner.type)]?.fields && !inner.arguments?.some(one => one.type.endsWith("!")))
    .slice(0, 6)
    .map(inner => inner.name);
  const needed = (field.arguments ?? []).filter(one => one.type.endsWith("!") || ["id", "key"].includes(one.name));
  const parameters = needed.map(one => `$${one.name}: ${one.type}`).join(", ");
  const passed = needed.map(one => `${one.name}: $${one.name}`).join(", ");
  const result = schema[innermost(field.type)];
  const results = result?.fields?.find(inner => inner.name === "results");
  const body = results
    ? `total\n    results {\n      ${plain(results.type).join("\n      ")}\n    }`
    : plain(field.type).join("\n    ");
  return `${root === "Mutation" ? "mutation" : "query"}${parameters && `(${parameters})`} {
  ${name}${passed && `(${passed})`} {
    ${body}
  }
}
`;
}

function fieldOf(owner, field) {
  const row = make("div", field.deprecated ? "field deprecated" : "field");
  if (owner === "Query" || owner === "Mutation") {
    const use = make("button", "", "use");
    use.addEventListener("click", () => {
      query.value = beginning(owner, field.name, field);
      query.dispatchEvent(new Event("input"));
      query.focus();
    });
    row.append(use);
  }
  row.append(make("span", "own", field.name));
  if (field.arguments) {
    row.append("(");
    for (const one of field.arguments) {
      const line = make("span", "arguments", one.name, ": ", linked(one.type));
      if (one.doc) line.title = one.doc;
      row.append(line);
    }
    row.append(")");
  }
  row.append(": ", linked(field.type));
  if (field.deprecated) row.append(make("p", "", "Deprecated."));
  if (field.doc) row.append(make("p", "", field.doc));
  return row;
}

function draw() {
  const name = place();
  const type = schema[name];
  const trail = byId("trail");
  trail.replaceChildren();
  for (const [index, root] of ["Query", "Mutation"].entries()) {
    const link = make("a", "", root);
    link.href = "#" + root;
    trail.append(index ? " · " : "", link);
  }
  if (!type) return byId("documentation").replaceChildren(make("p", "", "There is no type " + name + "."));
  if (name !== "Query" && name !== "Mutation") trail.append(" › " + name);
  const page = [make("h2", "", `${type.kind} ${name}`), make("p", "", type.doc)];
  if (type.implements) {
    page.push(make("p", "", "implements ", ...type.implements.flatMap((one, index) => [index ? ", " : "", linked(one)])));
  }
  const implementers = Object.entries(schema).filter(([, other]) => other.implements?.includes(name));
  for (const field of type.fields ?? []) page.push(fieldOf(name, field));
  for (const value of type.values ?? []) {
    page.push(make("div", "field", value.name, value.doc ? make("p", "", value.doc) : null));
  }
  if (implementers.length) {
    page.push(make("h3", "", "Implemented by"));
    for (const [other] of implementers) page.push(make("div", "field", linked(other)));
  }
  byId("documentation").replaceChildren(...page);
  document.querySelector(".documentation").scrollTop = 0;
}

function find(words) {
  const wanted = words.toLowerCase();
  const hits = [];
  for (const [name, type] of Object.entries(schema)) {
    if (name.toLowerCase().includes(wanted)) hits.push([name, ""]);
    for (const field of type.fields ?? []) {
      if (field.name.toLowerCase().includes(wanted)) hits.push([name, field.name]);
    }
    if (hits.length > 100) break;
  }
  const rows = hits.slice(0, 100).map(([name, field]) => make("div", "field", linked(name), field && "." + field));
  byId("documentation").replaceChildren(...(rows.length ? rows : [make("p", "", "Nothing is called so.")]));
}

byId("search").addEventListener("input", event => event.target.value ? find(event.target.value) : draw());
window.addEventListener("hashchange", () => {
  byId("search").value = "";
  draw();
});
draw();
