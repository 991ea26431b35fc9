// Rules without a page: which update actions a change becomes, completion, amounts, CSV.
import { expect, test } from '@playwright/test';
import { placeOf, suggest } from '../src/editor/predicates';
import { amountText, parseAmount } from '../src/form/amounts';
import { csvRows } from '../src/list/csv';
import { compareSides, mergeSides, planChanges } from '../src/model/changes';
import { asInput, draftFrom } from '../src/model/draft';
import { ModelIndex } from '../src/model/model';
import type { JsonObject, Model } from '../src/model/types';
import { mergeParts } from '../src/model/values';

let model: ModelIndex;
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  model = new ModelIndex((await (await request.get('/console/model.json')).json()) as Model);
});

const plan = (kind: string, before: JsonObject, after: JsonObject) => planChanges(model, model.kind(kind)!, before, after);

test('a changed field becomes the action that sets it', () => {
  const before = { name: { en: 'Lamps' }, key: 'lamps', description: { en: 'Bright' } };
  expect(plan('Category', before, { ...before, name: { en: 'Lights' } })).toEqual({
    actions: [{ action: 'changeName', name: { en: 'Lights' } }],
    impossible: [],
  });
  expect(plan('Category', before, { name: before.name, key: before.key })).toEqual({
    actions: [{ action: 'setDescription' }],
    impossible: [],
  });
  expect(plan('Category', before, before)).toEqual({ actions: [], impossible: [] });
});

test('a field that an action with behaviour of its own sets is found by its name', () => {
  expect(plan('Order', { orderState: 'Open' }, { orderState: 'Complete' }).actions).toEqual([
    { action: 'changeOrderState', orderState: 'Complete' },
  ]);
  expect(plan('Order', { customerEmail: 'a@example.com' }, { customerEmail: 'b@example.com' }).actions).toEqual([
    { action: 'setCustomerEmail', email: 'b@example.com' },
  ]);
  expect(plan('InventoryEntry', { quantityOnStock: 3 }, { quantityOnStock: 7 }).actions).toEqual([
    { action: 'changeQuantity', quantity: 7 },
  ]);
});

test('a value inside an object is set by the action of that object', () => {
  const carts = { deleteDaysAfterLastModification: 90, countryTaxRateFallbackEnabled: false };
  const { actions } = plan('Project', { carts }, { carts: { ...carts, countryTaxRateFallbackEnabled: true } });
  expect(actions).toEqual([{ action: 'changeCountryTaxRateFallbackEnabled', countryTaxRateFallbackEnabled: true }]);
});

test('a value that no action removes is named, not sent', () => {
  expect(plan('Category', { name: { en: 'Lamps' } }, {})).toEqual({ actions: [], impossible: ['name'] });
});

test('references are sent without their targets', () => {
  const parent = { typeId: 'category', id: 'c1', obj: { id: 'c1', name: { en: 'All' } } };
  expect(plan('Category', {}, { parent }).actions).toEqual([
    { action: 'changeParent', parent: { typeId: 'category', id: 'c1' } },
  ]);
});

test('elements of a list are added, changed, removed and moved', () => {
  const asset = (id: string, name: string) => ({ id, name: { en: name }, sources: [{ uri: 'https://example.com/a.png' }] });
  const [a, b] = [asset('a', 'A'), asset('b', 'B')];
  expect(plan('Category', { assets: [a, b] }, { assets: [a] }).actions).toEqual([{ action: 'removeAsset', assetId: 'b' }]);
  expect(plan('Category', { assets: [a, b] }, { assets: [b, a] }).actions).toEqual([
    { action: 'changeAssetOrder', assetOrder: ['b', 'a'] },
  ]);
  expect(plan('Category', { assets: [a] }, { assets: [asset('a', 'New')] }).actions).toEqual([
    { action: 'changeAssetName', assetId: 'a', name: { en: 'New' } },
  ]);
  expect(plan('Category', { assets: [a] }, { assets: [a, { name: { en: 'C' }, sources: [] }] }).actions).toEqual([
    { action: 'addAsset', asset: { name: { en: 'C' }, sources: [] } },
  ]);
});

test('an element that only a whole action replaces is replaced', () => {
  const rate = { id: 'r', name: 'One', amount: 0.1, includedInPrice: true, country: 'DE', subRates: [] };
  const [action] = plan('TaxCategory', { rates: [rate] }, { rates: [{ ...rate, amount: 0.2 }] }).actions;
  expect(action).toMatchObject({ action: 'replaceTaxRate', taxRateId: 'r', taxRate: { amount: 0.2, name: 'One' } });
  const address = { id: 'a', country: 'DE', city: 'Kiel' };
  const [changed] = plan('Customer', { addresses: [address] }, { addresses: [{ ...address, city: 'Bremen' }] }).actions;
  expect(changed).toMatchObject({ action: 'changeAddress', addressId: 'a', address: { city: 'Bremen', country: 'DE' } });
});

test('custom fields are set one by one, a new type as a whole', () => {
  const type = { typeId: 'type', id: 't' };
  const custom = { type, fields: { colour: 'red', size: 3 } };
  expect(plan('Category', { custom }, { custom: { type, fields: { colour: 'blue' } } }).actions).toEqual([
    { action: 'setCustomField', name: 'colour', value: 'blue' },
    { action: 'setCustomField', name: 'size' },
  ]);
  expect(plan('Category', {}, { custom }).actions).toEqual([
    { action: 'setCustomType', type, fields: { colour: 'red', size: 3 } },
  ]);
  expect(plan('Category', { custom }, {}).actions).toEqual([{ action: 'setCustomType' }]);
});

test('fields that the server fills in are no changes', () => {
  expect(plan('Category', { version: 1, ancestors: [] }, { version: 2, ancestors: [{ typeId: 'category', id: 'x' }] })).toEqual({
    actions: [],
    impossible: [],
  });
});

test('the sides of a conflict are compared and merged field by field', () => {
  const base = { name: 'a', key: 'k', text: 'x' };
  const mine = { ...base, name: 'mine', text: 'own' };
  const theirs = { ...base, name: 'theirs', key: 'new' };
  const differences = compareSides(base, mine, theirs);
  expect(differences.map(({ path, isBoth }) => [path, isBoth])).toEqual([
    ['name', true],
    ['key', false],
    ['text', false],
  ]);
  expect(mergeSides(mine, theirs, new Set(['text']))).toEqual({ name: 'theirs', key: 'new', text: 'own' });
});

test('a conflict inside of objects and lists keeps what somebody else changed there', () => {
  const variant = (id: number, sku: string, amount: number) => ({ id, sku, prices: [{ id: `p${id}`, amount }] });
  const side = (name: string, ...variants: JsonObject[]) => ({ data: { staged: { name: { en: name }, variants } } });
  const base = side('a', variant(1, 'one', 10), variant(2, 'two', 20));
  const mine = side('mine', variant(1, 'one', 11), variant(2, 'two', 20));
  const theirs = side('a', variant(1, 'first', 10), variant(2, 'two', 22), variant(3, 'three', 30));
  const differences = compareSides(base, mine, theirs);
  expect(differences.map(({ path, isBoth }) => [path, isBoth])).toEqual([
    ['data.staged.name', false],
    ['data.staged.variants', true],
  ]);
  const chosen = new Set(differences.map((one) => one.path));
  expect(mergeSides(mine, theirs, chosen, base)).toEqual(
    side('mine', variant(1, 'first', 11), variant(2, 'two', 22), variant(3, 'three', 30)),
  );
});

test('a copy gets names of its own, and no ids', () => {
  const draft = draftFrom(model, model.kind('Category')!, {
    id: 'c',
    version: 4,
    key: 'lamps',
    name: { en: 'Lamps' },
    slug: { en: 'lamps' },
    ancestors: [],
    assets: [{ id: 'a', name: { en: 'A' }, sources: [] }],
  });
  expect(draft).toMatchObject({ key: 'lamps-copy', slug: { en: 'lamps-copy' }, name: { en: 'Lamps' } });
  expect(JSON.stringify(draft)).not.toContain('"id"');
});

test('money is sent as its request has it', () => {
  expect(
    asInput(
      model,
      { type: 'centPrecision', currencyCode: 'EUR', centAmount: 5, fractionDigits: 2 },
      { type: 'TypedMoneyDraft', list: 0 },
    ),
  ).toEqual({ currencyCode: 'EUR', centAmount: 5 });
});

test('amounts are read as people write them, and never rounded', () => {
  expect(parseAmount('1.299,50', 2)).toBe(129_950);
  expect(parseAmount('1,299.50', 2)).toBe(129_950);
  expect(parseAmount('12', 2)).toBe(1200);
  expect(parseAmount('-0.05', 2)).toBe(-5);
  expect(parseAmount('1500', 0)).toBe(1500);
  expect(parseAmount('0.005', 2)).toBeUndefined();
  expect(parseAmount('ten', 2)).toBeUndefined();
  for (let cents = -1000; cents <= 1_000_000; cents += 997) expect(parseAmount(amountText(cents, 2), 2)).toBe(cents);
});

test('completion knows where the cursor is', () => {
  const labels = (text: string, type = 'Product') => suggest(model, type, placeOf(text), ['en', 'de']).map((one) => one.label);
  expect(labels('')).toContain('masterData');
  expect(labels('masterData(current(na')).toContain('name');
  expect(labels('masterData(current(name(')).toEqual(['en', 'de']);
  expect(labels('key ')).toContain('in (');
  expect(labels('orderState = ', 'Order')).toContain('"Complete"');
  expect(labels('orderState = "Open" ', 'Order')).toEqual(['and', 'or']);
  expect(labels('orderState = "Open" and ', 'Order')).toContain('orderNumber');
  expect(labels('orderState in ("Open", ', 'Order')).toContain('"Complete"');
});

test('a spreadsheet runs no cell of an export', () => {
  expect(csvRows([{ key: '=HYPERLINK("x")', name: { en: 'a,b' } }], ['key', 'name.en'])).toBe(`"'=HYPERLINK(""x"")","a,b"`);
  expect(csvRows([{ price: { currencyCode: 'EUR', centAmount: -1250, fractionDigits: 2 } }], ['price'])).toBe('-12.50 EUR');
});

test('two areas cannot add the same part of a kind', () => {
  expect(mergeParts<object>('Order', { tabs: 1 }, { columns: 2 })).toEqual({ tabs: 1, columns: 2 });
  expect(() => mergeParts('Order', { tabs: 1 }, { tabs: 2 })).toThrow('Order has two parts named tabs');
});
