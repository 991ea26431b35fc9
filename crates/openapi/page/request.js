// Sends requests: credentials, request, response.

/** Longest answer that is shown whole. */
const SHOWN_CHARACTERS_MAX = 200_000;

/** Who asks: in memory only. */
const asker = { project: "", credentials: "", token: "" };

const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** The project that scopes are of. They name it, so that it need not be typed; a typed one must be the one that they name. */
function projectOf(typed, scope) {
  const words = scope.split(/\s+/).filter(word => !/^(customer_id|anonymous_id):/.test(word));
  const projects = new Set(words.map(word => word.split(":")[1]).filter(Boolean));
  const [first = ""] = projects;
  if (typed && first && !projects.has(typed)) throw new Error(`This client is of the project '${first}', and not of '${typed}'.`);
  return typed || first;
}

/** The elements of the sign-in at the top of the page. */
function prepareSignIn() {
  const box = document.getElementById("sign-in");
  const form = box.querySelector("form");
  const refusal = document.getElementById("refusal");
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const given = new FormData(form);
    const scope = given.get("scope").trim();
    refusal.textContent = "";
    try {
      const credentials = "Basic " + base64(given.get("id").trim() + ":" + given.get("secret"));
      const answer = await fetch("/oauth/token", {
        method: "POST",
        // Without this option a 401 would open the login dialog of the browser.
        credentials: "omit",
        headers: { Authorization: credentials },
        body: new URLSearchParams({ grant_type: "client_credentials", ...(scope ? { scope } : {}) }),
      });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error_description ?? body.message ?? `the server answered ${answer.status}`);
      const project = projectOf(given.get("project").trim(), body.scope ?? "");
      Object.assign(asker, { project, credentials, token: body.access_token });
      document.getElementById("who").textContent = `as ${given.get("id").trim()}${project ? " of " + project : ""}`;
      const graphql = document.getElementById("graphql");
      graphql.hidden = !project;
      graphql.href = `/${encodeURIComponent(project)}/graphql`;
      for (const input of document.querySelectorAll('input[name="projectKey"]')) {
        input.value ||= project;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
      box.open = false;
    } catch (problem) {
      refusal.textContent = problem.message;
    }
  });
  addEventListener("keydown", event => {
    if (event.key === "Escape" && box.open) {
      box.open = false;
      box.querySelector("summary").focus();
    }
  });
}

/** JSON in colours, any other text as it is. */
function coloured(value, failed) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const shown = make("pre", failed ? "failed" : "");
  shown.tabIndex = 0;
  if (text.length > SHOWN_CHARACTERS_MAX) {
    shown.append(text.slice(0, SHOWN_CHARACTERS_MAX), `\n… ${text.length} characters in all`);
    return shown;
  }
  const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(-?\d[\d.eE+-]*|true|false|null)\b/g;
  let end = 0;
  for (const found of typeof value === "string" ? [] : text.matchAll(pattern)) {
    const [whole, string, colon] = found;
    shown.append(text.slice(end, found.index), make("span", string ? (colon ? "name" : "text") : "number", string ?? whole), colon ?? "");
    end = found.index + whole.length;
  }
  shown.append(text.slice(end));
  return shown;
}

/** The body that an operation takes: its media type, an example as text, or neither. */
function bodyOf(operation) {
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  if (!type) return {};
  if (type === "application/json") return { type, text: JSON.stringify(exampleOf(media.schema), null, 2) };
  if (type === "application/x-www-form-urlencoded") return { type, text: new URLSearchParams(exampleOf(media.schema)).toString() };
  return { type, isFile: true };
}

function valueInput(parameter) {
  const input = make("input", "");
  input.name = parameter.name;
  input.spellcheck = false;
  input.dataset.in = parameter.in;
  if (parameter.name === "projectKey") input.value = asker.project;
  else if (parameter.required) input.placeholder = String(exampleOf(parameter.schema, parameter.name));
  return make("label", "", parameter.name + (parameter.required ? " *" : ""), input);
}

/** Method, address, headers and body of what the form asks. */
function requestOf({ path, method, operation }, form, body) {
  const inputs = [...form.querySelectorAll("input[data-in]")];
  const value = name => inputs.find(input => input.name === name)?.value.trim();
  const filled = path.replace(/\{(\w+)\}/g, (whole, name) => encodeURIComponent(value(name) ?? "").replace(/^$/, whole));
  const query = new URLSearchParams(inputs.filter(({ dataset, value }) => dataset.in === "query" && value.trim()).map(({ name, value }) => [name, value.trim()]));
  const headers = Object.fromEntries(inputs.filter(({ dataset, value }) => dataset.in === "header" && value.trim()).map(({ name, value }) => [name, value.trim()]));
  const schemes = (operation.security ?? []).flatMap(Object.keys);
  if (schemes.includes("client")) headers.Authorization = asker.credentials;
  else if (schemes.length) headers.Authorization = "Bearer " + asker.token;
  const file = form.querySelector('input[type="file"]')?.files[0];
  const text = form.querySelector("textarea")?.value;
  if (body.type) headers["Content-Type"] = file?.type || body.type;
  return { method: method.toUpperCase(), url: filled + (query.size ? "?" + query : ""), headers, body: body.isFile ? file : text };
}

/** The same as a line for a shell. Secrets are variables in it. */
function curlOf({ method, url, headers, body }) {
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ["curl", ...(method === "HEAD" ? ["--head"] : method === "DELETE" || (method === "POST" && body === undefined) ? ["-X " + method] : [])];
  parts.push(quoted(location.origin + url));
  if (headers.Authorization?.startsWith("Bearer")) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (headers.Authorization?.startsWith("Basic")) parts.push('-u "$CLIENT_ID:$CLIENT_SECRET"');
  for (const [name, value] of Object.entries(headers)) {
    if (name !== "Authorization" && value !== "application/x-www-form-urlencoded") parts.push("-H " + quoted(`${name}: ${value}`));
  }
  if (body instanceof File) parts.push("--data-binary @" + quoted(body.name));
  else if (body !== undefined) parts.push("-d " + quoted(body));
  return parts.join(" ");
}

async function send(entry, form, body, shown) {
  const request = requestOf(entry, form, body);
  const missing = /\{(\w+)\}/.exec(request.url);
  if (missing) return shown.replaceChildren(coloured(`${missing[1]} is missing.`, true));
  const needed = request.headers.Authorization;
  if (needed === "" || needed === "Bearer ") document.getElementById("sign-in").open = true;
  shown.replaceChildren(make("p", "quiet", "…"));
  const started = performance.now();
  try {
    const answer = await fetch(request.url, { method: request.method, headers: request.headers, body: request.body, credentials: "omit" });
    const type = answer.headers.get("Content-Type") ?? "";
    const text = /json|text|^$/.test(type) ? await answer.text() : `${(await answer.blob()).size} bytes of ${type}`;
    const took = Math.round(performance.now() - started);
    const id = answer.headers.get("X-Correlation-ID");
    let value = text;
    try { value = JSON.parse(text); } catch { /* Any text is shown as it is. */ }
    shown.replaceChildren(make("p", "quiet", `${answer.status} in ${took} ms`, id ? `, X-Correlation-ID ${id}` : ""));
    if (text) shown.append(coloured(value, !answer.ok));
  } catch (problem) {
    shown.replaceChildren(coloured("The server did not answer: " + problem.message, true));
  }
}

/** The form of an operation: its values, an example of its body, the line for a shell, the answer. */
function drawRequest(entry) {
  const { item, operation } = entry;
  const body = bodyOf(operation);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)
    .filter(({ schema }) => schema.type !== "object");
  const form = make("form", "try", make("div", "values", ...parameters.map(valueInput)));
  if (body.isFile) form.append(make("label", "", "Body", Object.assign(make("input", ""), { type: "file" })));
  if (body.text !== undefined) {
    const text = make("textarea", "");
    text.value = body.text;
    text.spellcheck = false;
    text.rows = Math.min(24, body.text.split("\n").length + 1);
    form.append(make("label", "", "Body: " + body.type, text));
  }
  const line = make("pre", "");
  line.tabIndex = 0;
  const shown = make("div", "");
  shown.setAttribute("aria-live", "polite");
  const copy = Object.assign(make("button", "", "Copy as curl"), { type: "button" });
  const update = () => { line.textContent = curlOf(requestOf(entry, form, body)); };
  copy.addEventListener("click", () => navigator.clipboard?.writeText(line.textContent));
  form.append(make("div", "", make("button", "send", "Send"), copy), line, shown);
  form.addEventListener("input", update);
  form.addEventListener("submit", event => {
    event.preventDefault();
    update();
    send(entry, form, body, shown);
  });
  update();
  return form;
}

prepareSignIn();
