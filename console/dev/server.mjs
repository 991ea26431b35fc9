// Serves the console for development, with a stand-in for /console/api/* that signs one operator in.
//
//   KONTOR_BIN=target/debug/kontor node dev/server.mjs [--built] [--port 5199]
//
// Starts `kontor demo`, forwards the API to it, and serves the sources by Vite, or with --built the build output with its CSP.
// With --upstream URL --client ID --secret SECRET it uses a running server instead.
import { spawn } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import { createReadStream, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeModel } from './model.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const built = process.argv.includes('--built');
const port = Number(option('port') ?? 5199);
const dist = join(here, '../../crates/console/dist');

async function startDemo() {
  if (option('upstream')) return { url: option('upstream'), client: option('client') ?? 'demo-client', secret: option('secret') };
  const binary = process.env.KONTOR_BIN ?? join(here, '../../target/debug/kontor');
  const child = spawn(binary, ['demo', '--listen', '127.0.0.1:0', '--test-controls'], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
  let text = '';
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('kontor stopped')));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const secret = text.match(/client secret:\s*(\S+)/)?.[1];
      if (secret) resolve({ url: text.match(/listening on (\S+)/)[1], client: 'demo-client', secret });
    });
  });
}

const demo = await startDemo();
const model = makeModel(join(here, '../../model'));
const project = { key: 'demo', name: 'Elm & Tide' };
const all = new Set();
for (const scope of model.scopes) all.add(scope);
const view = [...all].filter((s) => s.startsWith('view_'));
const roles = [
  { name: 'administrator', scopes: [...all], builtIn: true },
  { name: 'merchandiser', scopes: [...view, 'manage_products', 'manage_categories', 'manage_cart_discounts', 'manage_discount_codes'], builtIn: true },
  { name: 'support', scopes: [...view, 'manage_orders', 'manage_customers'], builtIn: true },
  { name: 'developer', scopes: [...view, 'manage_subscriptions', 'manage_extensions', 'manage_types', 'manage_api_clients'], builtIn: true },
  { name: 'read-only', scopes: view, builtIn: true },
];
const operators = [{ id: 'op-1', email: 'ada@example.com', name: 'Ada Lind', password: 'elm-and-tide', roles: [{ project: '*', role: 'administrator' }] }];
const sessions = new Map();
const links = new Map([['demo-link', 'op-1']]);
const recent = [];
let failures = 0;

const send = (response, status, body, headers = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
};
const refuse = (response, status, message, headers) =>
  send(response, status, { statusCode: status, message, errors: [{ code: { 401: 'invalid_token', 403: 'insufficient_scope' }[status] ?? 'InvalidInput', message }] }, headers);
const readBody = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text ? JSON.parse(text) : {};
};
const shown = ({ password, ...operator }) => operator;
const sessionOf = (operator) => {
  const role = roles.find((r) => r.name === operator.roles[0]?.role) ?? roles[4];
  return {
    operator: { id: operator.id, email: operator.email, name: operator.name }, administrator: role.name === 'administrator',
    projects: [{ ...project, role: role.name, scopes: role.scopes }], expiresAt: new Date(Date.now() + 8 * 3600e3).toISOString(),
  };
};
const cookieOf = (request) => request.headers.cookie?.match(/kontor_console=([^;]+)/)?.[1];
const signIn = (response, operator) => {
  const id = `s-${Math.random().toString(36).slice(2)}`;
  sessions.set(id, operator);
  send(response, 200, sessionOf(operator), { 'Set-Cookie': `kontor_console=${id}; HttpOnly; SameSite=Strict; Path=/console` });
};

async function makeToken(response) {
  const answer = await fetch(`${demo.url}/oauth/token`, {
    method: 'POST', body: 'grant_type=client_credentials',
    headers: { Authorization: `Basic ${btoa(`${demo.client}:${demo.secret}`)}`, 'Content-Type': 'application/x-www-form-urlencoded' },
  }).then((r) => r.json());
  send(response, 200, { accessToken: answer.access_token, expiresIn: 600, scope: answer.scope.split(' ') });
}

async function answerConsole(request, response, path, query) {
  const body = request.method === 'POST' ? await readBody(request) : {};
  if (request.method !== 'GET' && request.headers['x-kontor-console'] !== '1') return refuse(response, 403, 'The header X-Kontor-Console is missing.');
  const call = `${request.method} ${path}`;
  if (call === 'POST sign-in') {
    const operator = operators.find((o) => o.email === body.email && o.password === body.password);
    if (operator) return signIn(response, operator);
    failures += 1;
    if (failures > 8) return refuse(response, 429, 'Too many attempts. Try again in 30 seconds.', { 'Retry-After': '30' });
    return refuse(response, 401, 'Account with the given credentials not found.');
  }
  if (call === 'POST sign-in-link') {
    if (body.token === 'setup-link') return send(response, 200, { setup: true });
    const operator = operators.find((o) => o.id === links.get(body.token));
    return operator ? signIn(response, operator) : refuse(response, 401, 'The link was used, or is too old.');
  }
  if (call === 'POST setup') {
    const operator = { id: `op-${operators.length + 1}`, email: body.email, name: body.name, password: body.password, roles: [{ project: '*', role: 'administrator' }] };
    operators.push(operator);
    return signIn(response, operator);
  }
  const operator = sessions.get(cookieOf(request));
  if (!operator) return refuse(response, 401, 'Sign in first.');
  if (call === 'GET session') return send(response, 200, sessionOf(operator));
  if (call === 'POST sign-out') { sessions.delete(cookieOf(request)); return send(response, 204); }
  if (call === 'POST password') {
    if (body.current !== operator.password) return refuse(response, 400, 'The current password is wrong.');
    operator.password = body.new;
    return send(response, 204);
  }
  if (call === 'POST token') return makeToken(response);
  if (call === 'GET projects') return send(response, 200, [project]);
  if (call === 'GET roles') return send(response, 200, roles);
  if (call === 'POST roles') {
    const at = roles.findIndex((r) => r.name === body.name);
    const role = { name: body.name, scopes: body.scopes, builtIn: false };
    if (at < 0) roles.push(role); else roles[at] = { ...role, builtIn: roles[at].builtIn };
    return send(response, 200, role);
  }
  if (path.startsWith('roles/') && request.method === 'DELETE') {
    roles.splice(roles.findIndex((r) => r.name === decodeURIComponent(path.slice(6))), 1);
    return send(response, 204);
  }
  if (call === 'GET operators') return send(response, 200, operators.map(shown));
  if (call === 'POST operators') {
    const added = { id: `op-${operators.length + 1}`, ...body };
    operators.push(added);
    return send(response, 200, { operator: shown(added), link: `http://${request.headers.host}/console/#link=invite-${added.id}` });
  }
  if (path.startsWith('operators/')) {
    const at = operators.findIndex((o) => o.id === path.slice(10));
    if (at < 0) return refuse(response, 404, 'There is no such operator.');
    if (request.method === 'DELETE') { operators.splice(at, 1); return send(response, 204); }
    const { resetPassword, ...more } = body;
    Object.assign(operators[at], more);
    return send(response, 200, { operator: shown(operators[at]), link: resetPassword ? `http://${request.headers.host}/console/#link=reset-${at}` : undefined });
  }
  if (call === 'GET status') {
    return send(response, 200, {
      disk: { free: 41e9, total: 64e9, data: 12e6 }, search: [{ index: 'products-search', lag: 0, state: 'ready' }, { index: 'orders', lag: 3, state: 'ready' }],
      deliveries: { waiting: 0, failed: 2 }, imports: { waiting: 0, failed: 0 }, health: 'ok',
    });
  }
  if (call === 'GET requests') return send(response, 200, recent.slice(-Number(query.get('limit') ?? 100)).reverse());
  if (call === 'GET deliveries') return send(response, 200, []);
  return refuse(response, 404, `There is no ${path}.`);
}

function forward(request, response) {
  const { hostname, port: upstreamPort } = new URL(demo.url);
  const started = Date.now();
  const upstream = httpRequest({ hostname, port: upstreamPort, path: request.url, method: request.method, headers: request.headers }, (answer) => {
    recent.push({ at: new Date().toISOString(), method: request.method, path: request.url, status: answer.statusCode, durationMs: Date.now() - started, client: 'demo-client' });
    if (recent.length > 500) recent.shift();
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => refuse(response, 502, 'The server does not answer.'));
  request.pipe(upstream);
}

const headers = {
  'Content-Security-Policy': "default-src 'self'; img-src 'self' data: blob: https: http:; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer',
};
const types = { js: 'text/javascript', css: 'text/css', html: 'text/html; charset=utf-8', svg: 'image/svg+xml', json: 'application/json' };
function serveBuilt(response, path) {
  const wanted = path.startsWith('/console/assets/') || path === '/console/icon.svg' ? path.slice('/console/'.length) : 'index.html';
  const file = join(dist, `${wanted}.gz`);
  if (!existsSync(file)) return refuse(response, 404, 'There is no such file.');
  response.writeHead(200, { ...headers, 'Content-Type': types[wanted.split('.').pop()], 'Content-Encoding': 'gzip', 'Cache-Control': wanted === 'index.html' ? 'no-cache' : 'max-age=31536000, immutable' });
  createReadStream(file).pipe(response);
}

const vite = built ? undefined : await (await import('vite')).createServer({ root: join(here, '..'), server: { middlewareMode: true, hmr: { port: port + 1 } }, appType: 'spa' });
createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const path = url.pathname;
  if (path.startsWith('/console/api/')) {
    answerConsole(request, response, path.slice('/console/api/'.length), url.searchParams).catch((error) => refuse(response, 500, String(error)));
  } else if (path === '/console/config.json') {
    send(response, 200, { version: 'dev', mode: 'embedded', apiBase: '', setup: false, oidc: null, testControls: true });
  } else if (path === '/console/model.json') send(response, 200, model);
  else if (path === '/console') { response.writeHead(302, { Location: '/console/' }); response.end(); }
  else if (path.startsWith('/console/') || path.startsWith('/@') || path.startsWith('/node_modules')) {
    if (built) serveBuilt(response, path);
    else vite.middlewares(request, response);
  } else forward(request, response);
}).listen(port, '127.0.0.1', () => console.log(`console on http://127.0.0.1:${port}/console/#link=demo-link  (API ${demo.url})`));
