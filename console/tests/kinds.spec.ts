import { call, checkAccessibility, editor, expect, setEditor, signIn, test, unique } from './console';

interface ModelKind {
  name: string;
  path: string;
  hidden?: boolean;
  singleton?: boolean;
  operations: string[];
  draft?: string;
  service?: string;
}

const segmentOf = (kind: ModelKind) =>
  kind.path === '' ? kind.name.charAt(0).toLowerCase() + kind.name.slice(1) : kind.path.replaceAll('/', '-');
const money = { currencyCode: 'EUR', centAmount: 1000 };

/** Drafts with which documents of a kind can be created without others, and the field that is changed afterwards. */
const DRAFTS: Record<string, { draft: (key: string) => Record<string, unknown>; change?: string }> = {
  AssociateRole: {
    draft: (key) => ({ key, name: 'Buyer', buyerAssignable: true, permissions: ['CreateMyCarts'] }),
    change: 'Name',
  },
  AttributeGroup: { draft: (key) => ({ key, name: { en: 'Group' }, attributes: [] }), change: 'Name (en)' },
  BusinessUnit: { draft: (key) => ({ key, name: 'Company', unitType: 'Company' }), change: 'Name' },
  Cart: { draft: (key) => ({ key, currency: 'EUR' }), change: 'Key' },
  CartDiscount: {
    draft: (key) => ({
      key,
      name: { en: 'Discount' },
      value: { type: 'relative', permyriad: 100 },
      cartPredicate: 'true',
      target: { type: 'lineItems', predicate: 'true' },
      sortOrder: `0.${Date.now()}1`,
    }),
    change: 'Name (en)',
  },
  Category: { draft: (key) => ({ key, name: { en: 'Category' }, slug: { en: key } }), change: 'Name (en)' },
  Channel: { draft: (key) => ({ key, name: { en: 'Channel' } }), change: 'Name (en)' },
  CustomObject: { draft: (key) => ({ container: 'tests', key, value: { colour: 'blue' } }) },
  Customer: { draft: (key) => ({ key, email: `${key}@example.com`, password: 'secret-password' }), change: 'First name' },
  CustomerGroup: { draft: (key) => ({ key, groupName: key }), change: 'Name' },
  DiscountGroup: { draft: (key) => ({ key, name: { en: 'Group' }, sortOrder: `0.${Date.now()}1` }), change: 'Name (en)' },
  InventoryEntry: { draft: (key) => ({ key, sku: key, quantityOnStock: 3 }), change: 'Quantity on stock' },
  Payment: { draft: (key) => ({ key, amountPlanned: money }), change: 'Key' },
  Product: {
    draft: (key) => ({
      key,
      name: { en: 'Product' },
      slug: { en: key },
      productType: { typeId: 'product-type', key: 'furniture' },
    }),
    change: 'Key',
  },
  ProductDiscount: {
    draft: (key) => ({
      key,
      name: { en: 'Discount' },
      value: { type: 'relative', permyriad: 100 },
      predicate: 'sku = "none"',
      sortOrder: `0.${Date.now()}1`,
      isActive: false,
    }),
    change: 'Name (en)',
  },
  ProductSelection: { draft: (key) => ({ key, name: { en: 'Selection' } }), change: 'Name (en)' },
  ProductType: { draft: (key) => ({ key, name: 'Type', description: 'For tests' }), change: 'Name' },
  Review: { draft: (key) => ({ key, title: 'Good', rating: 4 }), change: 'Title' },
  ShippingMethod: {
    draft: (key) => ({
      key,
      name: 'Post',
      taxCategory: { typeId: 'tax-category', key: 'standard' },
      zoneRates: [],
      isDefault: false,
    }),
    change: 'Name',
  },
  ShoppingList: { draft: (key) => ({ key, name: { en: 'List' } }), change: 'Name (en)' },
  StandalonePrice: { draft: (key) => ({ key, sku: key, value: money }), change: 'Key' },
  State: { draft: (key) => ({ key, type: 'ProductState', initial: true }), change: 'Key' },
  Store: { draft: (key) => ({ key, name: { en: 'Store' } }), change: 'Name (en)' },
  TaxCategory: { draft: (key) => ({ key, name: key, rates: [] }), change: 'Name' },
  Type: { draft: (key) => ({ key, name: { en: 'Type' }, resourceTypeIds: ['category'] }), change: 'Name (en)' },
  Zone: { draft: (key) => ({ key, name: 'Zone', locations: [] }), change: 'Name' },
};

test('every kind has a list and a detail', async ({ open, page, context }) => {
  test.setTimeout(300_000);
  await open('');
  const model = (await (await page.request.get('/console/model.json')).json()) as { kinds: ModelKind[] };
  const kinds = model.kinds.filter((kind) => !kind.hidden && kind.operations.includes('query'));
  expect(kinds.length).toBeGreaterThan(40);
  for (const kind of kinds) {
    await test.step(kind.name, async () => {
      await open(`/${segmentOf(kind)}`);
      await expect(page.locator('main h1')).toBeVisible();
      await expect(page.locator('.table-scroll'), kind.name).toBeVisible();
      if (!kind.operations.includes('get') || kind.service) return;
      const { results } = await call<{ results: { id: string }[] }>(context.request, 'GET', `${kind.path}?limit=1`);
      if (!results[0]) return;
      await open(`/${segmentOf(kind)}/${results[0].id}`);
      await expect(page.getByRole('tab', { name: 'JSON' }), kind.name).toBeVisible();
    });
  }
});

test('every kind with a draft has a form to create it', async ({ open, page }) => {
  test.setTimeout(300_000);
  await open('');
  const model = (await (await page.request.get('/console/model.json')).json()) as { kinds: ModelKind[] };
  for (const kind of model.kinds.filter((one) => !one.hidden && one.operations.includes('create') && one.draft)) {
    await test.step(kind.name, async () => {
      await open(`/${segmentOf(kind)}/new`);
      await expect(page.locator('main h1')).toContainText('New');
      await expect(page.locator('.save-bar')).toBeVisible();
    });
  }
});

for (const [name, { draft, change }] of Object.entries(DRAFTS)) {
  test(`${name}: create, change, undo, delete`, async ({ open, page }) => {
    await open('');
    const model = (await (await page.request.get('/console/model.json')).json()) as { kinds: ModelKind[] };
    const kind = model.kinds.find((one) => one.name === name)!;
    await open(`/${segmentOf(kind)}/new`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await setEditor(page, 'JSON', JSON.stringify(draft(unique('test'))));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByRole('tab', { name: /Details|All fields/ })).toBeVisible();
    if (change) {
      const tab = page.getByRole('tab', { name: /Details|All fields/ });
      await tab.click();
      const field = page.locator('.detail-main').getByRole('textbox', { name: change, exact: !change.includes('(') });
      const value = change === 'Quantity on stock' ? '7' : unique('changed');
      await field.first().fill(value);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: /^Save \d action/ }).click();
      await expect(page.getByText(/is saved$/).first()).toBeVisible();
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(page.getByText('The change is undone').first()).toBeVisible();
    } else {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await expect(editor(page, 'JSON')).toBeVisible();
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Delete' }).click();
    await expect(page.locator('.table-scroll')).toBeVisible();
  });
}

test('a list, a detail and a form are accessible', async ({ open, page, request }) => {
  await signIn(request);
  const { results } = await call<{ results: { id: string }[] }>(request, 'GET', 'tax-categories?limit=1');
  await open('');
  await expect(page.locator('.figures')).toBeVisible();
  await checkAccessibility(page, 'home');
  await open('/orders');
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  await checkAccessibility(page, 'list');
  await open(`/tax-categories/${results[0]!.id}`);
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await checkAccessibility(page, 'detail');
  await open('/categories/new');
  await expect(page.locator('.save-bar')).toBeVisible();
  await checkAccessibility(page, 'form');
  await open('/settings/operators');
  await expect(page.getByText('operator@example.com')).toBeVisible();
  await checkAccessibility(page, 'operators');
});

test('dark mode has enough contrast', async ({ open, page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open('/orders');
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  await checkAccessibility(page, 'list in dark mode');
});
