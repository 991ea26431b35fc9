import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './console';

const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'kontor-console-'));

function start(command: string, args: string[], ready: RegExp): Promise<string> {
  // The server reads variables that begin so; those of the tests are none of its own.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KONTOR_')));
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', (code) => reject(new Error(`${command} stopped (${code}): ${text}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (ready.test(text)) resolve(text);
    });
  });
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

test.afterAll(() => {
  for (const child of children) child.removeAllListeners('exit').kill();
  rmSync(folder, { recursive: true, force: true });
});

test('a new server makes its first operator by the link that it prints', async ({ page }) => {
  const binary = process.env.KONTOR_BIN ?? '';
  test.skip(binary === '', 'KONTOR_BIN names no server');
  const port = await freePort();
  const printed = await start(
    binary,
    ['serve', '--log', 'error', '--data', folder, '--listen', `127.0.0.1:${port}`],
    /#link=\S+\s/,
  );
  let url = `http://127.0.0.1:${port}`;
  if (process.env.KONTOR_BUILT) {
    const own = await freePort();
    await start(process.execPath, ['dev/server.mjs', '--built', '--port', String(own), '--upstream', url], /console on/);
    url = `http://127.0.0.1:${own}`;
  }
  await page.goto(`${url}/console/`);
  await expect(page.getByText('This server has no operator yet.')).toBeVisible();
  await page.goto(`${url}/console/#link=${printed.match(/#link=(\S+)/)?.[1]}`);
  await page.reload();
  await page.getByLabel('Your name').fill('Ada Lind');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill('a long password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'This server has no project yet' })).toBeVisible();
});
