import { connect, createServer, type Server, type Socket } from 'node:net';
import { call, checkAccessibility, expect, signIn, test } from './console';

/** Forwards connections to the server until it is switched off. */
async function startGate(url: string): Promise<{ url: string; close: () => void; open: () => Promise<void> }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server = createServer((socket) => {
        const onward = connect(Number(target.port), target.hostname);
        for (const one of [socket, onward]) {
          sockets.add(one);
          one
            .on('error', () => undefined)
            .on('close', () => {
              socket.destroy();
              onward.destroy();
            });
        }
        socket.pipe(onward).pipe(socket);
      }).listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    open: async () => {
      await listen(port);
    },
  };
}

test('the server goes and comes back', async ({ page, context, baseURL }) => {
  const gate = await startGate(baseURL!);
  await signIn(context.request);
  await page.goto(`${gate.url}/console/demo/orders`);
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  gate.close();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('The server does not answer.')).toBeVisible();
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  await gate.open();
  await expect(page.getByText('The server is back.')).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText('Trying again')).toBeHidden();
  gate.close();
});

test('everything fits on a phone', async ({ open, page, context }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open('/orders');
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  const fits = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth <= innerWidth && document.querySelector('main')!.scrollWidth <= innerWidth,
    );
  expect(await fits()).toBe(true);
  await checkAccessibility(page, 'list on a phone');
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Categories', exact: true }).click();
  await page.getByRole('link', { name: 'Sofas' }).click();
  await expect(page.getByRole('heading', { name: 'Sofas' })).toBeVisible();
  expect(await fits()).toBe(true);
  const { results } = await call<{ results: { id: string }[] }>(context.request, 'GET', 'orders?limit=1');
  await open(`/orders/${results[0]!.id}`);
  await expect(page.getByRole('tab', { name: 'JSON' })).toBeVisible();
  expect(await fits()).toBe(true);
  await open('');
  await expect(page.locator('.figures')).toBeVisible();
  expect(await fits()).toBe(true);
});

test('a list is worked with by keys only', async ({ open, page }) => {
  await open('');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  const first = await page.getByRole('row').nth(1).getByRole('link').first().innerText();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: first })).toBeVisible();
  await page.keyboard.press('e');
  await expect(page.locator('.detail-main input').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await page.locator('body').click({ position: { x: 700, y: 5 } });
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('texts are in German', async ({ open, page }) => {
  await open('/orders');
  await page.getByRole('button', { name: /^Operator:/ }).click();
  await page.getByRole('menuitem', { name: 'Language' }).click();
  await page.getByRole('menuitem', { name: 'Deutsch' }).click();
  await expect(page.getByRole('heading', { name: /^Bestellungen/ })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});

test('the answers have the headers of a page that runs only its own code', async ({ request }) => {
  const response = await request.get('/console/demo/orders');
  expect(response.headers()['content-security-policy']).toContain("default-src 'self'");
  expect(response.headers()['content-security-policy']).not.toContain('unsafe');
  expect(response.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(response.headers()['x-content-type-options']).toBe('nosniff');
  expect(response.headers()['referrer-policy']).toBe('no-referrer');
  expect(await response.text()).not.toMatch(/<style|style=|<script(?![^>]* src=)/);
});
