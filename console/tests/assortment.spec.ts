import { call, checkAccessibility, expect, signIn, test, unique } from './console';
import { offerOf } from '../src/screens/assortment/offers';
import type { Document } from '../src/model/types';

interface Stored {
  id: string;
  version: number;
  [name: string]: unknown;
}

test('Products are added to a selection, with some of their variants, and removed', async ({ open, page, request }) => {
  await signIn(request);
  const selection = await call<Stored>(request, 'POST', 'product-selections', { name: { en: unique('Selection') } });
  await open(`/product-selections/${selection.id}`);
  await expect(page.getByText('No Products yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add Products' }).click();
  const panel = page.getByRole('dialog', { name: 'Add Products' });
  await panel.getByRole('searchbox', { name: 'Find Products' }).fill('alster');
  await panel.getByText('Alster sofa').click();
  await panel.getByText('Alster chair').click();
  await checkAccessibility(page, 'choice of Products');
  await panel.getByRole('button', { name: 'Add 2 Products' }).click();
  await page.getByRole('button', { name: 'Choose variants: Alster sofa' }).click();
  await page.getByText('Only these').click();
  await page.getByText('alster-sofa-oak', { exact: true }).click();
  await checkAccessibility(page, 'choice of variants');
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Only alster-sofa-oak')).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText('added', { exact: true })).toHaveCount(0);
  const products = () => call<{ results: Stored[] }>(request, 'GET', `product-selections/${selection.id}/products`);
  const selections = (await products()).results.map((one) => one.variantSelection);
  expect(selections).toContainEqual({ type: 'includeOnly', skus: ['alster-sofa-oak'] });
  expect(selections).toHaveLength(2);
  await page.getByRole('button', { name: 'Remove Alster chair' }).click();
  await expect(page.getByText('removed', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 1 action' }).click();
  await expect.poll(async () => (await products()).results.length).toBe(1);
  await page.getByRole('tab', { name: 'Stores' }).click();
  await expect(page.getByText('No Store uses this Product Selection')).toBeVisible();
});

test('a Product says where it is offered, and is tailored for a Store', async ({ open, page, request }) => {
  await signIn(request);
  const found = await call<{ results: Stored[] }>(request, 'GET', 'products?where=key%3D%22alster-wardrobe%22');
  const product = found.results[0]!;
  await open(`/products/${product.id}`);
  await page.getByRole('tab', { name: 'Stores' }).click();
  const germany = page.getByRole('region', { name: 'In Stores' }).getByRole('listitem').filter({ hasText: 'Germany' });
  await expect(germany.getByText('Offered', { exact: true })).toBeVisible();
  await expect(germany.getByText('All that we make')).toBeVisible();
  await checkAccessibility(page, 'Stores of a Product');
  await germany.getByRole('link', { name: 'Tailor for this Store' }).click();
  const name = unique('Wardrobe');
  await page.getByRole('textbox', { name: 'Name (en)' }).fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByText('The Product says: Alster wardrobe')).toBeVisible();
  await checkAccessibility(page, 'tailoring');
  await page.getByRole('tab', { name: 'Images' }).click();
  await page.getByRole('button', { name: 'Show other images here' }).first().click();
  await page.getByRole('button', { name: /^Publish/ }).click();
  const panel = page.getByRole('dialog', { name: 'Publish this tailoring?' });
  await expect(panel.getByRole('row', { name: /Name en/ })).toContainText(name);
  await panel.getByRole('button', { name: 'Save and publish' }).click();
  await expect(page.getByText('Published', { exact: true }).first()).toBeVisible();
  const where = encodeURIComponent(`product(id = "${product.id}")`);
  const [tailoring] = (await call<{ results: Stored[] }>(request, 'GET', `product-tailoring?where=${where}`)).results;
  expect(tailoring).toMatchObject({ published: true, hasStagedChanges: false, current: { name: { en: name } } });
  expect(JSON.stringify(tailoring!.current)).toContain('"images":[{');
  await call(request, 'DELETE', `product-tailoring/${tailoring!.id}?version=${tailoring!.version}`);
});

test('a Store offers what its active selections contain', () => {
  const reference = (id: string) => ({ typeId: 'product-selection', id });
  const store = (...ids: string[]) => ({
    productSelections: ids.map((id) => ({ productSelection: reference(id), active: !id.startsWith('off') })),
  });
  const selections = new Map([
    ['some', { id: 'some', version: 1, mode: 'Individual' } as Document],
    ['not', { id: 'not', version: 1, mode: 'IndividualExclusion' } as Document],
  ]);
  const added = { productSelection: reference('some') };
  const partly = { productSelection: reference('some'), variantSelection: { type: 'includeOnly', skus: ['a'] } };
  const excluded = { productSelection: reference('not') };
  expect(offerOf(store('off'), [], selections)).toEqual({ is: 'all', selections: [] });
  expect(offerOf(store('some'), [], selections).is).toBe('none');
  expect(offerOf(store('some'), [added], selections).is).toBe('all');
  expect(offerOf(store('some'), [partly], selections).is).toBe('some');
  expect(offerOf(store('not'), [], selections).is).toBe('all');
  expect(offerOf(store('not'), [excluded], selections).is).toBe('none');
  expect(offerOf(store('some', 'not'), [partly, excluded], selections).is).toBe('some');
});
