import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { call, expect, signIn, test, unique } from './console';

// The tasks of the table in docs/guide/console.md, each from Home, by an operator who knows only the words for them. The numbers
// are those of the table: a change that needs more clicks or keys fails here.

test.beforeEach(({ request }) => signIn(request));

interface Stored {
  id: string;
  version: number;
  [name: string]: unknown;
}

/** Clicks, presses and types, and counts it. A typed text counts as one text, not as its letters. */
class Hand {
  private clicks = 0;
  private keys = 0;
  private texts = 0;

  constructor(private readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    this.keys += keys.length;
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.insertText(text);
    this.texts += 1;
  }

  async write(field: Locator, text: string): Promise<void> {
    await this.click(field);
    await field.fill(text);
    this.texts += 1;
  }

  /** Opens the palette and takes its first result. */
  async goTo(text: string): Promise<void> {
    await this.press('ControlOrMeta+k');
    await expect(this.page.getByRole('dialog', { name: 'Find and do' })).toBeVisible();
    await this.type(text);
    await this.press('Enter');
    await expect(this.page.getByRole('dialog', { name: 'Find and do' })).toBeHidden();
  }

  async save(): Promise<void> {
    await this.click(this.page.getByRole('button', { name: 'Review' }));
    await this.click(this.page.getByRole('dialog').getByRole('button', { name: /^Save/ }));
    await expect(this.page.getByText(/is saved$/).first()).toBeVisible();
  }

  /** `3 clicks, 2 keys, 1 text` */
  get count(): string {
    return `${this.clicks} clicks, ${this.keys} keys, ${this.texts} texts`;
  }
}

const createCart = (request: APIRequestContext, more: object = {}) =>
  call<Stored>(request, 'POST', 'carts', {
    currency: 'EUR',
    country: 'DE',
    customerEmail: `${unique('buyer')}@example.com`,
    shippingAddress: { country: 'DE', streetName: 'Elbchaussee', city: 'Hamburg' },
    shippingMethod: { typeId: 'shipping-method', key: 'express' },
    lineItems: [
      { sku: 'cuxhaven-sofa-oak', quantity: 1 },
      { sku: 'alster-chair-oak', quantity: 3 },
    ],
    ...more,
  });

async function createOrder(request: APIRequestContext) {
  const cart = await createCart(request);
  const orderNumber = unique('order');
  const { currencyCode, centAmount } = cart.totalPrice as { currencyCode: string; centAmount: number };
  const payment = await call<Stored>(request, 'POST', 'payments', {
    amountPlanned: { currencyCode, centAmount },
    transactions: [{ type: 'Charge', amount: { currencyCode, centAmount }, state: 'Success' }],
  });
  const order = await call<Stored>(request, 'POST', 'orders', {
    cart: { typeId: 'cart', id: cart.id },
    version: cart.version,
    orderNumber,
  });
  return call<Stored>(request, 'POST', `orders/${order.id}`, {
    version: order.version,
    actions: [{ action: 'addPayment', payment: { typeId: 'payment', id: payment.id } }],
  });
}

async function createProduct(request: APIRequestContext, variants: number, more: object = {}) {
  const key = unique('thing');
  const type = await call<Stored>(request, 'POST', 'product-types', {
    key: `${key}-type`,
    name: `${key}-type`,
    description: 'For tests',
    attributes: [
      {
        name: 'colour',
        label: { en: 'Colour' },
        isRequired: false,
        type: { name: 'lenum', values: [{ key: 'red', label: { en: 'Red', de: 'Rot' } }] },
      },
    ],
  });
  const variant = (at: number) => ({ sku: `${key}-${at}`, prices: [{ value: { currencyCode: 'EUR', centAmount: 1000 + at } }] });
  return call<Stored>(request, 'POST', 'products', {
    key,
    productType: { typeId: 'product-type', id: type.id },
    name: { en: key },
    slug: { en: key },
    description: { en: 'Worth keeping' },
    masterVariant: variant(1),
    variants: Array.from({ length: variants - 1 }, (_, at) => variant(at + 2)),
    publish: true,
    ...more,
  });
}

test('find an order by e-mail and refund one item', async ({ open, page, request }) => {
  const order = await createOrder(request);
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(order.customerEmail));
  await hand.click(page.getByRole('button', { name: 'Refund' }));
  await hand.click(page.getByRole('button', { name: 'One more: Alster chair' }));
  await hand.click(page.getByRole('button', { name: /^Review refund/ }));
  await hand.click(page.getByRole('dialog').getByRole('button', { name: /^Save 3 actions/ }));
  await expect(page.getByText('1 returned')).toBeVisible();
  expect(hand.count).toBe('4 clicks, 2 keys, 1 texts');
});

test('change the address of an open order', async ({ open, page, request }) => {
  const order = await createOrder(request);
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(order.orderNumber));
  await hand.click(page.getByRole('button', { name: 'Edit the shipping address' }));
  await hand.write(page.getByRole('textbox', { name: 'Street', exact: true }), 'Palmaille');
  await hand.save();
  await expect(page.getByText('Palmaille', { exact: true })).toBeVisible();
  expect(hand.count).toBe('4 clicks, 2 keys, 2 texts');
});

test('raise the prices of 40 variants by 5 % in one currency', async ({ open, page, request }) => {
  const product = await createProduct(request, 40);
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(product.key));
  await hand.click(page.getByRole('tab', { name: 'Variants' }));
  await hand.click(page.getByRole('button', { name: 'Change prices' }));
  await hand.write(page.getByLabel('Change by'), '5');
  await hand.click(page.getByRole('button', { name: 'Change 40 prices' }));
  await hand.save();
  expect(hand.count).toBe('6 clicks, 2 keys, 2 texts');
});

test('add a colour to a Product Type and fill it for ten variants', async ({ open, page, request }) => {
  const product = await createProduct(request, 10);
  await open('');
  const hand = new Hand(page);
  await hand.goTo(`${String(product.key)}-type`);
  await hand.write(page.getByLabel('New label for Colour (en)'), 'Sky blue');
  await hand.press('Enter');
  await hand.save();
  await hand.goTo(String(product.key));
  await hand.click(page.getByRole('tab', { name: 'Variants' }));
  const header = page.locator('.sheet thead th').filter({ hasText: 'Colour' });
  const column = await header.evaluate((element) => [...element.parentElement!.children].indexOf(element) - 1);
  await hand.click(page.locator(`.sheet [data-row="0"][data-column="${column}"]`));
  await page.keyboard.type('Sky blue');
  await hand.type('');
  await hand.press('Enter', 'ArrowUp', 'Control+Shift+ArrowDown', 'Control+d');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(10);
  await hand.save();
  expect(hand.count).toBe('7 clicks, 9 keys, 4 texts');
});

test('publish a changed product after a look at the difference', async ({ open, page, request }) => {
  const product = await createProduct(request, 2);
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [{ action: 'setDescription', description: { en: 'Better' } }],
  });
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(product.key));
  await hand.click(page.getByRole('button', { name: 'Publish changes' }));
  await expect(page.getByRole('row', { name: /Description en/ })).toContainText('Better');
  await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }));
  await expect(page.getByText(/is saved$/)).toBeVisible();
  expect(hand.count).toBe('2 clicks, 2 keys, 1 texts');
});

test('make a code for new customers in Germany until Sunday, and see it on a cart', async ({ open, page }) => {
  const code = unique('HELLO').toUpperCase();
  await open('');
  const hand = new Hand(page);
  await hand.goTo('coupon');
  const carts = page.getByRole('group', { name: 'Which carts' });
  await hand.click(carts.getByRole('button', { name: 'Add condition' }));
  await hand.click(page.getByRole('menuitem', { name: 'New customers' }));
  await hand.click(carts.getByRole('button', { name: 'Add condition' }));
  await hand.click(page.getByRole('menuitem', { name: 'Country' }));
  await hand.click(carts.getByRole('button', { name: /Add Country/ }));
  await hand.click(page.getByRole('option', { name: 'Germany' }));
  await hand.click(page.getByRole('button', { name: 'Until Sunday' }));
  await hand.write(page.getByRole('textbox', { name: 'Discount Code' }), code);
  await hand.write(page.getByRole('combobox', { name: 'Customer' }), 'ada');
  await hand.click(page.getByRole('option', { name: 'ada@example.com' }));
  await hand.click(page.getByRole('button', { name: 'Try', exact: true }));
  await expect(page.getByText('This promotion applies')).toBeVisible();
  await hand.click(page.getByRole('button', { name: 'Create', exact: true }));
  await expect(page.getByText('Try it on a cart below.')).toBeVisible();
  expect(hand.count).toBe('12 clicks, 2 keys, 3 texts');
});

test('see why a code did not apply', async ({ open, page, request }) => {
  const name = unique('big');
  const discount = await call<Stored>(request, 'POST', 'cart-discounts', {
    name: { en: 'Big basket' },
    value: { type: 'relative', permyriad: 1500 },
    cartPredicate: 'totalPrice >= "9000.00 EUR"',
    target: { type: 'lineItems', predicate: 'true' },
    sortOrder: `0.${Date.now()}1`,
    requiresDiscountCode: true,
  });
  await call(request, 'POST', 'discount-codes', { code: name, cartDiscounts: [{ typeId: 'cart-discount', id: discount.id }] });
  const cart = await createCart(request, { discountCodes: [name] });
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(cart.customerEmail));
  await expect(page.getByText(/Cart total ≥ €9,000.00/)).toBeVisible();
  expect(hand.count).toBe('0 clicks, 2 keys, 1 texts');
});

test('approve a quote', async ({ open, page, request }) => {
  const [customer] = (await call<{ results: Stored[] }>(request, 'GET', 'customers?limit=1')).results;
  const cart = await createCart(request, { customerId: customer!.id });
  const asked = await call<Stored>(request, 'POST', 'quote-requests', {
    cart: { typeId: 'cart', id: cart.id },
    cartVersion: cart.version,
  });
  const staged = await call<Stored>(request, 'POST', 'staged-quotes', {
    quoteRequest: { typeId: 'quote-request', id: asked.id },
    quoteRequestVersion: asked.version,
    quoteRequestStateToAccepted: true,
  });
  const quote = await call<Stored>(request, 'POST', 'quotes', {
    stagedQuote: { typeId: 'staged-quote', id: staged.id },
    stagedQuoteVersion: staged.version,
    stagedQuoteStateToSent: true,
  });
  await open('');
  const hand = new Hand(page);
  await hand.goTo('approve');
  const row = page.getByRole('listitem').filter({ has: page.locator(`a[href$="/${quote.id}"]`) });
  await hand.click(row.getByRole('button', { name: 'Accept' }));
  await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }));
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(await call(request, 'GET', `quotes/${quote.id}`)).toMatchObject({ quoteState: 'Accepted' });
  expect(hand.count).toBe('2 clicks, 2 keys, 1 texts');
});

test('create an API Client for a storefront', async ({ open, page }) => {
  await open('');
  const hand = new Hand(page);
  await hand.goTo('api key');
  await hand.write(page.getByRole('textbox', { name: 'Name' }), unique('storefront'));
  await hand.click(page.getByRole('button', { name: 'Create API Client' }));
  await expect(page.getByRole('heading', { name: 'Copy the secret now' })).toBeVisible();
  expect(hand.count).toBe('2 clicks, 2 keys, 2 texts');
});

test('find why a webhook does not arrive', async ({ open, page, request }) => {
  let status = 200;
  const server = createServer((sent, response) => {
    sent.resume().on('end', () => response.writeHead(status).end('warehouse is closed'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const subscription = await call<Stored>(request, 'POST', 'subscriptions', {
    key: unique('broken'),
    destination: { type: 'HTTP', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` },
    changes: [{ resourceTypeId: 'zone' }],
  });
  status = 503;
  await call(request, 'POST', 'zones', { name: unique('Somewhere') });
  await open('');
  const hand = new Hand(page);
  await hand.goTo('webhook');
  await hand.click(page.locator('.log-row', { hasText: 'Failed' }).first());
  await expect(page.getByRole('dialog', { name: 'Delivery' }).getByText('warehouse is closed').first()).toBeVisible();
  expect(hand.count).toBe('1 clicks, 2 keys, 1 texts');
  await call(request, 'DELETE', `subscriptions/${subscription.id}?version=${subscription.version}`);
  server.close();
});

test('restore a deleted description from the history', async ({ open, page, request }) => {
  const product = await createProduct(request, 1);
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [{ action: 'setDescription' }],
  });
  await open('');
  const hand = new Hand(page);
  await hand.goTo(String(product.key));
  await hand.click(page.locator('.timeline summary', { hasText: 'Set description' }));
  await hand.click(page.getByRole('button', { name: 'Put back' }));
  await hand.save();
  expect(hand.count).toBe('4 clicks, 2 keys, 1 texts');
});

test('import a CSV of stock and see its errors', async ({ open, page }) => {
  await open('');
  const hand = new Hand(page);
  await hand.goTo('csv');
  const csv = `sku,quantityOnStock\n${unique('sku')},12\n${unique('sku')},many`;
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    hand.click(page.getByRole('button', { name: 'Drop a CSV file here' })),
  ]);
  await chooser.setFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(page.getByText('“many” is no whole number')).toBeVisible();
  await hand.click(page.getByRole('button', { name: 'Import 1 row' }));
  await expect(page.getByText(/1 created/)).toBeVisible();
  expect(hand.count).toBe('2 clicks, 2 keys, 1 texts');
});
