import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, checkAccessibility, expect, setEditor, signIn, test, unique } from './console';

test.beforeEach(({ request }) => signIn(request));

interface Versioned {
  id: string;
  version: number;
}

/** Starts a webhook whose response status can change. */
async function startHook(): Promise<{ url: string; fail: (status: number) => void; server: Server }> {
  let status = 200;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(status === 200 ? '' : 'warehouse is closed'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    fail: (next) => {
      status = next;
    },
    server,
  };
}

test('a search is switched on, and a query is tried', async ({ open, page, request }) => {
  await open('/developers/searches');
  await page.getByRole('button', { name: 'Switch on: Customer Search' }).click();
  const panel = page.getByRole('dialog', { name: 'Review the changes' });
  await expect(panel.getByText('changeCustomerSearchStatus')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByRole('button', { name: 'Switch off: Customer Search' })).toBeVisible();
  await expect
    .poll(async () => (await call<{ status: string }>(request, 'GET', 'customers/search/indexing-status')).status)
    .toBe('Ready');
  await page.getByRole('button', { name: 'Try: Customer Search' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByText(/^\d+ found$/)).toBeVisible();
  await expect(page.locator('.hit').first()).toContainText(/ada/i);
  await checkAccessibility(page, 'searches');
});

test('hits, facets and errors of a query are shown', async ({ open, page }) => {
  await open('/developers/searches?try=products');
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: 'With facets' }).click();
  await expect(page.locator('.hit').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Facets (2)' }).click();
  await expect(page.locator('.facet-row').first()).toContainText(/\d/);
  await checkAccessibility(page, 'facets');
  await setEditor(page, 'Query', '{"limit": 10000}');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByRole('alert')).toContainText(/limit/);
  await setEditor(page, 'Query', '[');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByRole('alert')).toContainText('This is no JSON object.');
});

test('Product Projection Search is tried by parameters', async ({ open, page }) => {
  await open('/developers/searches?try=projections');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByText(/^[1-9]\d* found$/)).toBeVisible();
  await expect(page.locator('.hit').first()).toContainText(/table/i);
});

test('a Subscription says where it delivers, and whether deliveries arrive', async ({ open, page, request }) => {
  const hook = await startHook();
  const key = unique('hook');
  const subscription = await call<Versioned>(request, 'POST', 'subscriptions', {
    key,
    destination: { type: 'HTTP', url: hook.url },
    messages: [{ resourceTypeId: 'category', types: ['CategoryCreated'] }],
    changes: [{ resourceTypeId: 'customer' }],
  });
  await open('/developers/deliveries');
  await page.getByRole('link', { name: key }).click();
  await expect(page.getByText('Deliveries arrive.')).toBeVisible();
  await expect(page.getByRole('code').filter({ hasText: hook.url })).toBeVisible();
  await expect(page.getByText('CategoryCreated')).toBeVisible();
  await expect(page.getByText('creation, change and deletion')).toBeVisible();
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText('Checked: Healthy')).toBeVisible();
  await checkAccessibility(page, 'Subscription');
  await call(request, 'DELETE', `subscriptions/${subscription.id}?version=${subscription.version}`);
  hook.server.close();
});

test('the reason is found why a webhook does not arrive', async ({ open, page, request }) => {
  const hook = await startHook();
  const key = unique('broken');
  const subscription = await call<Versioned>(request, 'POST', 'subscriptions', {
    key,
    destination: { type: 'HTTP', url: hook.url },
    changes: [{ resourceTypeId: 'zone' }],
  });
  hook.fail(503);
  await call(request, 'POST', 'zones', { name: unique('Somewhere') });
  await open(`/developers/deliveries?receiver=subscription/${subscription.id}`);
  await page.locator('.log-row', { hasText: 'Failed' }).first().click();
  const panel = page.getByRole('dialog', { name: 'Delivery' });
  await expect(panel.getByText('warehouse is closed')).toBeVisible();
  await expect(panel.getByText('"zone"').first()).toBeVisible();
  await checkAccessibility(page, 'delivery');
  await call(request, 'DELETE', `subscriptions/${subscription.id}?version=${subscription.version}`);
  hook.server.close();
});

test('a server without logs says so', async ({ open, page }) => {
  const message = 'URI not found: /demo/kontor';
  await page.route('**/demo/kontor/**', (route) =>
    route.fulfill({ status: 404, json: { statusCode: 404, message, errors: [{ code: 'ResourceNotFound', message }] } }),
  );
  await open('/developers/deliveries');
  await expect(page.getByText('This server keeps no log of deliveries')).toBeVisible();
  await checkAccessibility(page, 'deliveries');
  await open('/developers/requests');
  await expect(page.getByText('This server keeps no log of requests')).toBeVisible();
  await checkAccessibility(page, 'request log');
});

test('the request log tells why a request was refused', async ({ open, page }) => {
  await open('/developers/requests?status=refused');
  await page.evaluate(() => fetch('/demo/categories?where=nonsense'));
  const row = page.locator('.log-row', { hasText: '/demo/categories' }).first();
  await expect(row.locator('.log-reason')).toBeVisible();
  await row.click();
  await expect(page.getByRole('dialog').getByText('Correlation id')).toBeVisible();
  await checkAccessibility(page, 'request');
});

test('an Extension says before which changes it is called', async ({ open, page, request }) => {
  const extension = await call<Versioned>(request, 'POST', 'extensions', {
    key: unique('limit'),
    destination: { type: 'HTTP', url: 'http://127.0.0.1:9/limit' },
    triggers: [{ resourceTypeId: 'payment', actions: ['Create'], condition: 'amountPlanned(centAmount > 100)' }],
  });
  await open(`/extensions/${extension.id}`);
  await expect(page.getByText('amountPlanned(centAmount > 100)')).toBeVisible();
  await expect(page.getByText('creation')).toBeVisible();
  await checkAccessibility(page, 'Extension');
  await call(request, 'DELETE', `extensions/${extension.id}?version=${extension.version}`);
});

test('an import shows what failed, and why', async ({ open, page }) => {
  const key = unique('stock');
  await open('/developers/imports');
  await page.getByRole('button', { name: 'New container' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill(key);
  await page.getByRole('button', { name: 'Create container' }).click();
  await expect(page.getByRole('heading', { name: key, level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Send resources' }).click();
  const resources = [
    { key: `${key}-1`, sku: unique('sku'), quantityOnStock: 5 },
    { key: `${key}-2`, sku: unique('sku'), quantityOnStock: 5, supplyChannel: { typeId: 'channel', key: 'nowhere' } },
  ];
  await setEditor(page, 'Resources', JSON.stringify(resources));
  await page.getByRole('dialog').getByRole('button', { name: 'Send resources' }).click();
  await expect(page.getByText('Waits for Channel with key nowhere')).toBeVisible();
  await expect(page.locator('.operation', { hasText: `${key}-1` })).toContainText('Imported');
  await expect(page.getByText('1 of 2 done')).toBeVisible();
  await checkAccessibility(page, 'imports');
  await page.getByRole('button', { name: 'Delete container' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Imports' })).toBeVisible();
  await expect(page.getByText(key)).toBeHidden();
});

test('GraphQL runs with the rights of the operator', async ({ open, page }) => {
  await open('/developers/graphql');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByText('OK', { exact: true })).toBeVisible();
  await checkAccessibility(page, 'GraphQL');
  await page.getByRole('textbox', { name: 'Query' }).fill('{ nothing }');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByText(/nothing/).last()).toBeVisible();
  await expect(page.getByRole('link', { name: 'GraphiQL' })).toHaveAttribute('href', '/demo/graphql');
  await open('/developers/api');
  await expect(page.getByRole('link', { name: /Reference of all requests/ })).toHaveAttribute('href', '/openapi');
  await checkAccessibility(page, 'API reference');
});

test('test controls move the clock and bring content back', async ({ open, page, request }) => {
  await open('/developers/test');
  await checkAccessibility(page, 'test controls');
  await page.getByRole('button', { name: 'Take snapshot' }).click();
  await expect(page.getByText('The snapshot is taken')).toBeVisible();
  const category = await call<Versioned>(request, 'POST', 'categories', {
    name: { en: 'Soon gone' },
    slug: { en: unique('gone') },
  });
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('The content is restored')).toBeVisible();
  const found = await call<{ results: object[] }>(
    request,
    'GET',
    `categories?where=${encodeURIComponent(`id = "${category.id}"`)}`,
  );
  expect(found.results).toEqual([]);
  await page.getByRole('button', { name: '+ 1 hour' }).click();
  await expect(page.getByText('The clock was set to')).toBeVisible();
  await page.getByRole('button', { name: 'Real time' }).click();
  await expect(page.getByText('The project has real time again')).toBeVisible();
  await page.getByRole('button', { name: 'Wait for it' }).click();
  await expect(page.getByText('All background work is done')).toBeVisible();
});

test('Home links from its health to the searches', async ({ open, page }) => {
  await open('');
  await expect(page.getByRole('link', { name: 'Order Search' })).toBeVisible();
  await checkAccessibility(page, 'Home');
  await page.getByRole('link', { name: 'Order Search' }).click();
  await expect(page.getByRole('heading', { name: 'Searches', level: 1 })).toBeVisible();
});

test('pages of developers fit on a phone', async ({ open, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['searches', 'deliveries', 'requests', 'imports', 'graphql', 'api', 'test']) {
    await open(`/developers/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
});
