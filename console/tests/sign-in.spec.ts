import { call, callConsole, checkAccessibility, EMAIL, expect, PASSWORD, signIn, test, unique } from './console';

test('an operator signs in with a password, and out everywhere', async ({ page, request }) => {
  await signIn(request);
  await page.goto('/console/');
  await expect(page.getByRole('heading', { name: 'Sign in to Kontor' })).toBeVisible();
  await checkAccessibility(page, 'sign-in');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill('something else');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toBeVisible();
  await page.getByRole('button', { name: /^Operator:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Kontor' })).toBeVisible();
  expect((await callConsole(request, 'GET', 'session')).status()).toBe(401);
});

test('the link that the server printed signs in once, and leaves the address', async ({ page, context, browser }) => {
  const link = process.env.KONTOR_LINK ?? '';
  test.skip(link === '', 'the server printed no link');
  await page.goto(`/console/#link=${link}`);
  await expect(page.locator('.shell')).toBeVisible();
  expect(page.url()).not.toContain(link);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(link);
  await context.clearCookies();
  const again = await (await browser.newContext()).newPage();
  await again.goto(`${new URL(page.url()).origin}/console/#link=${link}`);
  await expect(again.getByText('This link was used')).toBeVisible();
  await again.context().close();
});

test('a failed sign-in with a provider says what to do', async ({ page }) => {
  await page.goto('/console/#sign-in-error=unknown-operator');
  await expect(page.getByRole('alert')).toContainText('kontor operator create');
  expect(page.url()).not.toContain('sign-in-error');
  await page.goto('/console/?again#sign-in-error=none-of-these');
  await expect(page.getByRole('heading', { name: 'Sign in to Kontor' })).toBeVisible();
  await expect(page.getByRole('alert')).toBeHidden();
});

test('an invited operator chooses a password', async ({ page, request }) => {
  await signIn(request);
  const email = `${unique('new')}@example.com`;
  const answer = await callConsole(request, 'POST', 'operators', {
    email,
    name: 'Nina New',
    roles: [{ project: 'demo', role: 'read-only' }],
  });
  const { link } = (await answer.json()) as { link: string };
  await page.goto(`/console/${new URL(link).hash}`);
  await expect(page.getByRole('dialog', { name: 'Choose a password' })).toBeVisible();
  await page.getByLabel('New password', { exact: true }).fill('a long password');
  await page.getByLabel('Repeat the new password').fill('a long password');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('button', { name: /^Operator:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('a long password');
  await page.keyboard.press('Enter');
  await expect(page.locator('.shell')).toBeVisible();
});

test('no token and no secret is in the storage of the browser', async ({ open }) => {
  const page = await open('/orders');
  await expect(page.getByRole('link', { name: '2027-1001' })).toBeVisible();
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
  expect(stored).not.toMatch(/[A-Za-z0-9_-]{32,}/);
});

test('a session that ended asks for the password, and keeps what was typed', async ({ open, context, page, request }) => {
  await signIn(request);
  const key = unique('session');
  const category = await call<{ id: string }>(request, 'POST', 'categories', { name: { en: 'Session' }, slug: { en: key }, key });
  await open(`/categories/${category.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('Typed before');
  await page.getByRole('button', { name: 'Review' }).click();
  await callConsole(context.request, 'POST', 'sign-out', {});
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Typed before' })).toBeVisible();
});
