// Serves the console for development: its sources by Vite, or with --built the build output with the headers of the server, and everything
// else (the API, /console/api, model.json) from a Kontor server.
//
//   KONTOR_BIN=../target/debug/kontor node dev/server.mjs [--built] [--port 5199]
//   node dev/server.mjs --upstream http://127.0.0.1:8989
//
// Without --upstream it starts `kontor demo`, and prints a link that signs in.
import { spawn } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const built = process.argv.includes('--built');
const port = Number(option('port') ?? 5199);
const dist = join(here, '../../crates/console/dist');

async function startDemo() {
  if (option('upstream')) return { url: option('upstream') };
  const binary = process.env.KONTOR_BIN ?? join(here, '../../target/debug/kontor');
  const child = spawn(binary, ['demo', '--listen', '127.0.0.1:0', '--test-controls'], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
  let text = '';
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('kontor stopped')));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const link = text.match(/\/console\/#link=(\S+)\s/)?.[1];
      const url = text.match(/listening on (\S+)/)?.[1];
      if (link && url) resolve({ url, link });
    });
  });
}

const upstream = await startDemo();
const target = new URL(upstream.url);

function forward(request, response) {
  const { hostname, port: upstreamPort } = target;
  const sent = httpRequest(
    { hostname, port: upstreamPort, path: request.url, method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  sent.on('error', () => response.destroy());
  request.pipe(sent);
}

// The headers of crates/console.
const headers = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data: blob: https: http:; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const types = { js: 'text/javascript', css: 'text/css', html: 'text/html; charset=utf-8', svg: 'image/svg+xml' };

function serveBuilt(response, path) {
  const wanted =
    path.startsWith('/console/assets/') || path === '/console/icon.svg' ? path.slice('/console/'.length) : 'index.html';
  const file = join(dist, `${wanted}.gz`);
  if (!existsSync(file)) return response.writeHead(404).end();
  const caching = wanted === 'index.html' ? 'no-cache' : 'max-age=31536000, immutable';
  response.writeHead(200, {
    ...headers,
    'Content-Type': types[wanted.split('.').pop()],
    'Content-Encoding': 'gzip',
    'Cache-Control': caching,
  });
  createReadStream(file).pipe(response);
  return undefined;
}

const vite = built
  ? undefined
  : await (
      await import('vite')
    ).createServer({ root: join(here, '..'), server: { middlewareMode: true, hmr: { port: port + 1 } }, appType: 'spa' });
createServer((request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  const ofServer =
    path.startsWith('/console/api/') ||
    path === '/console/config.json' ||
    path === '/console/model.json' ||
    !path.startsWith('/console/');
  if (ofServer) forward(request, response);
  else if (built) serveBuilt(response, path);
  else vite.middlewares(request, response);
}).listen(port, '127.0.0.1', () => {
  console.log(
    `console on http://127.0.0.1:${port}/console/${upstream.link ? `#link=${upstream.link}` : ''}  (server ${upstream.url})`,
  );
});
