import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test as base, expect, type APIRequestContext, type Page } from '@playwright/test';

export { expect };

export const EMAIL = 'operator@example.com';
export const PASSWORD = 'demo-password';
const MARK = { 'X-Kontor-Console': '1' };

/** Signs in by the API of the console; the cookie is in the context of the request. */
export async function signIn(request: APIRequestContext, email = EMAIL, password = PASSWORD): Promise<void> {
  const response = await request.post('/console/api/sign-in', { data: { email, password }, headers: MARK });
  expect(response.status(), await response.text()).toBe(200);
}

/** Calls the API of the demo project with the operator's token. */
export async function call<T = Record<string, unknown>>(
  request: APIRequestContext,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  data?: unknown,
): Promise<T> {
  const token = await request.post('/console/api/token', { data: { project: 'demo' }, headers: MARK });
  const { accessToken } = (await token.json()) as { accessToken: string };
  const response = await request.fetch(`/demo/${path}`, { method, data, headers: { Authorization: `Bearer ${accessToken}` } });
  expect(response.ok(), `${method} ${path}: ${await response.text()}`).toBe(true);
  return (await response.json()) as T;
}

export const callConsole = (request: APIRequestContext, method: 'GET' | 'POST' | 'DELETE', path: string, data?: unknown) =>
  request.fetch(`/console/api/${path}`, { method, data, headers: { ...MARK, 'Content-Type': 'application/json' } });

/** Creates an operator with a role in the demo project, and signs the page in as this operator, with a first password. */
export async function signInAs(page: Page, request: APIRequestContext, name: string, role: string): Promise<void> {
  const email = `${unique('operator')}@example.com`;
  const response = await callConsole(request, 'POST', 'operators', { email, name, roles: [{ project: 'demo', role }] });
  const { link } = (await response.json()) as { link: string };
  await page.goto(`/console/${new URL(link).hash}`);
  await page.getByLabel('New password', { exact: true }).fill('a long password');
  await page.getByLabel('Repeat the new password').fill('a long password');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

/** Collects the faults of a page: errors in the console, violations of the Content-Security-Policy, requests to other origins. */
function watch(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser itself reports each response with an error status; those are part of tests.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) found.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    const own = new URL(page.url() === 'about:blank' ? request.url() : page.url());
    if (/^https?:$/.test(url.protocol) && url.hostname !== own.hostname) found.push(`request to ${url.origin}`);
  });
  return found;
}

interface Fixtures {
  /** A page of a signed-in operator. */
  open: (path: string) => Promise<Page>;
  problems: string[];
}

export const test = base.extend<Fixtures>({
  problems: [
    async ({ page }, use) => {
      const found = watch(page);
      await use(found);
      expect(found).toEqual([]);
    },
    { auto: true },
  ],
  open: async ({ page, context }, use) => {
    await use(async (path) => {
      const cookies = await context.cookies();
      if (!cookies.some((cookie) => cookie.name === 'kontor_console')) await signIn(context.request);
      await page.goto(`/console/demo${path}`);
      await expect(page.locator('.shell')).toBeVisible();
      return page;
    });
  },
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails on anything that axe finds. */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  // A page that is loaded when it is opened has no heading before.
  await expect(page.locator('h1').first()).toBeAttached();
  // Colours of a panel that fades in have less contrast. Endless animations, e.g. of skeletons, are not waited for.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map((one) => one.finished.catch(() => undefined)));
  });
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          context: unknown,
          options: unknown,
        ) => Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
      };
    };
    // React Aria announces by references to elements that may be gone when the test looks.
    const result = await axe.run(
      { exclude: [['[data-live-announcer]']] },
      {
        resultTypes: ['violations'],
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      },
    );
    return result.violations.map(
      (one) =>
        `${one.id}: ${one.help}\n  ${one.nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 200)}\n    ${node.failureSummary?.replace(/\n/g, '\n    ')}`)
          .join('\n  ')}`,
    );
  });
  expect(violations, `accessibility of ${name}`).toEqual([]);
}

/** The text field of a code editor, which is in a shadow root. */
export const editor = (page: Page, label: string | RegExp) =>
  page.getByRole('textbox', { name: label }).and(page.locator('.cm-content'));

export async function setEditor(page: Page, label: string | RegExp, text: string): Promise<void> {
  const plain = page.locator('input').and(page.getByRole('textbox', { name: label }));
  if ((await plain.count()) > 0) await plain.click(); // Until it is used, a predicate is a plain field.
  await editor(page, label).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

export const unique = (prefix: string) => `${prefix}-${Date.now().toString(36)}-${Math.floor(Math.random() * 1e6).toString(36)}`;
