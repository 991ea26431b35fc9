// Measures the console in a browser, for bench/README.md: KONTOR_BIN=../target/release/kontor npm run speed [-- --products 100000]
// Starts a demo shop with as many generated Products, and prints a table of medians. Nothing here fails: figures are compared by people.
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.KONTOR_BIN ?? join(here, '../../target/release/kontor');
const at = process.argv.indexOf('--products');
const products = at < 0 ? 100_000 : Number(process.argv[at + 1]);
const ROUNDS = 15;
const folder = mkdtempSync(join(tmpdir(), 'kontor-console-speed-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

async function writeDrafts(file) {
  const stream = createWriteStream(file);
  for (let n = 0; n < products; n += 1) {
    const draft = {
      key: `speed-${n}`,
      productType: { typeId: 'product-type', key: 'furniture' },
      name: { en: `Chair number ${n}`, de: `Stuhl Nummer ${n}` },
      slug: { en: `speed-${n}` },
      publish: true,
      masterVariant: { sku: `SPEED-${n}`, prices: [{ value: { currencyCode: 'EUR', centAmount: 1000 + n } }] },
    };
    if (!stream.write(`${JSON.stringify(draft)}\n`)) await new Promise((done) => stream.once('drain', done));
  }
  await new Promise((done) => stream.end(done));
}

function startDemo() {
  const child = spawn(binary, ['demo', '--listen', '127.0.0.1:0', '--data', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', () => reject(new Error(`kontor stopped: ${text}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const url = text.match(/listening on (\S+)/)?.[1];
      if (url && /the console:/.test(text)) resolve({ url, stop: () => stop(child) });
    });
  });
}

function stop(child) {
  child.removeAllListeners('exit');
  const ended = new Promise((done) => child.once('exit', done));
  child.kill();
  return ended;
}

const quantile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const row = (what, numbers, unit) =>
  console.log(`| ${what} | ${quantile(numbers, 0.5).toFixed(1)} ${unit} | ${quantile(numbers, 0.9).toFixed(1)} ${unit} |`);

/** Runs in the page: the milliseconds between frames while a list scrolls from its start for two seconds. */
async function framesWhileScrolling(selector) {
  const list = [...document.querySelectorAll(selector)].find((one) => one.scrollHeight > one.clientHeight + 50);
  if (!list) return [];
  const frames = [];
  let last = performance.now();
  const end = last + 2000;
  while (last < end) {
    list.scrollTop = (list.scrollTop + 40) % (list.scrollHeight - list.clientHeight);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return frames;
}

if (products > 0) {
  await (await startDemo()).stop();
  const file = join(folder, 'products.jsonl');
  await writeDrafts(file);
  execFileSync(binary, ['import', '--data', folder, '--project', 'demo', '--kind', 'product', '--parallel', '8', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
const { url, stop: stopServer } = await startDemo();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});

/** Runs in the page before its scripts: notes when the first row of a list is in the document. */
function noteFirstRow() {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.cell-title')) return;
    globalThis.firstRowAt = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Opens a list in a browser that has nothing in its cache. Returns the page and the milliseconds until a row is there. */
async function openCold(path) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await context.request.post(`${url}/console/api/sign-in`, {
    data: { email: 'operator@example.com', password: 'demo-password' },
    headers: { 'X-Kontor-Console': '1' },
  });
  const page = await context.newPage();
  await page.addInitScript(noteFirstRow);
  await page.goto(`${url}/console/demo${path}`, { waitUntil: 'commit' });
  await page.waitForSelector('.cell-title');
  return { context, page, took: await page.evaluate(() => globalThis.firstRowAt) };
}

console.log(`| ${products} Products, demo otherwise | median | p90 |\n|---|---|---|`);
for (const path of ['/orders', '/products']) {
  const cold = [];
  const again = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { context, page, took } = await openCold(path);
    cold.push(took);
    // From another list, as an operator moves: the code is loaded, the rows are not.
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(/customers/);
    await page.waitForSelector('.cell-title');
    const began = performance.now();
    await page.keyboard.press('g');
    await page.keyboard.press(path[1]);
    await page.waitForURL((address) => address.pathname.endsWith(path));
    await page.waitForSelector('.cell-title');
    again.push(performance.now() - began);
    await context.close();
  }
  row(`open ${path} with an empty cache, to its first row`, cold, 'ms');
  row(`go to ${path} from another list`, again, 'ms');
}
const { page } = await openCold('/products?limit=500');
const frames = await page.evaluate(framesWhileScrolling, '*');
if (frames.length) row(`scroll the list of Products: between two frames`, frames, 'ms');
await browser.close();
await stopServer();
process.exit();
