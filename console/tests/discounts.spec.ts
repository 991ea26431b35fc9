import { call, callConsole, checkAccessibility, editor, expect, setEditor, signIn, signInAs, test, unique } from './console';

interface Discount {
  id: string;
  version: number;
  key?: string;
  sortOrder: string;
  cartPredicate: string;
  value: Record<string, unknown>;
}
interface Code {
  id: string;
  code: string;
  validUntil?: string;
  maxApplicationsPerCustomer?: number;
  cartDiscounts: { id: string }[];
}
type Request = Parameters<typeof call>[0];

test.beforeEach(({ request }) => signIn(request));

const order = () => `0.000${Math.floor(1e9 + Math.random() * 8e9)}1`;
const makeDiscount = (request: Request, more: object = {}) =>
  call<Discount>(request, 'POST', 'cart-discounts', {
    name: { en: unique('Discount') },
    value: { type: 'relative', permyriad: 1000 },
    target: { type: 'lineItems', predicate: '1 = 1' },
    cartPredicate: '1 = 1',
    sortOrder: order(),
    requiresDiscountCode: true,
    ...more,
  });
const makeCode = (request: Request, discount: Discount, more: object = {}) =>
  call<Code>(request, 'POST', 'discount-codes', {
    code: unique('code'),
    cartDiscounts: [{ typeId: 'cart-discount', id: discount.id }],
    ...more,
  });
const codeOf = async (request: Request, code: string) =>
  (await call<{ results: Code[] }>(request, 'GET', `discount-codes?where=${encodeURIComponent(`code="${code}"`)}`)).results[0]!;
const cartCount = async (request: Request) =>
  (await call<{ total: number }>(request, 'GET', 'carts?limit=0&withTotal=true')).total;

test('a code for new customers in Germany until Sunday is made and tried on one page', async ({ open, page, request }) => {
  const code = unique('HELLO').toUpperCase();
  const before = await cartCount(request);
  await open('/discounts/new');
  await expect(page.getByRole('heading', { name: 'New promotion' })).toBeVisible();
  const carts = page.getByRole('group', { name: 'Which carts' });
  await carts.getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('menuitem', { name: 'New customers' }).click();
  await carts.getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('menuitem', { name: 'Country' }).click();
  await carts.getByRole('button', { name: /Add Country/ }).click();
  await page.getByRole('option', { name: 'Germany' }).click();
  await page.getByRole('button', { name: 'Until Sunday' }).click();
  await page.getByRole('textbox', { name: 'Discount Code' }).fill(code);
  await expect(page.getByRole('complementary').getByText('/demo/discount-codes')).toBeVisible();
  await checkAccessibility(page, 'new promotion');

  // Before it is created: a guest gets nothing, and the page says why.
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByText('does not match this cart')).toBeVisible();
  const checks = page.locator('.try-checks li');
  await expect(checks.filter({ hasText: 'Registered since' })).toHaveText(/does not hold: .*\(the cart: guest\)/);
  await expect(checks.filter({ hasText: 'Country is Germany' })).toHaveText(/^holds: /);

  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText('Try it on a cart below.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Customer' }).fill('ada');
  await page.getByRole('option', { name: 'ada@example.com' }).click();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result.getByText(`${code} applies`)).toBeVisible();
  await expect(result.getByText(/^Saved €/)).toBeVisible();
  await checkAccessibility(page, 'created promotion');
  await expect(page.getByText('The temporary cart is deleted again.')).toBeVisible();
  expect(await cartCount(request)).toBe(before);

  const made = await codeOf(request, code);
  expect(made.maxApplicationsPerCustomer).toBe(1);
  expect(new Date(made.validUntil!).getDay()).toBe(0);
  const discount = await call<Discount>(request, 'GET', `cart-discounts/${made.cartDiscounts[0]!.id}`);
  expect(discount.value).toMatchObject({ type: 'relative', permyriad: 1000 });
  expect(discount.cartPredicate).toMatch(/^customer\.createdAt >= ".*" and country = "DE"$/);
  const leftover = await call<{ total: number }>(
    request,
    'GET',
    `cart-discounts?limit=0&withTotal=true&where=${encodeURIComponent('name(en="Check of conditions")')}`,
  );
  expect(leftover.total).toBe(0);
});

test('the text of a predicate and its conditions follow each other', async ({ open, page }) => {
  await open('/discounts/new');
  const label = 'Which carts: As a predicate';
  await expect(page.getByRole('textbox', { name: label })).toBeVisible();
  await setEditor(page, label, 'country = "GB" and lineItemCount(1 = 1) >= 3 and custom.vip = true');
  const carts = page.getByRole('group', { name: 'Which carts' });
  await expect(carts.getByText('United Kingdom', { exact: true })).toBeVisible();
  await expect(carts.getByRole('textbox', { name: 'Number of items' })).toHaveValue('3');
  await expect(carts.getByRole('group', { name: 'Other' }).getByText('custom.vip = true')).toBeVisible();
  await carts.getByRole('textbox', { name: 'Number of items' }).fill('5');
  await expect(editor(page, label)).toHaveText('country = "GB" and lineItemCount(1 = 1) >= 5 and custom.vip = true');
  await carts.getByRole('button', { name: 'Remove condition: Country' }).click();
  await expect(editor(page, label)).toHaveText('lineItemCount(1 = 1) >= 5 and custom.vip = true');
  await page.getByRole('textbox', { name: 'Discount Code' }).fill(unique('x'));
  await setEditor(page, label, 'colour = "red"');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('alert').first()).toContainText('colour');
});

test('a code says why it does not apply', async ({ open, page, request }) => {
  const discount = await makeDiscount(request, { cartPredicate: 'country = "US" and totalPrice >= "1.00 USD"' });
  const code = await makeCode(request, discount, { validUntil: '2020-01-01T00:00:00.000Z' });
  await open(`/discount-codes/${code.id}`);
  await expect(page.getByText(/It does not apply now\. The code expired on/)).toBeVisible();
  await expect(page.getByText('Country is United States')).toBeVisible();
  await checkAccessibility(page, 'code');
  await page.getByRole('button', { name: 'Country' }).click();
  await page.getByRole('option', { name: 'Germany' }).click();
  await page.getByRole('button', { name: 'Currency' }).click();
  await page.getByRole('option', { name: 'EUR' }).click();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByText('is refused by the cart')).toBeVisible();
  await expect(page.getByText('The code has expired.')).toBeVisible();
  await expect(page.getByText('(the cart: Germany)')).toBeVisible();
});

test('many codes are generated like another one', async ({ open, page, request }) => {
  const discount = await makeDiscount(request);
  const code = await makeCode(request, discount, { maxApplications: 1 });
  await open(`/discount-codes/${code.id}`);
  await page.getByRole('button', { name: 'More codes like this' }).click();
  const panel = page.getByRole('dialog', { name: 'Generate codes' });
  await panel.getByRole('textbox', { name: 'How many' }).fill('12');
  const prefix = unique('GEN').toUpperCase();
  await panel.getByRole('textbox', { name: 'Prefix' }).fill(prefix);
  await checkAccessibility(page, 'generate codes');
  await panel.getByRole('button', { name: 'Generate 12 codes' }).click();
  await expect(panel.getByText('12 codes are created')).toBeVisible();
  const where = encodeURIComponent(`cartDiscounts(id="${discount.id}") and maxApplications=1`);
  const made = await call<{ results: Code[] }>(request, 'GET', `discount-codes?where=${where}`);
  expect(made.results).toHaveLength(13);
  expect(made.results.filter((one) => one.code.startsWith(`${prefix}-`))).toHaveLength(12);
});

test('discounts are moved in the order of application with the keyboard', async ({ open, page, request }) => {
  const start = Math.floor(1e6 + Math.random() * 8e6);
  const [first, second] = [unique('First'), unique('Second')];
  const upper = await makeDiscount(request, { name: { en: first }, sortOrder: `0.99${start}2` });
  const lower = await makeDiscount(request, { name: { en: second }, sortOrder: `0.99${start}1` });
  await open('/discounts/order');
  const names = page.locator('.order-entry > .order-row > div > span > .cell-title');
  await expect(names.filter({ hasText: first })).toBeVisible();
  const texts = async () => (await names.allTextContents()).filter((name) => name === first || name === second);
  expect(await texts()).toEqual([first, second]);
  await checkAccessibility(page, 'order of application');
  await page.getByRole('link', { name: first }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  expect(await texts()).toEqual([second, first]);
  await page.getByRole('button', { name: 'Review' }).click();
  const panel = page.getByRole('dialog', { name: 'Review the changes' });
  await expect(panel.getByText('changeSortOrder')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText('The order is saved')).toBeVisible();
  const saved = await call<Discount>(request, 'GET', `cart-discounts/${upper.id}`);
  expect(Number(saved.sortOrder)).toBeLessThan(Number(lower.sortOrder));
  expect(await texts()).toEqual([second, first]);
});

test('lists and details say values in words', async ({ open, page, request }) => {
  const name = unique('Ten euros');
  const discount = await makeDiscount(request, {
    name: { en: name },
    value: { type: 'absolute', money: [{ currencyCode: 'EUR', centAmount: 1000 }] },
    target: { type: 'totalPrice' },
    stackingMode: 'StopAfterThisDiscount',
    sortOrder: `0.98${Math.floor(1e6 + Math.random() * 8e6)}1`,
  });
  await open('/cart-discounts');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row.getByText('€10.00 off')).toBeVisible();
  await expect(row.getByText('with a code')).toBeVisible();
  await row.getByRole('link', { name }).click();
  await expect(page.getByText('No later discount applies')).toBeVisible();
  await expect(page.getByText('No code yet: nobody can use it')).toBeVisible();
  await checkAccessibility(page, 'cart discount');
  const product = await call<{ id: string }>(request, 'POST', 'product-discounts', {
    name: { en: unique('Sofas') },
    value: { type: 'relative', permyriad: 500 },
    predicate: 'sku = "alster-sofa-oak"',
    sortOrder: order(),
    isActive: true,
  });
  await open(`/product-discounts/${product.id}`);
  await expect(page.getByText('5 % off')).toBeVisible();
  await expect(page.getByText('SKU alster-sofa-oak')).toBeVisible();
  const figure = (label: string) => page.locator('.figure', { hasText: label }).locator('.figure-value');
  await expect(figure('Matching products')).toHaveText('1');
  await expect(page.locator('.figure', { hasText: /^Products/ }).locator('.figure-value')).toHaveText('1', { timeout: 60_000 });
  await checkAccessibility(page, 'product discount');
  await call(request, 'DELETE', `product-discounts/${product.id}?version=1`);
  expect(discount.id).toBeTruthy();
});

test('a promotion is made on a phone', async ({ open, page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await open('/discounts/new');
  await page.getByText('Amount off').click();
  await page
    .getByRole('textbox', { name: /Amount/ })
    .first()
    .fill('5');
  await page.getByText('No code, automatic').click();
  await expect(page.getByText('1 request', { exact: true }).last()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test('an existing cart is tried as a copy, with its own codes', async ({ open, page, request }) => {
  const discount = await makeDiscount(request, { cartPredicate: 'country = "DE"' });
  const code = await makeCode(request, discount);
  const key = unique('cart');
  const cart = await call<{ id: string; version: number }>(request, 'POST', 'carts', {
    key,
    currency: 'EUR',
    country: 'DE',
    shippingAddress: { country: 'DE' },
    lineItems: [{ sku: 'alster-sofa-oak', quantity: 2 }],
    discountCodes: [code.code],
  });
  const before = await cartCount(request);
  await open(`/cart-discounts/${discount.id}`);
  await page.getByText('Existing cart').click();
  await page.getByRole('combobox', { name: 'Existing cart' }).fill(key);
  await page.getByRole('option', { name: key }).click();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByText(`${code.code} applies`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Result' }).getByRole('row', { name: /Alster sofa/ })).toContainText('2');
  await expect(page.getByText('The temporary cart is deleted again.')).toBeVisible();
  expect(await call(request, 'GET', `carts/${cart.id}`)).toMatchObject({ version: cart.version });
  expect(await cartCount(request)).toBe(before);
});

test('conditions of a discount are changed, and it is switched off', async ({ open, page, request }) => {
  const discount = await makeDiscount(request);
  await open(`/cart-discounts/${discount.id}`);
  await page.getByRole('tab', { name: 'Conditions' }).click();
  await page.getByRole('group', { name: 'Which carts' }).getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('menuitem', { name: 'Total at least' }).click();
  await page.getByRole('textbox', { name: /Amount/ }).fill('50');
  await page.getByRole('group', { name: 'Which items' }).getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('menuitem', { name: 'SKU' }).click();
  await page.getByRole('textbox', { name: 'SKU' }).fill('alster-sofa-oak, alster-table-oak');
  await checkAccessibility(page, 'conditions');
  await page.getByRole('button', { name: 'Deactivate' }).click();
  const panel = page.getByRole('dialog', { name: 'Review the changes' });
  await panel.getByRole('button', { name: 'Save 3 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  expect(await call(request, 'GET', `cart-discounts/${discount.id}`)).toMatchObject({
    isActive: false,
    cartPredicate: 'totalPrice >= "50.00 EUR"',
    target: { predicate: 'sku in ("alster-sofa-oak", "alster-table-oak")' },
  });
});

test('a role that only looks is offered no changes of discounts and customers', async ({ page, request }) => {
  const discount = await makeDiscount(request, { sortOrder: `0.97${Math.floor(1e6 + Math.random() * 8e6)}1` });
  const code = await makeCode(request, discount);
  const role = unique('looks');
  const scopes = ['view_cart_discounts', 'view_discount_codes', 'view_customers', 'view_business_units'];
  await callConsole(request, 'POST', 'roles', { name: role, scopes });
  await signInAs(page, request, 'Lo Oks', role);
  await page.goto('/console/demo/discounts/order');
  await expect(page.locator('.order-entry').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Move/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'New promotion' })).toHaveCount(0);
  await page.goto('/console/demo/discounts/new');
  await expect(page.getByText('Your role may not create discounts.')).toBeVisible();
  await page.goto(`/console/demo/discount-codes/${code.id}`);
  await expect(page.getByText('It applies to carts that meet the conditions.')).toBeVisible();
  await expect(page.getByText('Trying makes a temporary cart')).toBeVisible();
  for (const name of ['More codes like this', 'Deactivate']) await expect(page.getByRole('button', { name })).toHaveCount(0);
  await page.goto('/console/demo/customers');
  await page.getByRole('link', { name: 'ada@example.com' }).click();
  await expect(page.locator('.address-card').first()).toBeVisible();
  for (const name of ['Create token', 'Add address', /^Edit address/])
    await expect(page.getByRole('button', { name })).toHaveCount(0);
  await page.goto('/console/demo/business-units');
  await page.getByRole('link', { name: 'Harbour Hotels', exact: true }).first().click();
  await expect(page.getByRole('tab', { name: 'Associates' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add associate' })).toHaveCount(0);
});
