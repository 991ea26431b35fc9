import { readFileSync } from 'node:fs';
import { checkAccessibility, editor, expect, setEditor, test } from './console';

test('a predicate shows the number of hits, or where it is wrong', async ({ open, page }) => {
  await open('/orders');
  await setEditor(page, 'Filter by predicate', 'orderState = "Complete"');
  await expect(page.getByText('2 match')).toBeVisible();
  await expect(page.getByRole('link', { name: '2027-1005' })).toBeHidden();
  await expect(page).toHaveURL(/where=orderState/);
  await setEditor(page, 'Filter by predicate', 'colour = "red"');
  await expect(page.getByText('Column 1')).toBeVisible();
  await expect(page.getByText("The field 'colour' does not exist.")).toBeVisible();
});

test('a predicate completes fields, operators and values', async ({ open, page }) => {
  await open('/orders');
  await page.getByRole('textbox', { name: 'Filter by predicate' }).click();
  await expect(editor(page, 'Filter by predicate')).toBeFocused();
  await page.keyboard.type('orderSt', { delay: 30 });
  await expect(page.locator('.cm-tooltip-autocomplete li', { hasText: 'orderState' })).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.type('= ', { delay: 30 });
  await expect(page.locator('.cm-tooltip-autocomplete li', { hasText: '"Complete"' })).toBeVisible();
});

test('sort, columns and saved views are in the address and stay', async ({ open, page }) => {
  await open('/orders');
  await page.getByRole('button', { name: 'Total price' }).click();
  await expect(page).toHaveURL(/sort=totalPrice.centAmount\+asc/);
  await expect(page.locator('tbody tr.table-row').first()).toContainText('2027-1003');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('dialog', { name: 'Columns' }).getByText('Payment state').click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'Payment state' })).toBeHidden();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name of the view').fill('Cheapest first');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await expect(page.getByRole('columnheader', { name: 'Payment state' })).toBeVisible();
  await page.getByRole('button', { name: 'Cheapest first', exact: true }).click();
  await expect(page.locator('tbody tr.table-row').first()).toContainText('2027-1003');
});

test('all rows are exported as CSV', async ({ open, page }) => {
  await open('/products');
  await expect(page.getByText(/of 264/)).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
  const text = readFileSync(await download.path(), 'utf8');
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toContain('masterData.current.name.en');
  expect(lines.length - 1).toBeGreaterThanOrEqual(264);
});

test('a text finds orders, and products by the beginning of their SKU', async ({ open, page }) => {
  await open('/orders');
  await page.getByRole('searchbox', { name: 'Search Orders' }).fill('2027-1003');
  await expect(page.getByRole('link', { name: '2027-1003' })).toBeVisible();
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeHidden();
  await open('/products');
  await page.getByRole('searchbox', { name: 'Search Products' }).fill('alster-ch');
  await expect(page.getByRole('link', { name: 'Alster chair' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Borkum sofa' })).toBeHidden();
});

test('rows are virtual, and pages follow', async ({ open, page }) => {
  await open('/inventory?limit=500');
  await expect(page.getByText(/1–500 of/)).toBeVisible();
  expect(await page.locator('tr.table-row').count()).toBeLessThan(80);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText(/501–/)).toBeVisible();
});

test('the palette finds an order by e-mail, and pages', async ({ open, page }) => {
  await open('');
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Find and do' })).toBeVisible();
  await page.keyboard.type('ben@example.com');
  await expect(page.getByRole('menuitem', { name: /2027-1002.*Order$/ })).toBeVisible();
  await checkAccessibility(page, 'palette');
  await page.getByRole('menuitem', { name: /2027-1002.*Order$/ }).click();
  await expect(page.getByRole('heading', { name: '2027-1002' })).toBeVisible();
  // The newest order is first, before its cart; Enter may come before the response.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('ben@example.com');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/orders\/[0-9a-f-]+$/);
  await expect(page.getByRole('heading', { name: '2027-1006' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Find and do' })).toBeVisible();
  await page.keyboard.type('tax cat');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /Tax Categories/ })).toBeVisible();
});

test('an open list follows changes', async ({ open, page, context }) => {
  const { call, unique } = await import('./console');
  await open('/zones');
  await expect(page.locator('.table-scroll')).toBeVisible();
  const name = unique('live');
  await call(context.request, 'POST', 'zones', { name, key: name, locations: [] });
  await expect(page.getByRole('link', { name })).toBeVisible({ timeout: 15_000 });
});
