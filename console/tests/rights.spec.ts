import { callConsole, expect, signIn, signInAs, test, unique } from './console';

test('a role sees and is offered only what its scopes allow', async ({ page, request }) => {
  await signIn(request);
  const role = unique('catalogue');
  await callConsole(request, 'POST', 'roles', { name: role, scopes: ['view_categories'] });
  await signInAs(page, request, 'Lim Ited', role);
  await expect(page.getByRole('link', { name: 'Customers' })).toBeHidden();
  await page.getByRole('link', { name: 'Products' }).click();
  await expect(page.getByRole('heading', { name: /Categories/ })).toBeVisible();
  await expect(page.getByRole('link', { name: 'New Category' })).toBeHidden();
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.getByRole('link', { name: 'Sofas' }).click();
  await expect(page.getByText('Your role may look, but not change.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'More actions' })).toBeHidden();
  await page.goto('/console/demo/customers');
  await expect(page.getByText('Your role may not see this.')).toBeVisible();
  await page.goto('/console/demo/settings/operators');
  await expect(page.getByText('Only administrators manage operators.')).toBeVisible();
});

test('a merchandiser tries a promotion on a cart', async ({ page, request }) => {
  await signIn(request);
  await signInAs(page, request, 'Mara', 'merchandiser');
  await page.goto('/console/demo/discounts/new');
  await page.getByRole('textbox', { name: 'Discount Code' }).fill(unique('MARA'));
  await page.getByRole('combobox', { name: 'Customer' }).fill('ada');
  await page.getByRole('option', { name: 'ada@example.com' }).click();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await expect(page.getByText('This promotion applies')).toBeVisible();
  await page.getByRole('link', { name: 'Developers' }).click();
  await expect(page.getByRole('link', { name: 'Request log' })).toBeHidden();
});

test('an administrator adds an operator and a role', async ({ open, page }) => {
  await open('/settings/operators');
  await page.getByRole('tab', { name: 'Roles' }).click();
  await page.getByRole('button', { name: 'New role' }).click();
  const role = unique('role');
  await page.getByRole('textbox', { name: 'Name' }).fill(role);
  await page.getByRole('checkbox', { name: 'Orders: Read', exact: true }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(role, { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Operators' }).click();
  await page.getByRole('button', { name: 'Add operator' }).click();
  const email = `${unique('op')}@example.com`;
  await page.getByRole('textbox', { name: 'Name' }).fill('Olga');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('#link=')).toBeVisible();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(email)).toBeVisible();
});

test('the secret of an API Client is shown once', async ({ open, page }) => {
  await open('/api-clients/new');
  const name = unique('storefront');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create API Client' }).click();
  await expect(page.getByRole('heading', { name: 'Copy the secret now' })).toBeVisible();
  const secret = await page.locator('.secret', { hasText: 'Secret' }).locator('code').textContent();
  expect(secret?.length).toBeGreaterThan(20);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByText(secret!)).toBeHidden();
});
