// Starts the editor with the schema that is part of this page, and sends queries to the URL of this page.
"use strict";

const byId = id => document.getElementById(id);
const here = location.pathname.replace(/\/+$/, "");
const project = decodeURIComponent(here.split("/")[1] ?? "");
const EXAMPLE = `# Ctrl + Enter runs the query, Ctrl + Space completes it. The book on the left is the documentation.
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

// The credentials. They are forgotten when the tab is closed.

const KEPT = "kontor-signed-in";
let signedIn = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");

function showWho() {
  byId("who").textContent = signedIn ? "as " + signedIn.who : "not signed in";
  byId("sign-out").hidden = !signedIn;
}

function sign(who) {
  signedIn = who;
  if (who) sessionStorage.setItem(KEPT, JSON.stringify(who));
  else sessionStorage.removeItem(KEPT);
  showWho();
}

const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** A token by the way of a role. `given` is what the form has; errors are sentences for people. */
async function tokenFor(role, given) {
  const of = encodeURIComponent(project);
  const store = given.get("store").trim();
  const [path, form] = {
    client: ["/oauth/token", { grant_type: "client_credentials" }],
    visitor: [`/oauth/${of}/anonymous/token`, { grant_type: "client_credentials" }],
    customer: [
      store ? `/oauth/${of}/in-store/key=${encodeURIComponent(store)}/customers/token` : `/oauth/${of}/customers/token`,
      { grant_type: "password", username: given.get("email").trim(), password: given.get("password") },
    ],
  }[role];
  const scope = given.get("scope").trim();
  const answer = await fetch(path, {
    method: "POST",
    // Without this option a 401 would open the login dialog of the browser.
    credentials: "omit",
    headers: { Authorization: "Basic " + base64(given.get("id").trim() + ":" + given.get("secret")) },
    body: new URLSearchParams(scope ? { ...form, scope } : form),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error_description ?? body.message ?? `the server answered ${answer.status}`);
  return body.access_token;
}

const signInForm = byId("sign-in-form");
function showFields() {
  const { value } = signInForm.elements.role;
  for (const label of signInForm.querySelectorAll("[data-roles]")) {
    label.hidden = !label.dataset.roles.split(" ").includes(value);
  }
}
signInForm.elements.role.addEventListener("change", showFields);
signInForm.addEventListener("submit", async event => {
  event.preventDefault();
  const given = new FormData(signInForm);
  const role = given.get("role");
  byId("refusal").textContent = "";
  try {
    const token = role === "token" ? given.get("token").trim() : await tokenFor(role, given);
    const names = { client: given.get("id").trim(), customer: given.get("email").trim(), visitor: "a visitor", token: "who holds the token" };
    sign({ token, who: names[role] });
    byId("sign-in").open = false;
  } catch (problem) {
    byId("refusal").textContent = problem.message;
  }
});
byId("sign-out").addEventListener("click", () => sign(null));
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && byId("sign-in").open) {
    byId("sign-in").open = false;
    byId("sign-in").querySelector("summary").focus();
  }
});

/** Sends a request of the editor. */
async function ask(request, options) {
  const started = performance.now();
  byId("status").textContent = "…";
  try {
    const answer = await fetch(here, {
      method: "POST",
      credentials: "omit",
      headers: {
        "Content-Type": "application/json",
        ...(signedIn ? { Authorization: "Bearer " + signedIn.token } : {}),
        ...options?.headers,
      },
      body: JSON.stringify(request),
    });
    const body = await answer.json();
    byId("status").textContent = `${answer.status} in ${Math.round(performance.now() - started)} ms`;
    if (answer.status === 401) byId("sign-in").open = true;
    return body;
  } catch (problem) {
    byId("status").textContent = "";
    return { errors: [{ message: "The server did not answer: " + problem.message }] };
  }
}

/** What the editor keeps (queries, history, how it is arranged), apart for each project. */
function storage() {
  const prefix = `kontor:${project}:`;
  const keys = () => Object.keys(localStorage).filter(key => key.startsWith(prefix));
  return {
    get length() { return keys().length; },
    getItem: key => localStorage.getItem(prefix + key),
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: key => localStorage.removeItem(prefix + key),
    clear: () => keys().forEach(key => localStorage.removeItem(key)),
  };
}

/** A file of the editor, from the same server. */
function load(tag, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error("it could not be loaded")));
    document.head.append(element);
  });
}

async function start() {
  await Promise.all([
    load("link", { rel: "stylesheet", href: here + "/graphiql.css?/* version */" }),
    load("script", { src: here + "/graphiql.js?/* version */" }),
  ]);
  const { createElement } = React;
  const schema = GraphiQL.GraphQL.buildSchema(JSON.parse(byId("schema").textContent), { assumeValid: true });
  const editor = createElement(GraphiQL, {
    fetcher: ask, schema, defaultQuery: EXAMPLE, storage: storage(), shouldPersistHeaders: false, showPersistHeadersSettings: false,
    inputValueDeprecation: true,
  }, createElement(GraphiQL.Logo, null, createElement("a", { href: here + "/licenses.txt", className: "quiet" }, "GraphiQL")));
  ReactDOM.createRoot(byId("editor")).render(editor);
}

byId("project").textContent = project;
showWho();
showFields();
start().catch(problem => {
  byId("editor").textContent = `The editor does not start: ${problem.message}. Queries go to this address with POST.`;
});
