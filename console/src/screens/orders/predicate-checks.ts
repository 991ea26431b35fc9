import type { Json, JsonObject } from '../../model/types';
import { isObject, objectsOf, valueAt } from '../../model/values';
import { centsOf, itemsOf, waysOf } from './documents';

/** One condition of a Cart predicate. `ok` is `undefined` where only the server knows, e.g. about the group of a Customer. */
export interface Check {
  /** The condition as it is written. */
  text: string;
  /** The compared field, e.g. `totalPrice` or `lineItemCount`. */
  name: string;
  operator: string;
  value: string;
  ok?: boolean;
  /** The value of the Cart. */
  actual?: string;
  /** The condition for items, inside of a function. */
  inner?: string;
}

const OPENING = '([';
const CLOSING = ')]';

/** Splits at a word outside of quotes and brackets. */
export function splitAt(text: string, word: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (sign === '"' && text[at - 1] !== '\\') quoted = !quoted;
    if (quoted) continue;
    if (OPENING.includes(sign)) depth += 1;
    if (CLOSING.includes(sign)) depth -= 1;
    const isWord = depth === 0 && text.slice(at, at + word.length).toLowerCase() === word;
    if (isWord && /[\s)]/.test(text[at - 1] ?? '') && /[\s(]/.test(text[at + word.length] ?? '')) {
      parts.push(text.slice(from, at).trim());
      from = at + word.length;
    }
  }
  return [...parts, text.slice(from).trim()];
}

/** Removes brackets around the whole text. */
function bare(text: string): string {
  let inner = text.trim();
  while (inner.startsWith('(') && closesAt(inner, 0) === inner.length - 1) inner = inner.slice(1, -1).trim();
  return inner;
}

function closesAt(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"' && text[at - 1] !== '\\') quoted = !quoted;
    if (quoted) continue;
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

const COMPARISON =
  /^([\w.`-]+)\s*(<=|>=|!=|<>|=|<|>|\bnot in\b|\bin\b|\bcontains any\b|\bcontains all\b|\bcontains\b|\bis not\b|\bis\b)\s*(.+)$/is;
const CALL = /^(\w+)\s*\(/;

/** The conditions of a Cart predicate, each checked against a Cart as far as the console can. */
export function checkPredicate(predicate: string, cart: JsonObject): Check[] {
  const text = bare(predicate);
  const clauses = splitAt(text, 'or').length > 1 ? [text] : splitAt(text, 'and');
  return clauses.map((clause) => checkClause(bare(clause), cart, cartValue));
}

type Read = (of: JsonObject, name: string) => Json | undefined;

function checkClause(text: string, of: JsonObject, read: Read): Check {
  if (/^(true|1\s*=\s*1|true\s*=\s*true)$/i.test(text)) return { text, name: 'always', operator: '', value: '', ok: true };
  if (splitAt(text, 'or').length > 1 || splitAt(text, 'and').length > 1)
    return { text, name: 'or', operator: '', value: '', ok: holds(text, of, read) };
  const call = text.match(CALL);
  if (call) return checkCall(text, call[1]!, of, read);
  const parts = text.match(COMPARISON);
  if (!parts) return { text, name: text, operator: '', value: '' };
  const [, name, operator, value] = parts as unknown as [string, string, string, string];
  const actual = read(of, name.replaceAll('`', ''));
  return {
    text,
    name,
    operator: operator.toLowerCase(),
    value,
    ok: compare(actual, operator.toLowerCase(), value),
    actual: shown(actual),
  };
}

const every = (oks: (boolean | undefined)[]): boolean | undefined =>
  oks.includes(false) ? false : oks.includes(undefined) ? undefined : true;

/** Whether a predicate is true. `and` binds closer than `or`. */
function holds(text: string, of: JsonObject, read: Read): boolean | undefined {
  const choices = splitAt(bare(text), 'or');
  if (choices.length === 1) return every(splitAt(bare(text), 'and').map((clause) => checkClause(bare(clause), of, read).ok));
  const oks = choices.map((choice) => holds(choice, of, read));
  return oks.includes(true) ? true : oks.includes(undefined) ? undefined : false;
}

function checkCall(text: string, name: string, cart: JsonObject, read: Read): Check {
  const open = text.indexOf('(');
  const close = closesAt(text, open);
  const inner = text.slice(open + 1, close);
  const rest = text
    .slice(close + 1)
    .trim()
    .match(/^(<=|>=|!=|<>|=|<|>)\s*(.+)$/s);
  const base: Check = { text, name, operator: rest?.[1] ?? '', value: rest?.[2] ?? '', inner };
  if (/^not$/i.test(name)) {
    const ok = holds(inner, cart, read);
    return { ...base, name: 'not', ok: ok === undefined ? undefined : !ok };
  }
  const items = itemsOf(cart).filter((item) => item.isCustom === /custom/i.test(name));
  const known = items.map((item) => ({ item, ok: matchesItem(inner, item.source) }));
  if (known.some(({ ok }) => ok === undefined)) return base;
  const matching = known.filter(({ ok }) => ok).map(({ item }) => item);
  const count = matching.reduce((sum, item) => sum + item.quantity, 0);
  if (/Exists$/.test(name))
    return { ...base, ok: compare(count > 0, base.operator || '=', base.value || 'true'), actual: String(count) };
  if (/^forAll/.test(name))
    return { ...base, ok: matching.length === items.length, actual: `${matching.length} / ${items.length}` };
  if (/Count$/.test(name)) return { ...base, ok: compare(count, base.operator, base.value), actual: String(count) };
  if (/(LineItem|lineItem)Total$/.test(name)) {
    const sum = matching.reduce((cents, item) => cents + centsOf(item.unitPrice) * item.quantity, 0);
    const money = { ...(isObject(cart.totalPrice) ? cart.totalPrice : {}), centAmount: sum };
    return { ...base, ok: compare(money, base.operator, base.value), actual: shown(money) };
  }
  return base;
}

/** Whether a line item matches a predicate about line items. */
export function matchesItem(predicate: string, item: JsonObject): boolean | undefined {
  return holds(predicate, item, itemValue);
}

/** The prices that Cart predicates see are those before Cart Discounts. */
function subtotal(cart: JsonObject): Json {
  const items = itemsOf(cart).reduce((cents, item) => cents + centsOf(item.unitPrice) * item.quantity, 0);
  const shipping = waysOf(cart).reduce((cents, way) => cents + centsOf(way.info.price), 0);
  return { ...(isObject(cart.totalPrice) ? cart.totalPrice : {}), centAmount: items + shipping };
}

const cartValue: Read = (cart, name) => {
  if (name === 'totalPrice') return subtotal(cart);
  if (name === 'currency') return valueAt(cart, 'totalPrice.currencyCode');
  if (name === 'customer.email') return cart.customerEmail ?? null;
  if (name === 'customer.id') return cart.customerId ?? null;
  if (name.startsWith('custom.')) return valueAt(cart, `custom.fields.${name.slice(7)}`) ?? null;
  if (name === 'customer.customerGroup.id') return valueAt(cart, 'customerGroup.id') ?? null;
  if (/^(shippingAddress|billingAddress|store)\./.test(name) || ['country', 'locale', 'origin'].includes(name))
    return valueAt(cart, name) ?? null;
  return undefined;
};

const itemValue: Read = (item, name) => {
  if (name === 'sku') return valueAt(item, 'variant.sku') ?? null;
  if (name === 'variantId') return valueAt(item, 'variant.id') ?? null;
  if (name === 'product.id') return item.productId ?? null;
  if (name === 'product.key') return item.productKey ?? null;
  if (name === 'quantity' || name === 'slug') return item[name] ?? null;
  if (name === 'productType.id') return valueAt(item, 'productType.id') ?? null;
  if (name.startsWith('attributes.')) {
    const found = objectsOf(valueAt(item, 'variant.attributes')).find((one) => one.name === name.split('.')[1])?.value;
    const isPlain = found === undefined || !isObject(found);
    return isPlain ? (found ?? null) : (found.key ?? undefined);
  }
  if (name.startsWith('custom.')) return valueAt(item, `custom.fields.${name.slice(7)}`) ?? null;
  return undefined;
};

const literals = (text: string): Json[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)|\b(true|false)\b/g)].map(([, quoted, number, word]) =>
    quoted !== undefined ? quoted.replaceAll('\\"', '"') : number !== undefined ? Number(number) : word === 'true',
  );

function compare(actual: Json | undefined, operator: string, text: string): boolean | undefined {
  if (actual === undefined) return undefined;
  if (operator === 'is' || operator === 'is not') {
    const is = /defined/i.test(text) ? actual !== null : undefined;
    const isNegated = operator === 'is not' || /^not\b/i.test(text.trim());
    return is === undefined ? undefined : is !== isNegated;
  }
  const values = literals(text);
  if (values.length === 0) return undefined;
  if (operator === 'in') return values.includes(actual);
  if (operator === 'not in') return !values.includes(actual);
  if (operator.startsWith('contains')) {
    if (!Array.isArray(actual)) return undefined;
    const list: Json[] = actual;
    return operator === 'contains any' ? values.some((one) => list.includes(one)) : values.every((one) => list.includes(one));
  }
  return ordered(actual, operator, values[0]!);
}

function ordered(actual: Json, operator: string, wanted: Json): boolean | undefined {
  let [a, b] = [actual, wanted];
  if (isObject(actual) && typeof wanted === 'string') {
    const money = wanted.match(/^(-?\d+(?:\.\d+)?)\s+([A-Z]{3})$/);
    if (!money) return undefined;
    if (money[2] !== actual.currencyCode) return operator === '!=' || operator === '<>';
    const digits = typeof actual.fractionDigits === 'number' ? actual.fractionDigits : 2;
    [a, b] = [centsOf(actual), Math.round(Number(money[1]) * 10 ** digits)];
  }
  if (operator === '=') return a === b;
  if (operator === '!=' || operator === '<>') return a !== b;
  if (a === null || typeof a !== typeof b || typeof a === 'object' || typeof b === 'object')
    return a === null ? false : undefined;
  const [x, y] = [a as number, b as number];
  return operator === '<' ? x < y : operator === '>' ? x > y : operator === '<=' ? x <= y : x >= y;
}

function shown(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return '–';
  if (isObject(value) && typeof value.currencyCode === 'string') {
    const digits = typeof value.fractionDigits === 'number' ? value.fractionDigits : 2;
    return `${(centsOf(value) / 10 ** digits).toFixed(digits)} ${value.currencyCode}`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
