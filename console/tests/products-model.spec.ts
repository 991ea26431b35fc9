import { expect, test } from '@playwright/test';
import { decimalBetween } from '../src/model/decimals';
import { movesTo, treeOf } from '../src/screens/products/category-tree';
import { decodeText, readCsv } from '../src/screens/products/csv-file';
import { bounds, moved, placeTexts, type SheetColumn } from '../src/screens/products/sheet-state';
import { parseTsv, separatorOf, toTsv } from '../src/screens/products/sheet-text';
import type { Document } from '../src/model/types';

test('text with tabs keeps tabs, line ends and quotes in cells', () => {
  const rows = [
    ['a', 'two\nlines', 'say "yes"'],
    ['', 'tab\there', ''],
  ];
  expect(parseTsv(toTsv(rows))).toEqual(rows);
  expect(parseTsv('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(separatorOf('sku;quantity, in all;x\n1,2,3,4,5')).toBe(';');
});

test('a CSV file has lines, unknown titles, missing columns and rows about the same thing', () => {
  const words = { required: () => 'is missing', tooLong: 'too long', twice: (line: number) => `like ${line}` };
  const columns = [
    { name: 'sku', required: true },
    { name: 'quantityOnStock', required: true, aliases: ['menge'] },
  ];
  const file = readCsv('\uFEFFSKU,Menge,colour\n"a\nb",1,red\n\n,2\na,3\na,4,x,y', columns, (values) => values.sku!, words);
  expect(file.unknown).toEqual(['colour']);
  expect(file.rows.map((row) => [row.line, row.values.sku, row.errors])).toEqual([
    [2, 'a\nb', []],
    [5, '', ['sku: is missing']],
    [6, 'a', []],
    [7, 'a', ['too long', 'like 6']],
  ]);
  expect(readCsv('sku\na', columns, (values) => values.sku!, words).missing).toEqual(['quantityOnStock']);
});

test('files of spreadsheets are read as they were written', () => {
  const bytes = (...all: number[]) => new Uint8Array(all).buffer;
  expect(decodeText(bytes(0xc3, 0xbc))).toBe('ü');
  expect(decodeText(bytes(0xfc, 0x3b))).toBe('ü;');
  expect(decodeText(bytes(0xff, 0xfe, 0xfc, 0))).toBe('ü');
});

test('hints are between their neighbours, as short as they can be', () => {
  for (const [low, high] of [
    [undefined, undefined],
    ['0.1', '0.2'],
    ['0.19', '0.2'],
    ['0.1', '0.11'],
    ['0.9', undefined],
    ['0.99', undefined],
    [undefined, '0.1'],
    [undefined, '0.001'],
    ['0.10', '0.1001'],
  ]) {
    const hint = decimalBetween(low, high);
    expect(Number(hint), `${low} ${hint} ${high}`).toBeGreaterThan(Number(low ?? 0));
    expect(Number(hint), `${low} ${hint} ${high}`).toBeLessThan(Number(high ?? 1));
    expect(hint).toMatch(/^0\.\d*[1-9]$/);
  }
  expect(decimalBetween('0.5', '0.5')).toBeUndefined();
});

test('a Category that moves gets a hint and a parent; without room its siblings get new hints', () => {
  const category = (id: string, orderHint: string, parent?: string) =>
    ({ id, version: 1, orderHint, ...(parent ? { parent: { typeId: 'category', id: parent } } : {}) }) as Document;
  const all = [category('a', '0.5'), category('b', '0.5', 'a'), category('c', '0.5', 'a'), category('d', '0.2', 'missing')];
  expect(treeOf(all).map((node) => [node.category.id, node.children.length])).toEqual([
    ['d', 0],
    ['a', 2],
  ]);
  const moves = movesTo(all[3]!, all[0], [all[1]!, all[2]!], 1);
  expect(moves.map((move) => [move.category.id, move.actions.length])).toEqual([
    ['b', 1],
    ['d', 2],
    ['c', 1],
  ]);
  expect(movesTo(all[2]!, all[0], [all[1]!, all[2]!], 0)).toEqual([
    {
      category: all[2],
      actions: [{ action: 'changeOrderHint', orderHint: '0.2' }],
      back: [{ action: 'changeOrderHint', orderHint: '0.5' }],
    },
  ]);
});

test('keys move in a sheet, and texts are repeated in a larger range', () => {
  expect(moved('ArrowDown', { row: 1, column: 2 }, 3, 4, true, 15)).toEqual({ row: 2, column: 2 });
  expect(moved('Home', { row: 1, column: 2 }, 3, 4, true, 15)).toEqual({ row: 0, column: 0 });
  expect(moved('x', { row: 1, column: 2 }, 3, 4, false, 15)).toBeUndefined();
  const column = (id: string, isReadOnly = false): SheetColumn<string> => ({
    id,
    label: id,
    width: 1,
    isReadOnly,
    text: () => '',
    parse: (text) => (text === 'bad' ? { error: 'is bad' } : { value: text }),
  });
  const columns = [column('a'), column('b'), column('c', true)];
  const range = { anchor: { row: 2, column: 1 }, focus: { row: 0, column: 0 } };
  expect(bounds(range)).toEqual({ top: 0, bottom: 2, start: 0, end: 1 });
  expect(placeTexts([['x']], range, ['', '', ''], columns).writes).toHaveLength(6);
  const placed = placeTexts(
    [['x', 'bad', 'y']],
    { anchor: { row: 2, column: 0 }, focus: { row: 2, column: 0 } },
    ['', '', ''],
    columns,
  );
  expect(placed).toMatchObject({ writes: [{ row: 2, column: 'a', value: 'x' }], errors: 1, error: 'b: is bad', left: 1 });
});
