/** The subject of a condition. Each type has one form as text, and is recognized in a text of that form. */
export type ConditionType =
  | 'country'
  | 'group'
  | 'registered'
  | 'signedIn'
  | 'total'
  | 'count'
  | 'sku'
  | 'category'
  | 'productType'
  | 'fullPrice'
  | 'currency'
  | 'text';

export interface Condition {
  type: ConditionType;
  /** Countries, SKUs, keys or ids, a time, amounts like `50.00 EUR`, a number; the text itself of a `text`. */
  values: string[];
  /** By which field `values` name documents. */
  by?: 'id' | 'key';
}

/** Predicates about Carts, about Line Items, or about prices of products. */
export type Dialect = 'cart' | 'item' | 'price';

export const CONDITIONS: Record<Dialect, ConditionType[]> = {
  cart: ['country', 'registered', 'group', 'signedIn', 'total', 'count', 'sku', 'category', 'currency', 'text'],
  item: ['sku', 'category', 'productType', 'fullPrice', 'text'],
  price: ['sku', 'category', 'productType', 'country', 'currency', 'text'],
};

/** The text of a predicate that is always true. */
export const ALWAYS = '1 = 1';
const isAlways = (text: string) => /^(true|1\s*=\s*1|true\s*=\s*true)$/i.test(text);

const quote = (value: string) => JSON.stringify(value);
const oneOf = (values: string[]) => (values.length === 1 ? `= ${quote(values[0]!)}` : `in (${values.map(quote).join(', ')})`);
const containsOneOf = (values: string[]) =>
  values.length === 1 ? `contains ${quote(values[0]!)}` : `contains any (${values.map(quote).join(', ')})`;

/** A condition about a line item, which in a predicate about Carts one of the items must meet. */
function writeItem(condition: Condition): string {
  const { type, values, by = 'id' } = condition;
  if (type === 'sku') return `sku ${oneOf(values)}`;
  if (type === 'category') return `categoriesWithAncestors.${by} ${containsOneOf(values)}`;
  if (type === 'productType') return `productType.${by} ${oneOf(values)}`;
  return 'price.discounted is not defined';
}

/** Whether a condition has all it needs. */
export const isComplete = (condition: Condition): boolean =>
  condition.type === 'signedIn' || condition.type === 'fullPrice' || condition.values.some((value) => value.trim() !== '');

function writeCondition(condition: Condition, dialect: Dialect): string {
  const { type, by = 'id' } = condition;
  const values = condition.values.filter((value) => value.trim() !== '');
  switch (type) {
    case 'text':
      return values[0]?.trim() ?? '';
    case 'country':
      return `country ${oneOf(values)}`;
    case 'currency':
      return `currency ${oneOf(values)}`;
    case 'group':
      return `customer.customerGroup.${by} ${oneOf(values)}`;
    case 'registered':
      return `customer.createdAt >= ${quote(values[0] ?? '')}`;
    case 'signedIn':
      return 'customer.id is defined';
    case 'total': {
      const clauses = values.map((value) => `totalPrice >= ${quote(value)}`);
      return clauses.length === 1 ? clauses[0]! : `(${clauses.join(' or ')})`;
    }
    case 'count':
      return `lineItemCount(1 = 1) >= ${Number(values[0] ?? 1) || 1}`;
    default:
      return dialect === 'cart'
        ? `lineItemExists(${writeItem({ ...condition, values })}) = true`
        : writeItem({ ...condition, values });
  }
}

export function writePredicate(conditions: Condition[], dialect: Dialect): string {
  const parts = conditions.filter(isComplete).map((condition) => writeCondition(condition, dialect));
  return parts.length === 0 ? ALWAYS : parts.join(' and ');
}

/** Splits `a and b` at words outside of texts and parentheses. */
function splitAt(text: string, word: 'and' | 'or'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  const pattern = /"(?:[^"\\]|\\.)*"|[()]|\b(?:and|or)\b/gi;
  for (const found of text.matchAll(pattern)) {
    if (found[0] === '(') depth += 1;
    else if (found[0] === ')') depth -= 1;
    else if (depth === 0 && found[0].toLowerCase() === word) {
      parts.push(text.slice(from, found.index).trim());
      from = found.index + found[0].length;
    }
  }
  return [...parts, text.slice(from).trim()];
}

/** The parts of a predicate that must all hold. */
export function clausesOf(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed === '' || isAlways(trimmed)) return [];
  if (splitAt(trimmed, 'or').length > 1) return [trimmed];
  return splitAt(trimmed, 'and').filter((part) => part !== '' && !isAlways(part));
}

function textsIn(text: string): string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([found]) => {
    try {
      return String(JSON.parse(found));
    } catch {
      return found.slice(1, -1);
    }
  });
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';
const LIST = `(?:=\\s*${TEXT}|in\\s*\\(\\s*${TEXT}(?:\\s*,\\s*${TEXT})*\\s*\\))`;
const CONTAINS = `contains\\s+(?:${TEXT}|any\\s*\\(\\s*${TEXT}(?:\\s*,\\s*${TEXT})*\\s*\\))`;
const whole = (pattern: string) => new RegExp(`^${pattern}$`, 'i');
const PATTERNS: { type: ConditionType; pattern: RegExp }[] = [
  { type: 'country', pattern: whole(`country\\s*${LIST}`) },
  { type: 'currency', pattern: whole(`currency\\s*${LIST}`) },
  { type: 'group', pattern: whole(`customer\\.customerGroup\\.(?<by>id|key)\\s*${LIST}`) },
  { type: 'registered', pattern: whole(`customer\\.createdAt\\s*>=?\\s*${TEXT}`) },
  { type: 'signedIn', pattern: whole('customer\\.id\\s+is\\s+defined') },
  { type: 'total', pattern: whole(`\\(?\\s*totalPrice\\s*>=\\s*${TEXT}(?:\\s+or\\s+totalPrice\\s*>=\\s*${TEXT})*\\s*\\)?`) },
  { type: 'sku', pattern: whole(`sku\\s*${LIST}`) },
  { type: 'category', pattern: whole(`categoriesWithAncestors\\.(?<by>id|key)\\s+${CONTAINS}`) },
  { type: 'productType', pattern: whole(`productType\\.(?<by>id|key)\\s*${LIST}`) },
  { type: 'fullPrice', pattern: whole('price\\.discounted\\s+is\\s+not\\s+defined') },
];

function readClause(text: string, dialect: Dialect): Condition {
  const count = text.match(/^lineItemCount\(\s*(?:true|1\s*=\s*1)\s*\)\s*>=\s*(\d+)$/i);
  if (count) return { type: 'count', values: [count[1]!] };
  const inner = dialect === 'cart' ? text.match(/^lineItemExists\((.*)\)\s*=\s*true$/i)?.[1] : undefined;
  const clause = (inner ?? text).trim();
  const ofItems: ConditionType[] = ['sku', 'category', 'productType', 'fullPrice'];
  for (const { type, pattern } of PATTERNS) {
    if (!CONDITIONS[dialect].includes(type) || (dialect === 'cart' && ofItems.includes(type) !== (inner !== undefined))) continue;
    const found = clause.match(pattern);
    if (found) {
      const by = found.groups?.by as Condition['by'];
      return { type, values: textsIn(clause), ...(by ? { by } : {}) };
    }
  }
  return { type: 'text', values: [text] };
}

/** Returns the conditions of a predicate. A clause that matches no other type becomes a `text`. */
export const readPredicate = (text: string, dialect: Dialect): Condition[] =>
  clausesOf(text).map((clause) => readClause(clause, dialect));
