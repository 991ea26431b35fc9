// Shows the OpenAPI document next to this page: operations by kind, then schemas. Details are rendered when they are
// opened, because rendering the whole document at once is too much for a browser.

const METHODS = ["get", "head", "post", "put", "delete"];
const main = document.getElementById("main");
const contents = document.getElementById("contents");
const search = document.getElementById("search");
let api;

/** An element with a class and children; texts become text, never markup. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return element;
}

function linkTo(target, text) {
  const link = make("a", "", text);
  link.href = "#" + target;
  return link;
}

/** A small link to an operation, to be copied. */
function anchorTo(target, what) {
  const link = make("a", "anchor", "#");
  link.href = "#" + target;
  link.title = "A link to this";
  link.setAttribute("aria-label", "Link to " + what);
  return link;
}

/** Texts with `code` and **strong** in them. */
function prose(text, className) {
  const parts = (text ?? "").split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(part =>
    part.startsWith("`") ? make("code", "", part.slice(1, -1))
      : part.startsWith("**") ? make("strong", "", part.slice(2, -2)) : part);
  return make("p", className, ...parts);
}

const nameOf = ref => ref.split("/").pop();

function resolve(node) {
  return node && node.$ref
    ? node.$ref.slice(2).split("/").reduce((at, step) => at[step], api)
    : node;
}

/** What a value is, in a few words, with a link to its schema. */
function kindOf(schema) {
  if (schema.$ref) return linkTo("schema-" + nameOf(schema.$ref), nameOf(schema.$ref));
  if (schema.type === "array") return make("span", "", "array of ", kindOf(schema.items ?? {}));
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.oneOf && !schema.properties) {
    const either = make("span", "");
    schema.oneOf.forEach((one, index) => either.append(index ? " or " : "", kindOf(one)));
    return either;
  }
  if (schema.additionalProperties && schema.additionalProperties !== true) {
    return make("span", "", "object of ", kindOf(schema.additionalProperties));
  }
  return (schema.type ?? "any") + (schema.format ? ` (${schema.format})` : "");
}

function limitsOf(schema) {
  const range = (least, most, unit) =>
    least === undefined && most === undefined ? [] :
      [(most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`) + unit];
  return [
    ...range(schema.minimum, schema.maximum, ""),
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " elements"),
    ...(schema.pattern ? ["matches " + schema.pattern] : []),
    ...(schema.default !== undefined ? ["default " + JSON.stringify(schema.default)] : []),
  ].join("; ");
}

function marks(schema, isRequired) {
  return [
    isRequired && make("span", "mark required", "required"),
    schema.readOnly && make("span", "mark", "read only"),
    schema.deprecated && make("span", "mark", "deprecated"),
    schema["x-beta"] && make("span", "mark", "beta"),
  ].filter(Boolean).flatMap(mark => [" ", mark]);
}

function row(name, schema, isRequired, description) {
  const inner = schema.type === "array" ? schema.items : schema;
  const limits = [limitsOf(schema), inner === schema ? "" : limitsOf(inner ?? {})].filter(Boolean).join("; ");
  return make("tr", "",
    make("td", "", make("span", "name", name)),
    make("td", "",
      make("span", "kind", kindOf(schema)), ...marks(schema, isRequired),
      limits ? make("p", "quiet", limits) : null,
      description ? prose(description) : null,
      inner && inner.$ref ? later(nameOf(inner.$ref), inner.$ref) : null));
}

/** A closed box within another, drawn when it is first opened. */
function inner(name, draw) {
  const box = make("details", "inner", make("summary", "", name));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(...draw());
  });
  return box;
}

/** The fields of a schema that is named elsewhere. */
function later(name, ref) {
  return inner(name, () => drawSchema(resolve({ $ref: ref })));
}

function drawSchema(schema) {
  if (schema.$ref) return [later(nameOf(schema.$ref), schema.$ref)];
  const drawn = [];
  if (schema.description) drawn.push(prose(schema.description));
  if (schema.enum) {
    const says = schema["x-enumDescriptions"] ?? {};
    drawn.push(make("table", "", ...schema.enum.map(value => make("tr", "",
      make("td", "", make("span", "name", String(value))), make("td", "", prose(says[value]))))));
  } else if (schema.allOf) {
    drawn.push(...schema.allOf.flatMap(drawSchema));
  } else if (schema.oneOf && !schema.properties) {
    drawn.push(...schema.oneOf.flatMap(drawSchema));
  } else if (schema.properties) {
    const required = schema.required ?? [];
    drawn.push(make("table", "", ...Object.entries(schema.properties).map(([name, field]) =>
      row(name, field, required.includes(name), field.description))));
  } else {
    const limits = limitsOf(schema);
    drawn.push(make("p", "kind", kindOf(schema), limits ? "; " + limits : ""));
  }
  return drawn;
}

function drawContent(holder) {
  return Object.values(holder.content ?? {}).flatMap(({ schema }) => drawSchema(schema));
}

function drawOperation(entry) {
  const { item, operation } = entry;
  const drawn = make("div", "body");
  const part = (title, ...children) => drawn.append(make("h3", "", title), ...children);
  const scopes = (operation.security ?? []).flatMap(scheme => Object.entries(scheme))
    .flatMap(([scheme, names]) => names.length ? names : [scheme]);
  part("Try it", drawRequest(entry));
  part("Authorization", scopes.length
    ? make("p", "", ...scopes.flatMap((scope, index) => [index ? " or " : "", make("code", "", scope)]))
    : make("p", "quiet", "None."));
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  if (parameters.length) {
    part("Parameters", make("table", "", ...parameters.map(parameter =>
      row(parameter.name, parameter.schema, parameter.required, `${parameter.description} (${parameter.in})`))));
  }
  if (operation.requestBody) part("Request body", ...drawContent(operation.requestBody));
  for (const [status, answer] of Object.entries(operation.responses)) {
    const { description, ...resolved } = resolve(answer);
    if (status >= 300) continue;
    part("Answer " + status, prose(description), ...drawContent(resolved));
    const json = resolved.content?.["application/json"];
    if (json) drawn.append(inner("an example", () => [make("div", "try", coloured(exampleOf(json.schema)))]));
  }
  const refusals = Object.entries(operation.responses).filter(([status]) => status >= 300);
  if (refusals.length) {
    part("Refusals", make("table", "", ...refusals.map(([status, answer]) => make("tr", "",
      make("td", "", make("span", "name", status)), make("td", "", prose(resolve(answer).description))))));
  }
  part("Operation id", make("code", "", operation.operationId));
  return drawn;
}

/** A closed box whose inside is drawn when it is first opened. */
function box(id, summary, draw) {
  const element = make("details", "operation", make("summary", "", ...summary));
  element.id = id;
  element.addEventListener("toggle", () => {
    if (!element.open) return;
    if (element.childElementCount === 1) element.append(draw());
    // The URL contains what is open, so that it can be shared.
    history.replaceState(null, "", "#" + id);
  });
  return element;
}

function operations() {
  return Object.entries(api.paths).flatMap(([path, item]) => METHODS.filter(method => item[method]).map(method =>
    ({ path, item, method, operation: item[method], tag: item[method].tags[0] })));
}

function show(words) {
  const fits = (...texts) => words.every(word => texts.some(text => (text ?? "").toLowerCase().includes(word)));
  const found = operations().filter(({ path, method, operation, tag }) =>
    fits(path, method, operation.summary, operation.operationId, tag));
  const schemas = Object.entries(api.components.schemas).filter(([name]) => fits(name));
  const drawn = words.length ? [] : [make("section", "",
    ...(api.info.description ?? "").split("\n").filter(Boolean).map(line => prose(line.replace(/^- /, ""))))];
  const index = [make("h2", "", "Operations")];
  for (const { name, description } of api.tags) {
    const own = found.filter(({ tag }) => tag === name);
    if (!own.length) continue;
    const section = make("section", "", make("h2", "", name), prose(description, "quiet"), ...own.map(entry =>
      box("operation-" + entry.operation.operationId, [
        make("span", "method " + entry.method, entry.method),
        make("span", "path", entry.path),
        make("span", "quiet", entry.operation.summary),
        anchorTo("operation-" + entry.operation.operationId, entry.operation.summary),
      ], () => drawOperation(entry))));
    section.id = "tag-" + name;
    drawn.push(section);
    index.push(linkTo("tag-" + name, name));
  }
  if (schemas.length) {
    const section = make("section", "", make("h2", "", "Schemas"), ...schemas.map(([name, schema]) =>
      box("schema-" + name, [make("span", "name", name)], () => make("div", "body", ...drawSchema(schema)))));
    section.id = "schemas";
    drawn.push(section);
    index.push(make("h2", "", linkTo("schemas", `Schemas (${schemas.length})`)));
  }
  main.replaceChildren(...(drawn.length ? drawn : [make("p", "quiet", "Nothing fits.")]));
  contents.replaceChildren(...index);
  if (words.length && found.length === 1) main.querySelector("details").open = true;
}

/** Opens what the address names, and makes it visible when a search has hidden it. */
function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) return;
  if (!document.getElementById(id) && search.value) {
    search.value = "";
    show([]);
  }
  const target = document.getElementById(id);
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}

search.addEventListener("input", () => show(search.value.toLowerCase().split(/\s+/).filter(Boolean)));
addEventListener("hashchange", follow);
addEventListener("keydown", event => {
  if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    search.focus();
  }
});

fetch("openapi.json")
  .then(answer => answer.ok ? answer.json() : Promise.reject(new Error(`the server answered ${answer.status}`)))
  .then(read => {
    api = read;
    document.getElementById("version").textContent = api.info.version;
    show([]);
    follow();
  })
  .catch(problem => main.replaceChildren(make("p", "", `openapi.json could not be read: ${problem.message}.`)));
