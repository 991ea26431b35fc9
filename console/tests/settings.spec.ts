import { call, callConsole, checkAccessibility, expect, signIn, test, unique } from './console';

test.beforeEach(({ request }) => signIn(request));

interface Versioned {
  id: string;
  version: number;
}

test('a country and a currency are added to the project by name', async ({ open, page, request }) => {
  const before = await call<{ countries: string[]; currencies: string[]; version: number }>(request, 'GET', '');
  await open('/project');
  await page.getByRole('combobox', { name: 'Countries: add by name or code' }).fill('austr');
  await page.getByRole('option', { name: 'Austria AT' }).click();
  await page.getByRole('combobox', { name: 'Currencies: add by name or code' }).fill('CHF');
  await page.getByRole('option', { name: 'Swiss Franc CHF' }).click();
  await checkAccessibility(page, 'project settings');
  await page.getByRole('button', { name: 'Review' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('changeCountries')).toBeVisible();
  await expect(panel.getByText('changeCurrencies')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const after = await call<{ countries: string[]; currencies: string[]; version: number }>(request, 'GET', '');
  expect(after.countries).toEqual([...before.countries, 'AT']);
  expect(after.currencies).toEqual([...before.currencies, 'CHF']);
  await call(request, 'POST', '', {
    version: after.version,
    actions: [
      { action: 'changeCountries', countries: before.countries },
      { action: 'changeCurrencies', currencies: before.currencies },
    ],
  });
});

test('settings of carts and messages are saved as their actions', async ({ open, page, request }) => {
  await open('/project');
  await page.getByRole('switch', { name: 'Use the tax rate of the country where a state has none' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('textbox', { name: 'Keep for days' }).fill('30');
  await page.getByRole('button', { name: 'Review' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('changeMessagesConfiguration')).toBeVisible();
  await panel.getByRole('button', { name: /^Save \d actions$/ }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const project = await call<{ carts: object; messages: object }>(request, 'GET', '');
  expect(project.carts).toMatchObject({ countryTaxRateFallbackEnabled: true, deleteDaysAfterLastModification: 90 });
  expect(project.messages).toMatchObject({ deleteDaysAfterCreation: 30 });
});

test('a transition between States is changed in the graph', async ({ open, page, request }) => {
  const make = (key: string, more: object) =>
    call<Versioned>(request, 'POST', 'states', { key, type: 'QuoteState', name: { en: key }, ...more });
  const done = await make(unique('done'), { initial: false, transitions: [] });
  const name = unique('packed');
  const packed = await make(name, { initial: true, transitions: [{ typeId: 'state', id: done.id }] });
  const other = unique('picked');
  const picked = await make(other, { initial: false });
  await open('/settings/workflows?type=QuoteState');
  const graph = page.getByRole('region', { name: 'States and transitions' });
  await graph.getByRole('button', { name: new RegExp(`${name}.*initial.*Followed by done`) }).press('Enter');
  await checkAccessibility(page, 'workflows');
  const box = page.getByRole('checkbox', { name: other });
  await box.focus();
  await page.keyboard.press('Space');
  await expect(graph.getByRole('button', { name: new RegExp(`${name}.*initial.*Followed by .*${other}`) })).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByRole('dialog').getByText('setTransitions')).toBeVisible();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const saved = await call<{ transitions: { id: string }[] }>(request, 'GET', `states/${packed.id}`);
  expect(saved.transitions.map(({ id }) => id)).toEqual([done.id, picked.id]);
});

test('unsaved changes of a State are not lost by choosing another', async ({ open, page }) => {
  await open('/settings/workflows?type=PaymentState');
  const graph = page.getByRole('region', { name: 'States and transitions' });
  await graph.getByRole('button', { name: /^Open/ }).click();
  await page.getByRole('checkbox', { name: /^Open/ }).focus();
  await page.keyboard.press('Space');
  await graph.getByRole('button', { name: /^Reminded/ }).click();
  await expect(page.getByText('Save or discard the changes of Open first')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Open', level: 2 })).toBeVisible();
});

test('a tax rate is added by country and percent', async ({ open, page, request }) => {
  const tax = await call<Versioned>(request, 'POST', 'tax-categories', {
    name: 'Books',
    rates: [{ name: '19 %', amount: 0.19, includedInPrice: true, country: 'DE' }],
  });
  await open(`/tax-categories/${tax.id}`);
  await page.getByRole('button', { name: 'Add rate' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Country/ })
    .click();
  await page.getByRole('option', { name: /^Austria/ }).click();
  await page.getByRole('textbox', { name: 'Rate' }).fill('10,5');
  await checkAccessibility(page, 'tax rate');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('row', { name: /Austria/ })).toContainText('10.5%');
  await page.getByRole('button', { name: 'Edit rate: Germany' }).click();
  await page.getByRole('textbox', { name: 'Rate' }).fill('7');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('addTaxRate')).toBeVisible();
  await expect(panel.getByText('replaceTaxRate')).toBeVisible();
  await panel.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  await checkAccessibility(page, 'tax rates');
  const saved = await call<{ rates: object[] }>(request, 'GET', `tax-categories/${tax.id}`);
  expect(saved.rates).toContainEqual(
    expect.objectContaining({ country: 'AT', amount: 0.105, name: '10,5 %', includedInPrice: true }),
  );
  expect(saved.rates).toContainEqual(expect.objectContaining({ country: 'DE', amount: 0.07 }));
});

test('a shipping method gets a zone and prices, and a price is changed', async ({ open, page, request }) => {
  const [tax, zone] = [
    await call<Versioned>(request, 'POST', 'tax-categories', { name: 'Shipping' }),
    await call<Versioned>(request, 'POST', 'zones', { name: unique('Alps'), locations: [{ country: 'LI' }] }),
  ];
  const { name } = await call<{ name: string }>(request, 'GET', `zones/${zone.id}`);
  const method = await call<Versioned>(request, 'POST', 'shipping-methods', {
    name: unique('Parcel'),
    taxCategory: { typeId: 'tax-category', id: tax.id },
    isDefault: false,
  });
  await open(`/shipping-methods/${method.id}`);
  await page.getByRole('button', { name: 'Add zone' }).click();
  await page.getByRole('menuitem', { name }).click();
  await page.getByRole('button', { name: 'Add price' }).click();
  await page.getByRole('textbox', { name: /^Price/ }).fill('4.90');
  await page.getByRole('textbox', { name: /^Free from/ }).fill('50');
  await checkAccessibility(page, 'shipping price');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('€4.90');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText(/is saved$/).first()).toBeVisible();
  await page.getByRole('button', { name: `Edit price: ${name} EUR` }).click();
  await page.getByRole('textbox', { name: /^Price/ }).fill('5,90');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByRole('dialog').getByText('removeShippingRate')).toBeVisible();
  await page.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const saved = await call<{ zoneRates: { shippingRates: { price: object; freeAbove: object }[] }[] }>(
    request,
    'GET',
    `shipping-methods/${method.id}`,
  );
  expect(saved.zoneRates).toHaveLength(1);
  expect(saved.zoneRates[0]!.shippingRates).toHaveLength(1);
  expect(saved.zoneRates[0]!.shippingRates[0]).toMatchObject({ price: { centAmount: 590 }, freeAbove: { centAmount: 5000 } });
});

test('a zone gets countries by name, and warns of one that another zone has', async ({ open, page, request }) => {
  const zone = await call<Versioned>(request, 'POST', 'zones', { name: unique('North'), locations: [{ country: 'NO' }] });
  await open(`/zones/${zone.id}`);
  const add = page.getByRole('combobox', { name: 'Countries: add by name or code' });
  await add.fill('germany');
  await page.getByRole('option', { name: 'Germany DE' }).click();
  await expect(page.getByText('Shipping to Germany is already in zone Germany.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove Germany' }).click();
  await add.fill('swed');
  await page.getByRole('option', { name: 'Sweden SE' }).click();
  await checkAccessibility(page, 'zone');
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByRole('dialog').getByText('addLocation')).toBeVisible();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const saved = await call<{ locations: object[] }>(request, 'GET', `zones/${zone.id}`);
  expect(saved.locations).toEqual([{ country: 'NO' }, { country: 'SE' }]);
});

test('an API Client for a storefront is created with three clicks', async ({ open, page, request }) => {
  await open('/api-clients');
  await page.getByRole('link', { name: 'New API Client' }).click();
  await page.getByRole('radio', { name: /^A storefront/ }).check();
  await checkAccessibility(page, 'new API Client');
  await page.getByRole('button', { name: 'Create API Client' }).click();
  await expect(page.getByRole('heading', { name: 'Copy the secret now' })).toBeVisible();
  await expect(page.getByText('CTP_PROJECT_KEY=demo')).toBeVisible();
  await checkAccessibility(page, 'secret');
  const text = (await page.locator('.snippet').textContent()) ?? '';
  const value = (name: string) => text.match(new RegExp(`${name}="?([^"\\n]+)`))?.[1] ?? '';
  const token = await request.post(`${value('CTP_AUTH_URL')}/oauth/token`, {
    form: { grant_type: 'client_credentials' },
    headers: {
      Authorization: `Basic ${Buffer.from(`${value('CTP_CLIENT_ID')}:${value('CTP_CLIENT_SECRET')}`).toString('base64')}`,
    },
  });
  expect(token.status()).toBe(200);
  expect(((await token.json()) as { scope: string }).scope).toContain('view_published_products:demo');
});

test('the settings fit on a phone', async ({ open, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['/project', '/settings/workflows?type=PaymentState', '/api-clients/new']) {
    await open(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
});

test('a role that may only look is offered no change', async ({ open, page, request, context }) => {
  const role = unique('looker');
  const scopes = ['view_project_settings', 'view_tax_categories', 'view_states', 'view_shipping_methods', 'view_zones'];
  await callConsole(request, 'POST', 'roles', { name: role, scopes: [...scopes, 'view_import_containers', 'view_orders'] });
  const answer = await callConsole(request, 'POST', 'operators', {
    email: `${unique('looker')}@example.com`,
    name: 'Looker',
    roles: [{ project: 'demo', role }],
  });
  const { link } = (await answer.json()) as { link: string };
  const [tax] = (await call<{ results: Versioned[] }>(request, 'GET', 'tax-categories?limit=1')).results;
  const [method] = (await call<{ results: Versioned[] }>(request, 'GET', 'shipping-methods?limit=1')).results;
  await page.goto(`/console/${new URL(link).hash}`);
  await page.getByLabel('New password', { exact: true }).fill('a long password');
  await page.getByLabel('Repeat the new password').fill('a long password');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect((await context.cookies()).some((cookie) => cookie.name === 'kontor_console')).toBe(true);
  await open('/project');
  await expect(page.getByRole('heading', { name: 'Markets' })).toBeVisible();
  await expect(page.getByRole('combobox')).toHaveCount(0);
  await open(`/tax-categories/${tax!.id}`);
  await expect(page.getByRole('row', { name: /Germany/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /rate/i })).toHaveCount(0);
  await open(`/shipping-methods/${method!.id}`);
  await expect(page.getByRole('row', { name: /Germany/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /price|zone/i })).toHaveCount(0);
  await open('/settings/workflows?type=PaymentState');
  await page.getByRole('button', { name: /^Open/ }).click();
  await expect(page.getByRole('checkbox', { name: 'Settled' })).toBeDisabled();
  await open('/developers/searches');
  await expect(page.getByText('Order Search').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Switch/ })).toHaveCount(0);
  await open('/developers/imports');
  await expect(page.getByRole('heading', { name: 'Imports' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New container' })).toHaveCount(0);
  await open('/developers/requests');
  await expect(page.getByText('Your role may not see this.')).toBeVisible();
});
