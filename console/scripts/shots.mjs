// Makes the screenshots of the guide, in docs/guide/console/, from a new demo shop: KONTOR_BIN=../target/debug/kontor npm run shots
// With --url URL it uses a running demo server.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const folder = option('to') ?? join(here, '../../docs/guide/console');

function startDemo() {
  if (option('url')) return Promise.resolve(option('url'));
  const child = spawn(process.env.KONTOR_BIN ?? join(here, '../../target/debug/kontor'), ['demo', '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', () => reject(new Error('kontor stopped')));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const url = text.match(/listening on (\S+)/)?.[1];
      if (url && /the console:/.test(text)) resolve(url);
    });
  });
}

const openFirst = (page) => page.locator('tbody .cell-title').first().click();

/** Each screen: an address below the project, and what is done there before the picture. */
const screens = {
  home: ['', (page) => page.waitForSelector('.chart canvas')],
  orders: ['/orders', (page) => page.waitForSelector('.cell-title')],
  order: ['/orders', openFirst],
  products: ['/products', (page) => page.waitForSelector('.cell-title')],
  variants: [
    '/products',
    async (page) => {
      await openFirst(page);
      await page.getByRole('tab', { name: 'Variants' }).click();
      await page.locator('[data-row="0"][data-column="6"]').click();
      await page.keyboard.type('1199');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Shift+ArrowDown');
    },
  ],
  tree: ['/categories/tree', (page) => page.waitForSelector('.tree-row')],
  customer: ['/customers', openFirst],
  review: [
    '/categories',
    async (page) => {
      await openFirst(page);
      await page.getByRole('textbox', { name: 'Name (en)' }).fill('Living and reading');
      await page.getByRole('textbox', { name: 'Description (en)', exact: true }).fill('Sofas, armchairs, shelves.');
      await page.getByRole('button', { name: 'Review' }).click();
    },
  ],
  palette: [
    '/orders',
    async (page) => {
      await page.waitForSelector('.cell-title');
      await page.keyboard.press('Control+k');
      await page.waitForSelector('[role=dialog]');
      await page.keyboard.type('ada@example.com');
      await page.waitForSelector('[role=menuitem]:has-text("2027")');
    },
  ],
  'api-client': ['/api-clients/new', () => undefined],
  operators: ['/settings/operators', () => undefined],
};

mkdirSync(folder, { recursive: true });
const url = await startDemo();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const context = await browser.newContext({
  viewport: { width: 1440, height: 900 },
  locale: 'en-GB',
  colorScheme: option('theme') === 'dark' ? 'dark' : 'light',
  reducedMotion: 'reduce',
});
await context.request.post(`${url}/console/api/sign-in`, {
  data: { email: 'operator@example.com', password: 'demo-password' },
  headers: { 'X-Kontor-Console': '1' },
});
for (const [name, [path, act]] of Object.entries(screens)) {
  const page = await context.newPage();
  await page.goto(`${url}/console/demo${path}`);
  await page.waitForSelector('.shell');
  await act(page);
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => !document.querySelector('.skeleton'));
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
process.exit();
