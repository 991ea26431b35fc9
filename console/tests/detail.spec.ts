import { call, checkAccessibility, expect, signIn, test, unique } from './console';

interface Category {
  id: string;
  version: number;
  name: Record<string, string>;
  description?: Record<string, string>;
}

test.beforeEach(({ request }) => signIn(request));

const create = (request: Parameters<typeof call>[0], more: object = {}) => {
  const key = unique('detail');
  return call<Category>(request, 'POST', 'categories', { name: { en: 'Lamps', de: 'Lampen' }, slug: { en: key }, key, ...more });
};

test('changes are shown as actions, as curl, TypeScript and Terraform', async ({ open, page, request }) => {
  const category = await create(request);
  await open(`/categories/${category.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('Bright lamps');
  await page.getByRole('textbox', { name: 'Description (en)', exact: true }).fill('They shine.');
  await page.keyboard.press('ControlOrMeta+s');
  const panel = page.getByRole('dialog', { name: 'Review the changes' });
  await expect(panel.getByText('changeName')).toBeVisible();
  await expect(panel.getByText('setDescription')).toBeVisible();
  await checkAccessibility(page, 'review');
  await panel.getByRole('tab', { name: 'curl' }).click();
  await expect(panel.getByText(`/demo/categories/${category.id}`)).toBeVisible();
  await panel.getByRole('tab', { name: 'TypeScript' }).click();
  await expect(panel.getByText('.categories()')).toBeVisible();
  await panel.getByRole('tab', { name: 'Terraform' }).click();
  await expect(panel.getByText('resource "commercetools_category"')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByRole('heading', { name: 'Bright lamps' })).toBeVisible();
  const saved = await call<Category>(request, 'GET', `categories/${category.id}`);
  expect(saved.description).toEqual({ en: 'They shine.' });
  expect(saved.version).toBeGreaterThan(category.version);
});

test('a conflict shows both sides, and applies the own change to the current version', async ({ open, page, request }) => {
  const category = await create(request);
  await open(`/categories/${category.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('Mine');
  await call(request, 'POST', `categories/${category.id}`, {
    version: category.version,
    actions: [
      { action: 'changeName', name: { en: 'Theirs', de: 'Lampen' } },
      { action: 'setDescription', description: { en: 'New' } },
    ],
  });
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('row', { name: /Name/ })).toContainText('Mine');
  await expect(dialog.getByRole('row', { name: /Name/ })).toContainText('Theirs');
  await expect(dialog.getByRole('row', { name: /Description/ })).toContainText('New');
  await dialog.getByRole('button', { name: 'Apply to the current version' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByRole('heading', { name: 'Mine' })).toBeVisible();
  const saved = await call<Category>(request, 'GET', `categories/${category.id}`);
  expect(saved.description).toEqual({ en: 'New' });
});

test('a deleted description comes back from the timeline', async ({ open, page, request }) => {
  const category = await create(request, { description: { en: 'Worth keeping' } });
  await call(request, 'POST', `categories/${category.id}`, {
    version: category.version,
    actions: [{ action: 'setDescription' }],
  });
  await open(`/categories/${category.id}`);
  await page.locator('.timeline summary', { hasText: 'Set description' }).click();
  await page.getByRole('button', { name: 'Put back' }).click();
  await expect(page.getByRole('textbox', { name: 'Description (en)', exact: true })).toHaveValue('Worth keeping');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
});

test('elements of a list are added, changed and removed', async ({ open, page, request }) => {
  const key = unique('tax');
  const tax = await call<{ id: string }>(request, 'POST', 'tax-categories', {
    key,
    name: 'Tax',
    rates: [
      { name: 'One', amount: 0.1, includedInPrice: true, country: 'DE' },
      { name: 'Two', amount: 0.2, includedInPrice: true, country: 'FR' },
    ],
  });
  await open(`/tax-categories/${tax.id}`);
  await page.getByRole('tab', { name: 'All fields' }).click();
  await page.getByRole('button', { name: /^One/ }).click();
  await page.getByRole('textbox', { name: 'Amount' }).fill('0.19');
  await page.getByRole('button', { name: 'Remove Rate 2' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('replaceTaxRate')).toBeVisible();
  await expect(panel.getByText('removeTaxRate')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const saved = await call<{ rates: { name: string; amount: number }[] }>(request, 'GET', `tax-categories/${tax.id}`);
  expect(saved.rates.map(({ name, amount }) => [name, amount])).toEqual([['One', 0.19]]);
});

test('any update action can be added to the changes', async ({ open, page, request }) => {
  const category = await create(request);
  await open(`/categories/${category.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Update action' }).click();
  await page.getByRole('searchbox', { name: 'Find an action' }).fill('external');
  await page.getByRole('button', { name: /Set external id/ }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'External id' }).fill('erp-1');
  await page.getByRole('button', { name: 'Add to the changes' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  expect(await call(request, 'GET', `categories/${category.id}`)).toMatchObject({ externalId: 'erp-1' });
});

test('a document is duplicated', async ({ open, page, request }) => {
  const category = await create(request);
  await open(`/categories/${category.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(page.getByRole('textbox', { name: 'Key', exact: true })).toHaveValue(/-copy$/);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Lamps' })).toBeVisible();
});

test('a reference opens at the side', async ({ open, page }) => {
  await open('/categories');
  await page.getByRole('row', { name: /Sofas/ }).getByRole('link', { name: 'Living room' }).click();
  const panel = page.getByRole('dialog', { name: 'Living room' });
  await expect(panel.getByText('living-room').first()).toBeVisible();
  await checkAccessibility(page, 'peek');
  await panel.getByRole('link', { name: 'Open page' }).click();
  await expect(page.getByRole('heading', { name: 'Living room', level: 1 })).toBeVisible();
});

test('leaving with unsaved changes is asked about', async ({ open, page, request }) => {
  const category = await create(request);
  await open(`/categories/${category.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('Unsaved');
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('textbox', { name: 'Name (en)' })).toHaveValue('Unsaved');
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { name: /^Orders/ })).toBeVisible();
});

test('texts that look like HTML, right-to-left and very long texts do no harm', async ({ open, page, request }) => {
  const html = '<img src=x onerror="document.title=1"><b>bold</b>';
  const long = 'x'.repeat(10_000);
  const first = await create(request, { name: { en: html, de: 'مصابيح' }, description: { en: long } });
  await open('/categories?sort=createdAt+desc');
  await expect(page.getByRole('link', { name: html })).toBeVisible();
  await open(`/categories/${first.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(html);
  await expect(page.getByRole('textbox', { name: 'Description (en)', exact: true })).toHaveValue(long);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});
