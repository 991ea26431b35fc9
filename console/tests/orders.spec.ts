import type { APIRequestContext, Page } from '@playwright/test';
import { call, callConsole, checkAccessibility, expect, signIn, signInAs, test, unique } from './console';

interface Stored {
  id: string;
  version: number;
  [name: string]: unknown;
}

const SKUS = ['cuxhaven-sofa-oak', 'alster-chair-oak'] as const;
const ADDRESS = {
  country: 'DE',
  firstName: 'Ada',
  lastName: 'Arndt',
  streetName: 'Elbchaussee',
  postalCode: '20095',
  city: 'Hamburg',
};

test.beforeEach(({ request }) => signIn(request));

const createCart = (request: APIRequestContext, more: object = {}) =>
  call<Stored>(request, 'POST', 'carts', {
    currency: 'EUR',
    country: 'DE',
    customerEmail: `${unique('buyer')}@example.com`,
    shippingAddress: ADDRESS,
    billingAddress: ADDRESS,
    shippingMethod: { typeId: 'shipping-method', key: 'express' },
    lineItems: [
      { sku: SKUS[0], quantity: 1 },
      { sku: SKUS[1], quantity: 3 },
    ],
    ...more,
  });

/** An Order that is charged on a Payment. */
async function createOrder(request: APIRequestContext, more: object = {}) {
  const cart = await createCart(request, more);
  const orderNumber = unique('order');
  const { currencyCode, centAmount } = cart.totalPrice as { currencyCode: string; centAmount: number };
  const amount = { currencyCode, centAmount };
  const payment = await call<Stored>(request, 'POST', 'payments', {
    key: orderNumber,
    amountPlanned: amount,
    transactions: [{ type: 'Charge', amount, state: 'Success' }],
  });
  const order = await call<Stored>(request, 'POST', 'orders', {
    cart: { typeId: 'cart', id: cart.id },
    version: cart.version,
    orderNumber,
  });
  const paid = await call<Stored>(request, 'POST', `orders/${order.id}`, {
    version: order.version,
    actions: [{ action: 'addPayment', payment: { typeId: 'payment', id: payment.id } }],
  });
  return { order: paid, payment, orderNumber };
}

const save = async (page: Page, button: RegExp) => {
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
};

/** Reloads the page, so that messages of earlier actions are gone. */
const reloaded = async (page: Page) => {
  await page.reload();
  await expect(page.locator('.shell')).toBeVisible();
};

test('an order is found by e-mail, and one item is refunded', async ({ open, page, request }) => {
  const { order, payment, orderNumber } = await createOrder(request);
  await open('/orders');
  await page.getByRole('searchbox', { name: 'Search Orders' }).fill(String(order.customerEmail));
  await page.getByRole('link', { name: orderNumber }).click();
  await expect(page.getByRole('table', { name: 'Items' }).getByText('Alster chair')).toBeVisible();
  await checkAccessibility(page, 'order');
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByRole('button', { name: 'One more: Alster chair' }).click();
  const chair = (order.lineItems as { totalPrice: { centAmount: number } }[])[1]!;
  const cents = Math.round(chair.totalPrice.centAmount / 3);
  await expect(page.getByRole('textbox', { name: 'Amount' })).toHaveValue((cents / 100).toFixed(2));
  await checkAccessibility(page, 'refund');
  await page.getByRole('button', { name: `Review refund of €${(cents / 100).toFixed(2)}` }).click();
  const review = page.getByRole('dialog', { name: 'Review the refund' });
  await expect(review.getByText('addTransaction')).toBeVisible();
  await expect(review.getByText('addReturnInfo')).toBeVisible();
  await expect(review.getByText('setReturnPaymentState')).toBeVisible();
  await checkAccessibility(page, 'review of a refund');
  await save(page, /^Save 3 actions/);
  await expect(page.getByText('1 returned')).toBeVisible();
  const paid = await call<{ transactions: object[] }>(request, 'GET', `payments/${payment.id}`);
  expect(paid.transactions[1]).toMatchObject({
    type: 'Refund',
    state: 'Initial',
    amount: { centAmount: cents, currencyCode: 'EUR' },
  });
  const now = await call<{ returnInfo: { items: object[] }[] }>(request, 'GET', `orders/${order.id}`);
  expect(now.returnInfo[0]!.items[0]).toMatchObject({ quantity: 1, shipmentState: 'Returned', paymentState: 'Refunded' });
});

test('a refund that fails half-way says so, and sends only the rest again', async ({ open, page, request }) => {
  const { order, payment } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByRole('button', { name: 'One more: Cuxhaven sofa' }).click();
  await page.getByRole('button', { name: /^Review refund/ }).click();
  // The order changes after the review was opened: its version is no longer the current one.
  await call(request, 'POST', `orders/${order.id}`, {
    version: order.version,
    actions: [{ action: 'changeOrderState', orderState: 'Confirmed' }],
  });
  const review = page.getByRole('dialog', { name: 'Review the refund' });
  await review.getByRole('button', { name: /^Save/ }).click();
  await expect(review.getByText('Only a part is saved.')).toBeVisible();
  await expect(review.getByText('saved', { exact: true })).toBeVisible();
  await expect(review.getByText('not saved', { exact: true })).toBeVisible();
  await save(page, /^Try the last 2 actions again/);
  const paid = await call<{ transactions: object[] }>(request, 'GET', `payments/${payment.id}`);
  expect(paid.transactions).toHaveLength(2);
  const now = await call<{ returnInfo: object[]; orderState: string }>(request, 'GET', `orders/${order.id}`);
  expect(now.returnInfo).toHaveLength(1);
  expect(now.orderState).toBe('Confirmed');
});

test('the address of an open order is changed', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: 'Edit the shipping address' }).click();
  await page.getByRole('textbox', { name: 'Street', exact: true }).fill('Palmaille');
  await page.getByRole('textbox', { name: 'Number' }).fill('7');
  await checkAccessibility(page, 'address');
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByRole('dialog').getByText('setShippingAddress')).toBeVisible();
  await save(page, /^Save 1 action/);
  await expect(page.getByText('Palmaille 7')).toBeVisible();
  const now = await call<Stored>(request, 'GET', `orders/${order.id}`);
  expect(now.shippingAddress).toMatchObject({ streetName: 'Palmaille', streetNumber: '7', city: 'Hamburg', firstName: 'Ada' });
  expect(now.billingAddress).toMatchObject({ streetName: 'Elbchaussee' });
});

test('orders are found by number and by SKU', async ({ open, page, request }) => {
  const { orderNumber } = await createOrder(request, { lineItems: [{ sku: 'dornum-shelf-oak', quantity: 1 }] });
  await open('/orders');
  const search = page.getByRole('searchbox', { name: 'Search Orders' });
  await search.fill(orderNumber);
  await expect(page.locator('tbody .cell-title')).toHaveText([orderNumber]);
  await search.fill('dornum-shelf-oak');
  await expect(page.getByRole('link', { name: orderNumber })).toBeVisible();
  await expect(page.getByRole('row', { name: /Cuxhaven/ })).toHaveCount(0);
});

test('states are changed in place', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: /Order state/ }).click();
  await page.getByRole('option', { name: 'Confirmed' }).click();
  await page.getByRole('button', { name: /Payment state/ }).click();
  await page.getByRole('option', { name: 'Paid' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 2 actions/);
  expect(await call(request, 'GET', `orders/${order.id}`)).toMatchObject({ orderState: 'Confirmed', paymentState: 'Paid' });
});

test('items are shipped, come back, and their parcels are tracked', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: 'Ship items' }).click();
  await page.getByRole('button', { name: 'One less: Alster chair' }).click();
  await page.getByRole('textbox', { name: 'Carrier' }).fill('Nordspedition');
  await page.getByRole('textbox', { name: 'Tracking number' }).fill('NS-1');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 2 actions/);
  await page.getByRole('tab', { name: 'Deliveries and returns' }).click();
  await expect(page.getByText('1 item left')).toBeVisible();
  await expect(page.getByText('NS-1', { exact: true })).toBeVisible();
  await reloaded(page);
  await page.getByRole('tab', { name: 'Deliveries and returns' }).click();
  await checkAccessibility(page, 'deliveries');
  await page.getByRole('button', { name: 'Edit tracking' }).click();
  await page.getByRole('textbox', { name: 'Tracking number' }).fill('NS-2');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 1 action/);
  await page.getByRole('button', { name: 'Add return' }).click();
  await page.getByRole('button', { name: 'One more: Alster chair' }).click();
  await page.getByRole('textbox', { name: 'Comment' }).fill('Too high');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 1 action/);
  await expect(page.getByText('Too high', { exact: true })).toBeVisible();
  await page.locator('.return-states').getByRole('button', { name: 'Shipment state' }).click();
  await page.getByRole('option', { name: 'BackInStock' }).click();
  await save(page, /^Save 1 action/);
  const now = await call<{
    shipmentState: string;
    shippingInfo: { deliveries: { parcels: object[] }[] };
    returnInfo: { items: object[] }[];
  }>(request, 'GET', `orders/${order.id}`);
  expect(now.shipmentState).toBe('Partial');
  expect(now.shippingInfo.deliveries[0]!.parcels[0]).toMatchObject({
    trackingData: { carrier: 'Nordspedition', trackingId: 'NS-2' },
  });
  expect(now.returnInfo[0]!.items[0]).toMatchObject({ shipmentState: 'BackInStock', comment: 'Too high' });
});

test('a transaction is added to a payment', async ({ open, page, request }) => {
  const { order, payment } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('tab', { name: 'Payments' }).click();
  await expect(page.getByText('Charge', { exact: true })).toBeVisible();
  await checkAccessibility(page, 'payments');
  await page.getByRole('button', { name: 'Add transaction' }).click();
  await page.getByRole('button', { name: /^Type/ }).or(page.getByLabel('Type')).first().click();
  await page.getByRole('option', { name: 'Refund' }).click();
  await page.getByRole('textbox', { name: 'Amount' }).fill('12.50');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 1 action/);
  const now = await call<{ transactions: object[] }>(request, 'GET', `payments/${payment.id}`);
  expect(now.transactions[1]).toMatchObject({ type: 'Refund', state: 'Success', amount: { centAmount: 1250 } });
});

test('items of an order are changed by an edit, after a look at the result', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: 'Edit items' }).click();
  await page.getByRole('button', { name: 'One less: Alster chair' }).click();
  await page.getByRole('textbox', { name: 'Add by SKU' }).fill('no-such-sku');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText(/no-such-sku/).last()).toBeVisible();
  await expect(page.getByRole('alert')).toBeVisible();
  if (await page.getByRole('button', { name: 'Back' }).isVisible()) await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Remove no-such-sku' }).click();
  await page.getByRole('textbox', { name: 'Add by SKU' }).fill('alster-table-oak');
  await page.keyboard.press('Enter');
  await checkAccessibility(page, 'edit');
  await page.getByRole('button', { name: 'Preview' }).click();
  const review = page.getByRole('dialog', { name: 'Review the edit' });
  await expect(review.getByText('Alster table')).toBeVisible();
  await checkAccessibility(page, 'preview of an edit');
  await expect(review.getByText('Alster chair: 3 → 2')).toBeVisible();
  await save(page, /^Apply to the order/);
  await expect(page.getByRole('table', { name: 'Items' }).getByText('Alster table')).toBeVisible();
  await page.getByRole('tab', { name: 'Edits' }).click();
  await expect(page.getByText('Applied')).toBeVisible();
  const now = await call<{ lineItems: { quantity: number }[] }>(request, 'GET', `orders/${order.id}`);
  expect(now.lineItems.map((item) => item.quantity)).toEqual([1, 2, 1]);
});

test('an edit that is given up leaves nothing', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await open(`/orders/${order.id}`);
  await page.getByRole('button', { name: 'Edit items' }).click();
  await page.getByRole('button', { name: 'One less: Alster chair' }).click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText('Difference')).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const where = encodeURIComponent(`resource(id = "${order.id}")`);
  const edits = () => call<{ total: number }>(request, 'GET', `orders/edits?where=${where}&withTotal=true`);
  await expect.poll(async () => (await edits()).total).toBe(0);
});

test('a draft of an edit is applied later', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  const [first] = order.lineItems as { id: string }[];
  const edit = await call<Stored>(request, 'POST', 'orders/edits', {
    resource: { typeId: 'order', id: order.id },
    stagedActions: [{ action: 'changeLineItemQuantity', lineItemId: first!.id, quantity: 0 }],
  });
  await open(`/orders-edits/${edit.id}`);
  await expect(page.getByText('Remove Cuxhaven sofa')).toBeVisible();
  await checkAccessibility(page, 'order edit');
  await page.getByRole('button', { name: 'Apply' }).click();
  await save(page, /^Apply to the order/);
  await expect(page.getByText('Applied', { exact: true })).toBeVisible();
});

test('a cart says why a code does not count', async ({ open, page, request }) => {
  const name = unique('big');
  const discount = await call<Stored>(request, 'POST', 'cart-discounts', {
    key: name,
    name: { en: 'Big basket' },
    value: { type: 'relative', permyriad: 1500 },
    cartPredicate: 'totalPrice >= "9000.00 EUR" and shippingAddress.country = "DE"',
    target: { type: 'lineItems', predicate: 'true' },
    sortOrder: `0.${Date.now()}1`,
    requiresDiscountCode: true,
  });
  await call(request, 'POST', 'discount-codes', { code: name, cartDiscounts: [{ typeId: 'cart-discount', id: discount.id }] });
  const cart = await createCart(request);
  await open(`/carts/${cart.id}`);
  await page.getByRole('textbox', { name: 'Try a code' }).fill('no such code');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/cannot be applied to the cart/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Try a code' }).fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByText('DoesNotMatchCart')).toBeVisible();
  await expect(page.getByText(/Cart total ≥ €9,000.00/)).toBeVisible();
  await expect(page.locator('.check-bad')).toHaveCount(1);
  await expect(page.locator('.check-ok')).toHaveCount(1);
  await checkAccessibility(page, 'cart');
});

/** A Quote Request of a Customer. */
async function requestQuote(request: APIRequestContext, comment: string) {
  const customers = await call<{ results: Stored[] }>(request, 'GET', 'customers?limit=1');
  const cart = await createCart(request, { customerId: customers.results[0]!.id });
  return call<Stored>(request, 'POST', 'quote-requests', {
    cart: { typeId: 'cart', id: cart.id },
    cartVersion: cart.version,
    comment,
  });
}

test('a quote is prepared, discounted, sent and accepted', async ({ open, page, request }) => {
  const comment = unique('Forty rooms');
  const asked = await requestQuote(request, comment);
  await open(`/quote-requests/${asked.id}`);
  await expect(page.getByText(comment)).toBeVisible();
  await checkAccessibility(page, 'quote request');
  await page.getByRole('button', { name: 'Prepare a quote' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Prepare a quote' }).click();
  await page.getByRole('button', { name: 'Offer a discount' }).click();
  await page.getByRole('textbox', { name: 'Discount' }).fill('10');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 1 action/);
  await expect(page.getByText('Discount on the total')).toBeVisible();
  await page.getByRole('textbox', { name: 'Seller comment' }).fill('Ten percent for you.');
  await page.getByRole('button', { name: 'Review' }).click();
  await save(page, /^Save 1 action/);
  await reloaded(page);
  await expect(page.getByText('Discount on the total')).toBeVisible();
  await checkAccessibility(page, 'staged quote');
  await page.getByRole('button', { name: 'Send quote' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send quote' }).click();
  await expect(page.locator('.said', { hasText: 'Ten percent for you.' })).toBeVisible();
  const id = page.url().split('/').at(-1)!;
  await open('/quotes');
  await page.locator(`a[href$="/quotes/${id}"]`).click();
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.locator('.page-head').getByText('Accepted')).toBeVisible();
  expect(await call(request, 'GET', `quotes/${id}`)).toMatchObject({ quoteState: 'Accepted' });
});

test('what waits for a decision is on one page', async ({ open, page, request }) => {
  const asked = await requestQuote(request, 'Please');
  await open('/quotes-to-decide');
  const row = page.getByRole('listitem').filter({ has: page.locator(`a[href$="/${asked.id}"]`) });
  await expect(row).toBeVisible();
  await checkAccessibility(page, 'quotes to decide');
  await row.getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect(row).toBeHidden();
  expect(await call(request, 'GET', `quote-requests/${asked.id}`)).toMatchObject({ quoteRequestState: 'Rejected' });
});

test('an order fits on a phone, in the dark', async ({ open, page, request }) => {
  const { order } = await createOrder(request);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(`/orders/${order.id}`);
  await expect(page.getByText('Alster chair')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await checkAccessibility(page, 'order on a phone');
});

test('who may only read orders is offered no change', async ({ page, request }) => {
  const { order } = await createOrder(request);
  const role = unique('reader');
  await callConsole(request, 'POST', 'roles', { name: role, scopes: ['view_orders'] });
  await signInAs(page, request, 'Re Ader', role);
  await page.goto(`/console/demo/orders/${order.id}`);
  await expect(page.getByRole('table', { name: 'Items' }).getByText('Alster chair')).toBeVisible();
  for (const name of ['Refund', 'Ship items', 'Edit items', 'Edit the shipping address'])
    await expect(page.getByRole('button', { name })).toBeHidden();
  await page.getByRole('tab', { name: 'Payments' }).click();
  await expect(page.getByText('Your role may not see Payments.')).toBeVisible();
  await page.getByRole('tab', { name: 'Edits' }).click();
  await expect(page.getByText('Your role may not see Order Edits.')).toBeVisible();
  await page.getByRole('tab', { name: 'Deliveries and returns' }).click();
  await expect(page.getByRole('button', { name: 'Add delivery' })).toBeHidden();
});
