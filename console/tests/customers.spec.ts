import { call, checkAccessibility, expect, signIn, test, unique } from './console';

interface Customer {
  id: string;
  version: number;
  email: string;
  addresses: { id: string; city?: string; streetName?: string }[];
  defaultShippingAddressId?: string;
  customerGroup?: { id: string };
}
interface Unit {
  id: string;
  version: number;
  key: string;
  associates: { customer: { id: string }; associateRoleAssignments: { associateRole: { key: string } }[] }[];
}
type Request = Parameters<typeof call>[0];

test.beforeEach(({ request }) => signIn(request));

const makeCustomer = async (request: Request, more: object = {}) => {
  const key = unique('customer');
  const body = { email: `${key}@example.com`, key, password: 'a long password', firstName: 'Greta', lastName: 'Grau', ...more };
  return (await call<{ customer: Customer }>(request, 'POST', 'customers', body)).customer;
};
const makeRole = (request: Request, name: string, permissions: string[]) =>
  call<{ key: string }>(request, 'POST', 'associate-roles', { key: unique('role'), name, permissions });
const associate = (customer: Customer, role: string) => ({
  customer: { typeId: 'customer', id: customer.id },
  associateRoleAssignments: [{ associateRole: { typeId: 'associate-role', key: role }, inheritance: 'Enabled' }],
});
const makeUnit = (request: Request, more: object) =>
  call<Unit>(request, 'POST', 'business-units', { key: unique('unit'), unitType: 'Company', name: unique('Company'), ...more });

test('a password token is shown once, to copy', async ({ open, page, request }) => {
  const customer = await makeCustomer(request);
  await open(`/customers/${customer.id}`);
  await expect(page.locator('.figure', { hasText: 'Orders' }).locator('.figure-value')).toHaveText('0');
  await checkAccessibility(page, 'customer');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('menuitem', { name: 'Password reset token' }).click();
  const dialog = page.getByRole('dialog', { name: 'Password reset token' });
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog.getByText('it is shown only once')).toBeVisible();
  const token = await dialog.locator('code').textContent();
  await checkAccessibility(page, 'token');
  expect(await call<Customer>(request, 'GET', `customers/password-token=${token}`)).toMatchObject({ id: customer.id });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(token!)).toBeHidden();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('menuitem', { name: 'E-mail verification token' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
  const second = await page.getByRole('dialog').locator('code').textContent();
  expect(await call<Customer>(request, 'GET', `customers/email-token=${second}`)).toMatchObject({ id: customer.id });
});

test('addresses and the group of a customer are changed by update actions', async ({ open, page, request }) => {
  const customer = await makeCustomer(request, {
    addresses: [
      { country: 'DE', firstName: 'Greta', city: 'Bremen' },
      { country: 'DE', firstName: 'Greta', city: 'Kiel' },
    ],
    defaultShippingAddress: 0,
  });
  const group = await call<{ id: string; name: string }>(request, 'POST', 'customer-groups', { groupName: unique('Group') });
  await open(`/customers/${customer.id}`);
  const bremen = page.locator('.address-card', { hasText: 'Bremen' });
  const kiel = page.locator('.address-card', { hasText: 'Kiel' });
  await expect(bremen.getByText('Default shipping')).toBeVisible();
  await bremen.getByRole('button', { name: /^Edit address/ }).click();
  const panel = page.getByRole('dialog', { name: 'Edit address' });
  await panel.getByRole('textbox', { name: 'Street name' }).fill('Am Markt');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await expect(bremen.getByText('changed')).toBeVisible();
  await kiel.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Make default for shipping' }).click();
  await expect(kiel.getByText('Default shipping')).toBeVisible();
  await page.getByRole('combobox', { name: 'Customer group' }).fill(group.name);
  await page.getByRole('option', { name: group.name }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  const review = page.getByRole('dialog', { name: 'Review the changes' });
  for (const action of ['changeAddress', 'setDefaultShippingAddress', 'setCustomerGroup'])
    await expect(review.getByText(action, { exact: true })).toBeVisible();
  await review.getByRole('button', { name: 'Save 3 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const saved = await call<Customer>(request, 'GET', `customers/${customer.id}`);
  expect(saved.addresses[0]).toMatchObject({ id: customer.addresses[0]!.id, streetName: 'Am Markt', city: 'Bremen' });
  expect(saved.defaultShippingAddressId).toBe(customer.addresses[1]!.id);
  expect(saved.customerGroup?.id).toBe(group.id);
});

test('customers are found by name, e-mail, number and company', async ({ open, page, request }) => {
  const [lastName, company, number] = [unique('Grau'), unique('Atelier'), unique('K')];
  const customer = await makeCustomer(request, { lastName, companyName: company, customerNumber: number });
  await open('/customers');
  for (const text of [lastName, company, number, customer.email]) {
    await page.getByRole('searchbox', { name: /Customers/ }).fill(text);
    await expect(page.getByRole('row')).toHaveCount(2);
    await expect(page.getByRole('link', { name: customer.email })).toBeVisible();
  }
});

test('the orders of a customer are listed with their revenue', async ({ open, page, request }) => {
  const ada = await call<Customer>(request, 'GET', 'customers/key=ada');
  await open(`/customers/${ada.id}`);
  await expect(page.locator('.figure', { hasText: 'Revenue' }).locator('.money').first()).toContainText('€');
  await page.getByRole('tab', { name: 'Orders' }).click();
  await expect(page.getByRole('link', { name: /^2027-/ }).first()).toBeVisible();
  await checkAccessibility(page, 'orders of a customer');
  await page.getByRole('tab', { name: 'Carts' }).click();
  await expect(page.getByRole('tabpanel').locator('.home-row, .empty').first()).toBeVisible();
});

test('the role of an associate is changed', async ({ open, page, request }) => {
  const [buyer, manager] = [await makeRole(request, unique('Buyer'), []), await makeRole(request, unique('Manager'), [])];
  const roles = await call<{ results: { key: string; name: string }[] }>(request, 'GET', 'associate-roles?limit=500');
  const nameOf = (key: string) => roles.results.find((role) => role.key === key)!.name;
  const customer = await makeCustomer(request);
  const unit = await makeUnit(request, { associates: [associate(customer, buyer.key)] });
  await open(`/business-units/${unit.id}`);
  await expect(page.getByText(nameOf(buyer.key))).toBeVisible();
  await checkAccessibility(page, 'business unit');
  await page.getByRole('button', { name: 'Change roles of Greta Grau' }).click();
  const panel = page.getByRole('dialog', { name: 'Roles' });
  await panel.getByRole('button', { name: 'Role', exact: false }).first().click();
  await page.getByRole('option', { name: nameOf(manager.key) }).click();
  await panel.getByRole('button', { name: 'Review' }).click();
  const review = page.getByRole('dialog', { name: 'Review the changes' });
  await expect(review.getByText('changeAssociate')).toBeVisible();
  await review.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  await expect(page.getByText(nameOf(manager.key))).toBeVisible();
  const saved = await call<Unit>(request, 'GET', `business-units/${unit.id}`);
  expect(saved.associates[0]!.associateRoleAssignments.map((one) => one.associateRole.key)).toEqual([manager.key]);

  const other = await makeCustomer(request, { firstName: 'Hanna' });
  await page.getByRole('button', { name: 'Add associate' }).click();
  const adding = page.getByRole('dialog', { name: 'Add associate' });
  await adding.getByRole('combobox', { name: 'Customer' }).fill(other.email);
  await page.getByRole('option', { name: other.email }).click();
  await adding.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText('Hanna Grau')).toBeVisible();
  await page.getByRole('button', { name: 'Remove Hanna Grau' }).click();
  await expect(page.getByText('is removed when you save')).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect(page.getByText('Hanna Grau')).toBeHidden();
});

test('an order that waits is approved in the name of an associate', async ({ open, page, request }) => {
  const buying = ['CreateMyCarts', 'UpdateMyCarts', 'ViewMyCarts', 'CreateMyOrdersFromMyCarts', 'ViewMyOrders'];
  const buyer = await makeRole(request, unique('Buyer'), buying);
  const chief = await makeRole(request, unique('Chief'), ['CreateApprovalRules', 'UpdateApprovalRules', 'UpdateApprovalFlows']);
  const [ben, eva] = [await makeCustomer(request), await makeCustomer(request, { firstName: 'Eva' })];
  const unit = await makeUnit(request, { associates: [associate(ben, buyer.key), associate(eva, chief.key)] });
  const as = (customer: Customer) => `as-associate/${customer.id}/in-business-unit/key=${unit.key}`;
  const role = (key: string) => ({ associateRole: { typeId: 'associate-role', key } });
  await call(request, 'POST', `${as(eva)}/approval-rules`, {
    name: 'All orders',
    status: 'Active',
    predicate: 'totalPrice.centAmount > 0',
    requesters: [role(buyer.key)],
    approvers: { tiers: [{ and: [{ or: [role(chief.key)] }] }] },
  });
  const cart = await call<{ id: string; version: number }>(request, 'POST', `${as(ben)}/carts`, {
    currency: 'EUR',
    country: 'DE',
    shippingAddress: { country: 'DE' },
    lineItems: [{ sku: 'alster-sofa-oak' }],
  });
  const order = await call<{ id: string }>(request, 'POST', `${as(ben)}/orders`, {
    cart: { typeId: 'cart', id: cart.id },
    version: cart.version,
  });
  await open(`/business-units/${unit.id}`);
  await page.getByRole('tab', { name: 'Approvals' }).click();
  await expect(page.getByText('All orders').first()).toBeVisible();
  await checkAccessibility(page, 'approvals');
  await page.getByRole('button', { name: /^Decide/ }).click();
  const panel = page.getByRole('dialog', { name: /^Order/ });
  await expect(panel.getByRole('radio', { name: /Eva Grau/ })).toBeChecked();
  await checkAccessibility(page, 'decision');
  await panel.getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByText('The order is approved')).toBeVisible();
  await expect(page.getByText(/approved by Eva Grau/)).toBeVisible();
  expect(await call(request, 'GET', `orders/${order.id}`)).toMatchObject({ orderState: 'Confirmed' });
});

test('companies are a tree', async ({ open, page, request }) => {
  const company = await makeUnit(request, {});
  const parentUnit = { typeId: 'business-unit', key: company.key };
  const division = await makeUnit(request, { unitType: 'Division', parentUnit, name: unique('Division') });
  const below = await makeUnit(request, {
    unitType: 'Division',
    parentUnit: { ...parentUnit, key: division.key },
    name: unique('Below'),
  });
  const names = await Promise.all(
    [company, division, below].map((one) => call<{ name: string }>(request, 'GET', `business-units/${one.id}`)),
  );
  await open('/business-units');
  await page.getByRole('link', { name: 'Tree' }).click();
  await page.getByRole('searchbox', { name: 'Find by name or key' }).fill(company.key);
  await expect(page.getByRole('link', { name: names[0]!.name })).toBeVisible();
  await expect(page.getByRole('link', { name: names[2]!.name })).toBeVisible();
  await checkAccessibility(page, 'tree');
  await page.getByRole('button', { name: `Hide divisions of ${names[1]!.name}` }).click();
  await expect(page.getByRole('link', { name: names[2]!.name })).toBeHidden();
  await page.getByRole('link', { name: names[1]!.name }).click();
  await expect(page.getByRole('link', { name: names[0]!.name })).toBeVisible();
});
