// Runs the browser tests against a server: the binary named by KONTOR_BIN, with the console that it contains; with --built, with the files
// of the last build. Installs Chromium if there is none. Further arguments go to Playwright.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const built = process.argv.includes('--built');
const rest = process.argv.slice(2).filter((argument) => argument !== '--built');
const binary = resolve(process.env.KONTOR_BIN ?? join(here, '../../target/debug/kontor'));
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';

if (!existsSync(chromium)) {
  execFileSync('apt-get', ['update'], { stdio: 'inherit' });
  execFileSync('apt-get', ['install', '-y', 'chromium'], { stdio: 'inherit' });
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const children = [];
function start(command, args, ready) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((done, fail) => {
    let text = '';
    child.on('exit', (code) => fail(new Error(`${command} stopped (${code}): ${text}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (ready.test(text)) done(text);
    });
  });
}

async function run() {
  const port = await freePort();
  const printed = await start(binary, ['demo', '--listen', `127.0.0.1:${port}`, '--test-controls'], /the console:.*\n.*\n/);
  let url = `http://127.0.0.1:${port}`;
  if (built) {
    const own = await freePort();
    await start(
      process.execPath,
      [join(here, '../dev/server.mjs'), '--built', '--port', String(own), '--upstream', url],
      /console on/,
    );
    url = `http://127.0.0.1:${own}`;
  }
  const environment = {
    ...process.env,
    KONTOR_BIN: binary,
    KONTOR_BUILT: built ? '1' : '',
    KONTOR_CONSOLE_URL: url,
    KONTOR_LINK: printed.match(/#link=(\S+)/)?.[1] ?? '',
    KONTOR_CLIENT_SECRET: printed.match(/client secret:\s*(\S+)/)?.[1] ?? '',
  };
  const tests = spawn(process.execPath, [join(here, '../node_modules/@playwright/test/cli.js'), 'test', ...rest], {
    stdio: 'inherit',
    cwd: join(here, '..'),
    env: environment,
  });
  return new Promise((done) => tests.on('exit', (code) => done(code ?? 1)));
}

run().then(
  (code) => {
    for (const child of children) child.kill();
    process.exit(code);
  },
  (error) => {
    console.error(error.message);
    for (const child of children) child.kill();
    process.exit(1);
  },
);
