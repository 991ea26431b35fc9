import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import type { APIRequestContext, Page } from '@playwright/test';
import { call, callConsole, checkAccessibility, expect, signIn, signInAs, test, unique } from './console';

interface Price {
  value: { centAmount: number; currencyCode: string };
}
interface Variant {
  id: number;
  sku: string;
  prices: Price[];
  attributes: { name: string; value: unknown }[];
  images: { url: string; label?: string }[];
}
interface Side {
  name: Record<string, string>;
  description?: Record<string, string>;
  masterVariant: Variant;
  variants: Variant[];
}
interface Product {
  id: string;
  version: number;
  key: string;
  masterData: { published: boolean; hasStagedChanges: boolean; current: Side; staged: Side };
}

test.beforeEach(({ request }) => signIn(request));

const euros = (centAmount: number) => ({ value: { currencyCode: 'EUR', centAmount } });

async function createType(request: APIRequestContext): Promise<{ id: string; key: string }> {
  const key = unique('type');
  return call(request, 'POST', 'product-types', {
    key,
    name: key,
    description: 'For tests',
    attributes: [
      {
        name: 'colour',
        label: { en: 'Colour', de: 'Farbe' },
        isRequired: false,
        type: { name: 'lenum', values: [{ key: 'red', label: { en: 'Red', de: 'Rot' } }] },
      },
      { name: 'length', label: { en: 'Length' }, isRequired: false, type: { name: 'number' } },
      { name: 'brand', label: { en: 'Brand' }, isRequired: false, attributeConstraint: 'SameForAll', type: { name: 'text' } },
    ],
  });
}

async function createProduct(request: APIRequestContext, variants: number, more: object = {}): Promise<Product> {
  const type = await createType(request);
  const key = unique('product');
  const variant = (at: number) => ({
    sku: `${key}-${at}`,
    prices: [euros(1000 + at), { value: { currencyCode: 'USD', centAmount: 2000 } }],
    attributes: [{ name: 'brand', value: 'Elm' }],
  });
  return call<Product>(request, 'POST', 'products', {
    key,
    productType: { typeId: 'product-type', key: type.key },
    name: { en: key, de: key },
    slug: { en: key },
    description: { en: 'Worth keeping' },
    masterVariant: variant(1),
    variants: Array.from({ length: variants - 1 }, (_, at) => variant(at + 2)),
    ...more,
  });
}

const read = (request: APIRequestContext, product: Product) => call<Product>(request, 'GET', `products/${product.id}`);
const all = (side: Side) => [side.masterVariant, ...side.variants];
const inEuros = (variant: Variant) => variant.prices.find((price) => price.value.currencyCode === 'EUR')!.value.centAmount;
const colours = (side: Side) =>
  all(side).map((one) => (one.attributes.find((attribute) => attribute.name === 'colour')?.value as { key: string })?.key);

const cell = (page: Page, row: number, header: string) => {
  const column = page.locator('.sheet thead th').filter({ hasText: header }).first();
  return column
    .evaluate((element) => [...element.parentElement!.children].indexOf(element) - 1)
    .then((index) => page.locator(`.sheet [data-row="${row}"][data-column="${index}"]`));
};

async function openGrid(page: Page, open: (path: string) => Promise<Page>, product: Product): Promise<void> {
  await open(`/products/${product.id}`);
  await page.getByRole('tab', { name: 'Variants' }).click();
  await expect(page.locator('.sheet thead th').filter({ hasText: 'Colour' })).toBeVisible();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: /^Save \d+ actions?$/ }).click();
  await expect(page.getByRole('dialog', { name: 'Review the changes' })).toBeHidden();
  await expect(page.getByText(/is saved$/).first()).toBeVisible();
}

test('the list shows pictures, prices and status, and finds an SKU', async ({ open, page }) => {
  await open('/products');
  const row = page.getByRole('row', { name: /Alster sofa/ });
  await expect(row.locator('img')).toBeVisible();
  await expect(row).toContainText('Published');
  await expect(row).toContainText('€');
  await checkAccessibility(page, 'list of Products');
  await page.getByRole('searchbox', { name: 'Search Products' }).fill('alster-chair-oak');
  await expect(page.getByRole('link', { name: 'Alster chair' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Alster sofa' })).toBeHidden();
});

test('the prices of 40 variants rise by 5 % in one currency, and come back by undo', async ({ open, page, request }) => {
  const product = await createProduct(request, 40);
  await openGrid(page, open, product);
  await page.getByRole('button', { name: 'Change prices' }).click();
  await page.getByLabel('Change by').fill('5');
  await page.getByRole('button', { name: 'Change 40 prices' }).click();
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(40);
  await checkAccessibility(page, 'grid of variants');
  await save(page);
  const saved = await read(request, product);
  expect(all(saved.masterData.staged).map(inEuros)).toEqual(
    Array.from({ length: 40 }, (_, at) => Math.round((1001 + at) * 1.05)),
  );
  expect(saved.masterData.staged.masterVariant.prices[1]!.value.centAmount).toBe(2000);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The change is undone')).toBeVisible();
  expect(all((await read(request, product)).masterData.staged).map(inEuros)[39]).toBe(1040);
});

test('prices of several Products rise at once from the list', async ({ open, page, request }) => {
  const products = [await createProduct(request, 2, { publish: true }), await createProduct(request, 1)];
  const where = `key in ("${products[0]!.key}", "${products[1]!.key}")`;
  await open(`/products?where=${encodeURIComponent(where)}`);
  await page.getByLabel('Select all rows').click({ force: true });
  await page.getByRole('button', { name: 'Change prices' }).click();
  await page.getByLabel('Change by').fill('-10');
  await expect(page.getByText('3 prices in 2 documents')).toBeVisible();
  await checkAccessibility(page, 'prices of several Products');
  await page.getByRole('button', { name: 'Change 3 prices' }).click();
  await expect(page.getByText('3 prices are changed')).toBeVisible();
  const after = await read(request, products[0]!);
  expect(all(after.masterData.staged).map(inEuros)).toEqual([901, 902]);
  expect(all(after.masterData.current).map(inEuros)).toEqual([1001, 1002]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The prices are as before')).toBeVisible();
  expect(all((await read(request, products[0]!)).masterData.staged).map(inEuros)).toEqual([1001, 1002]);
});

test('a new colour of the Product Type fills ten variants', async ({ open, page, request }) => {
  const product = await createProduct(request, 10);
  const { productType } = product as unknown as { productType: { id: string } };
  await open(`/product-types/${productType.id}`);
  await page.getByLabel('New label for Colour (en)').fill('Sky blue');
  await page.getByLabel('New label for Colour (de)').fill('Himmelblau');
  await page.keyboard.press('Enter');
  await checkAccessibility(page, 'values of a Product Type');
  await save(page);
  await openGrid(page, open, product);
  await (await cell(page, 0, 'Colour')).click();
  await page.keyboard.type('Sky blue');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Control+Shift+ArrowDown');
  await page.keyboard.press('Control+d');
  await save(page);
  expect(colours((await read(request, product)).masterData.staged)).toEqual(Array<string>(10).fill('sky-blue'));
});

test('ranges are copied, pasted, undone, and refused where they mean nothing', async ({ open, page, request, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const product = await createProduct(request, 3);
  await openGrid(page, open, product);
  await page.evaluate(() => navigator.clipboard.writeText('red\t12,5\nRot\t13\nred\tlong'));
  await (await cell(page, 0, 'Colour')).click();
  await page.keyboard.press('Control+v');
  await expect(page.getByText('1 cell was left as it is. Length: “long” is no number')).toBeVisible();
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(5);
  await page.keyboard.press('Control+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Red\t12.5\nRed\t13\nRed\t');
  await page.keyboard.press('Control+z');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(0);
  await page.keyboard.press('Control+Shift+z');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(5);
  await (await cell(page, 1, 'Brand')).click();
  await page.keyboard.type('Oak');
  await page.keyboard.press('Escape');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(5);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Tide');
  await page.keyboard.press('Tab');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(8);
  await save(page);
  const saved = await read(request, product);
  expect(colours(saved.masterData.staged)).toEqual(['red', 'red', 'red']);
  expect(all(saved.masterData.staged).map((one) => one.attributes.find(({ name }) => name === 'brand')?.value)).toEqual(
    Array<string>(3).fill('Tide'),
  );
});

test('variants are added and removed in the grid', async ({ open, page, request }) => {
  const product = await createProduct(request, 3);
  await openGrid(page, open, product);
  await page.getByRole('button', { name: 'Add variant' }).click();
  await (await cell(page, 3, 'SKU')).click();
  await page.keyboard.type(`${product.key}-new`);
  await page.keyboard.press('Enter');
  await (await cell(page, 3, 'Price EUR')).click();
  await page.keyboard.type('19.99');
  await page.keyboard.press('Enter');
  await (await cell(page, 1, 'SKU')).click();
  await page.getByRole('button', { name: 'Selected row' }).click();
  await page.getByRole('menuitem', { name: 'Remove the variant' }).click();
  await save(page);
  const { staged } = (await read(request, product)).masterData;
  expect(all(staged).map((one) => one.sku)).toEqual([`${product.key}-1`, `${product.key}-3`, `${product.key}-new`]);
  expect(staged.variants[1]!.prices[0]!.value.centAmount).toBe(1999);
});

test('a changed Product is published after a look at the difference', async ({ open, page, request }) => {
  const product = await createProduct(request, 2, { publish: true });
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [
      { action: 'changeName', name: { en: 'A better name', de: product.key } },
      { action: 'setAttribute', variantId: 2, name: 'length', value: 7 },
    ],
  });
  await open(`/products/${product.id}`);
  await page.getByRole('button', { name: 'Publish changes' }).click();
  const panel = page.getByRole('dialog', { name: 'Publish this Product?' });
  await expect(panel.getByRole('row', { name: /Name en/ })).toContainText('A better name');
  await expect(panel.getByRole('row', { name: /Length/ })).toContainText('7');
  await checkAccessibility(page, 'publication');
  await panel.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const after = await read(request, product);
  expect(after.masterData.hasStagedChanges).toBe(false);
  expect(after.masterData.current.name.en).toBe('A better name');
});

test('staged changes are reverted, and a Product is unpublished', async ({ open, page, request }) => {
  const product = await createProduct(request, 1, { publish: true });
  await open(`/products/${product.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('Changed');
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(page.getByRole('row', { name: /Name en/ })).toContainText('Changed');
  await checkAccessibility(page, 'differences');
  await save(page);
  await page.getByRole('button', { name: 'Publication' }).click();
  await page.getByRole('menuitem', { name: 'Revert staged changes' }).click();
  await page.getByRole('button', { name: 'Revert 1 change' }).click();
  await expect(page.getByText('Nothing is different')).toBeVisible();
  await page.getByRole('button', { name: 'Publication' }).click();
  await page.getByRole('menuitem', { name: 'Unpublish' }).click();
  await page.getByRole('button', { name: 'Unpublish' }).last().click();
  await expect(page.getByText('Not published', { exact: true })).toBeVisible();
  expect((await read(request, product)).masterData.published).toBe(false);
});

test('a deleted description of a Product comes back from the history', async ({ open, page, request }) => {
  const product = await createProduct(request, 1);
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [{ action: 'setDescription' }],
  });
  await open(`/products/${product.id}`);
  await page.locator('.timeline summary', { hasText: 'Set description' }).click();
  await page.getByRole('button', { name: 'Put back' }).click();
  await expect(page.getByRole('textbox', { name: 'Description (en)', exact: true })).toHaveValue('Worth keeping');
  await save(page);
  expect((await read(request, product)).masterData.staged.description).toEqual({ en: 'Worth keeping' });
});

test('an earlier price comes back from the history', async ({ open, page, request }) => {
  const product = await createProduct(request, 2);
  const [price] = product.masterData.staged.variants[0]!.prices as (Price & { id: string })[];
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [
      { action: 'changePrice', priceId: price!.id, price: euros(5) },
      { action: 'setAttribute', variantId: 2, name: 'length', value: 3 },
    ],
  });
  await open(`/products/${product.id}`);
  await page.locator('.timeline summary', { hasText: 'Change price' }).click();
  await page.getByRole('button', { name: 'Put back' }).click();
  await page.locator('.timeline summary', { hasText: 'Set attribute' }).click();
  await page.getByRole('button', { name: 'Put back' }).last().click();
  await save(page);
  const [variant] = (await read(request, product)).masterData.staged.variants;
  expect(inEuros(variant!)).toBe(1002);
  expect(variant!.attributes.map(({ name }) => name)).toEqual(['brand']);
});

test('a conflict keeps what somebody else changed in the same Product', async ({ open, page, request }) => {
  const product = await createProduct(request, 2);
  await open(`/products/${product.id}`);
  await page.getByRole('textbox', { name: 'Name (en)' }).fill('My name');
  await page.getByRole('tab', { name: 'Variants' }).click();
  await (await cell(page, 1, 'Length')).click();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await call(request, 'POST', `products/${product.id}`, {
    version: product.version,
    actions: [
      { action: 'setDescription', description: { en: 'Their text' } },
      { action: 'setAttribute', variantId: 2, name: 'colour', value: 'red' },
    ],
  });
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save 2 actions' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' });
  await expect(dialog.getByRole('row', { name: /staged · Name/i })).toContainText('My name');
  await expect(dialog.getByRole('row', { name: /staged · Description/i })).toContainText('Their text');
  await dialog.getByRole('button', { name: 'Apply to the current version' }).click();
  await page.getByRole('button', { name: 'Save 2 actions' }).click();
  await expect(page.getByText(/is saved$/)).toBeVisible();
  const { staged } = (await read(request, product)).masterData;
  expect(staged.description).toEqual({ en: 'Their text' });
  expect(staged.variants[0]!.attributes.map(({ name }) => name).sort()).toEqual(['brand', 'colour', 'length']);
});

/** A PNG of one pixel. */
function png(): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (data: Buffer) => {
    let c = 0xffffffff;
    for (const byte of data) c = crcTable[(c ^ byte) & 255]! ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixel = deflateSync(Buffer.from([0, 120, 80, 40]));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixel), chunk('IEND', Buffer.alloc(0))]);
}

test('images are uploaded, labelled, arranged and removed', async ({ open, page, request }) => {
  const product = await createProduct(request, 1);
  await open(`/products/${product.id}`);
  await page.getByRole('tab', { name: 'Images' }).click();
  const name = `${product.key}-1`;
  await page
    .getByLabel(`Images of ${name}`)
    .locator('input[type=file]')
    .setInputFiles([
      { name: 'front.png', mimeType: 'image/png', buffer: png() },
      { name: 'back.png', mimeType: 'image/png', buffer: png() },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') },
    ]);
  await expect(page.getByText('2 images are uploaded')).toBeVisible();
  await expect(page.getByText('This is no JPEG, PNG, GIF or WebP image.')).toBeVisible();
  await expect(page.locator('.image-card')).toHaveCount(2);
  await checkAccessibility(page, 'images');
  await page.locator('.image-card').nth(1).getByRole('textbox').fill('The back');
  await page.getByRole('button', { name: 'Move up: The back' }).click();
  await save(page);
  const after = await read(request, product);
  expect(after.masterData.staged.masterVariant.images.map((image) => image.label)).toEqual(['The back', undefined]);
  await page.getByRole('button', { name: 'Remove: The back' }).click();
  await save(page);
  expect((await read(request, product)).masterData.staged.masterVariant.images).toHaveLength(1);
});

test('the price of a buyer is shown with the reason', async ({ open, page }) => {
  await open('/products');
  await page.getByRole('link', { name: 'Alster sofa' }).click();
  await page.getByRole('tab', { name: 'Prices' }).click();
  const first = page.locator('.price-answer').first();
  await expect(first).toContainText('Most specific fit: EUR · DE.');
  await first.locator('summary').click();
  await expect(first).toContainText('Only for the Customer Group Trade.');
  await checkAccessibility(page, 'price selection');
  await page.getByRole('combobox', { name: 'Customer Group' }).click();
  await page.getByRole('option', { name: 'Trade' }).click();
  await expect(first).toContainText('Most specific fit: EUR · DE · Trade.');
});

test('a Category moves by keys, by the panel and by drag, and back', async ({ open, page, request }) => {
  const tag = unique('leaf');
  const [one, two, three] = ['one', 'two', 'three'].map((name) => `Leaf ${name} ${tag}`) as [string, string, string];
  const parent = await call<{ id: string }>(request, 'POST', 'categories', {
    key: unique('a'),
    name: { en: `Tree ${tag}` },
    slug: { en: unique('tree') },
    orderHint: '0.9',
  });
  const child = (name: string, orderHint: string) =>
    call<{ id: string }>(request, 'POST', 'categories', {
      name: { en: name },
      slug: { en: unique('tree') },
      orderHint,
      parent: { typeId: 'category', id: parent.id },
    });
  const [first, , third] = [await child(one, '0.1'), await child(two, '0.2'), await child(three, '0.3')];
  await open('/categories');
  await page.getByRole('link', { name: 'Tree', exact: true }).click();
  const leaves = page.locator('.tree-below .cell-title', { hasText: tag });
  await expect(leaves).toHaveText([one, two, three]);
  await checkAccessibility(page, 'tree of Categories');
  await page.getByRole('link', { name: three }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(leaves).toHaveText([one, three, two]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(leaves).toHaveText([one, two, three]);
  await page.getByRole('button', { name: `Actions for ${one}` }).click();
  await page.getByRole('menuitem', { name: 'Move to' }).click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(leaves).toHaveText([two, three, one]);
  await page.locator('.tree-row', { hasText: three }).dragTo(page.locator('.tree-row', { hasText: two }));
  await expect(page.getByText(`${three} is moved`)).toBeVisible();
  const moved = await call<{ parent: { id: string } }>(request, 'GET', `categories/${third.id}`);
  expect(moved.parent.id).not.toBe(parent.id);
  expect(first.id).toBeTruthy();
});

test('a CSV of stock shows its errors before and after the import', async ({ open, page, request }) => {
  const sku = unique('sku');
  await call(request, 'POST', 'inventory', { sku, quantityOnStock: 1 });
  const csv = [
    'SKU;Quantity on stock;Supply channel;Colour',
    `${sku};12;;`,
    `"${sku} ""big""";5;warehouse;red`,
    `${sku}-a;many;;`,
    `${sku}-b;7;nowhere;`,
    `${sku};13;;`,
  ].join('\r\n');
  await open('/inventory');
  await page.getByRole('link', { name: 'Import CSV' }).click();
  await checkAccessibility(page, 'choice of a CSV file');
  await page.locator('input[type=file]').setInputFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(page.getByText('3 rows can be imported')).toBeVisible();
  await expect(page.getByText('2 rows have errors and are left out')).toBeVisible();
  await expect(page.getByText('Not used: Colour')).toBeVisible();
  await expect(page.getByRole('row', { name: /^4 / })).toContainText('quantityOnStock: “many” is no whole number');
  await expect(page.getByRole('row', { name: /^6 / })).toContainText('The same as line 2');
  await checkAccessibility(page, 'preview of a CSV file');
  await page.getByRole('button', { name: 'Import 3 rows' }).click();
  await expect(page.getByText('1 created, 1 changed, 0 as they were')).toBeVisible();
  await expect(page.getByRole('row', { name: /^5 / })).toContainText('There is no Channel with the key “nowhere”.');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download these rows' }).click(),
  ]);
  expect(
    readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n'),
  ).toHaveLength(4);
  const entries = await call<{ results: { quantityOnStock: number }[] }>(
    request,
    'GET',
    `inventory?where=${encodeURIComponent(`sku = "${sku}"`)}`,
  );
  expect(entries.results.map((entry) => entry.quantityOnStock)).toEqual([12]);
});

test('the stock of variants is pasted by Channel', async ({ open, page, request, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const product = await createProduct(request, 3);
  const entry = await call<{ id: string }>(request, 'POST', 'inventory', { sku: `${product.key}-1`, quantityOnStock: 1 });
  await open(`/products/${product.id}`);
  await page.getByRole('tab', { name: 'Stock' }).click();
  await page.getByRole('combobox', { name: 'Add a column for a Channel' }).click();
  await page.getByRole('option', { name: 'Warehouse' }).click();
  await expect(page.locator('.sheet thead th')).toHaveCount(3);
  await page.evaluate(() => navigator.clipboard.writeText('10\t11\n20\t21\n30\tno'));
  await page.locator('.sheet [data-row="0"][data-column="1"]').click();
  await page.keyboard.press('Control+v');
  await expect(page.locator('.sheet td[data-changed]')).toHaveCount(5);
  await checkAccessibility(page, 'stock');
  await page.getByRole('tab', { name: 'Content' }).click();
  await page.getByRole('tab', { name: 'Stock' }).click();
  await page.getByRole('button', { name: 'Review 5 changes' }).click();
  await page.getByRole('button', { name: 'Save 5 amounts' }).click();
  await expect(page.getByText('5 amounts are saved')).toBeVisible();
  expect((await call<{ quantityOnStock: number }>(request, 'GET', `inventory/${entry.id}`)).quantityOnStock).toBe(10);
});

test('typing in a grid of 100 variants takes less than a frame', async ({ open, page, request }) => {
  const product = await createProduct(request, 100);
  await openGrid(page, open, product);
  await (await cell(page, 50, 'Key')).click();
  const usual = await page.evaluate(async () => {
    const times: number[] = [];
    const target = () => document.activeElement as HTMLElement;
    target().dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done, 200));
    const input = target() as HTMLInputElement;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
    for (let at = 0; at < 30; at++) {
      const start = performance.now();
      set.call(input, `${input.value}x`);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      void input.offsetWidth;
      times.push(performance.now() - start);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  });
  expect(usual).toBeLessThan(16);
});

test('the screens fit a phone', async ({ open, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open('/products');
  await page.getByRole('link', { name: 'Alster sofa' }).click();
  for (const tab of ['Content', 'Variants', 'Images', 'Prices', 'Differences']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.waitForLoadState('networkidle');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, tab).toBeLessThanOrEqual(0);
  }
  for (const path of ['/categories/tree', '/inventory/import']) {
    await open(path);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, path).toBeLessThanOrEqual(0);
  }
});

test('a role that only reads Products is offered no change of them', async ({ page, context, request }) => {
  const role = unique('reader');
  await callConsole(request, 'POST', 'roles', { name: role, scopes: ['view_products'] });
  await context.clearCookies();
  await signInAs(page, request, 'Rea Der', role);
  await page.goto('/console/demo/products');
  await page.getByRole('link', { name: 'Alster sofa' }).click();
  await page.getByRole('tab', { name: 'Variants' }).click();
  await page.locator('.sheet [data-row="0"][data-column="1"]').click();
  await page.keyboard.type('x');
  await expect(page.locator('.sheet-input')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Change prices' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Publication' })).toBeHidden();
  await page.getByRole('tab', { name: 'Images' }).click();
  await expect(page.locator('.image-card').first()).toBeVisible();
  await expect(page.locator('.image-add')).toHaveCount(0);
  await page.goto('/console/demo/categories/tree');
  await expect(page.getByRole('link', { name: 'Sofas' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Actions for Sofas' })).toBeHidden();
  await page.goto('/console/demo/inventory');
  await expect(page.getByRole('link', { name: 'Import CSV' })).toBeHidden();
  await page.goto('/console/demo/inventory/import');
  await expect(page.getByText('Your role may not see this.')).toBeVisible();
});
