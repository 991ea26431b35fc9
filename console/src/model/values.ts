import type { Json, JsonObject } from './types';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** The objects of a list; none if the value is no list. */
export const objectsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Whether two JSON values are equal. The order of members does not matter. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((element, at) => equal(element, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a).filter((name) => a[name] !== undefined);
  return (
    names.length === Object.keys(b).filter((name) => b[name] !== undefined).length &&
    names.every((name) => equal(a[name], b[name]))
  );
}

/** The members of both. Throws if both have one: the second would hide the first. */
export function mergeParts<T extends object>(what: string, first: T, second: T): T {
  const twice = Object.keys(second).filter((name) => Object.hasOwn(first, name));
  if (twice.length > 0) throw new Error(`${what} has two parts named ${twice.join(', ')}`);
  return { ...first, ...second };
}

/** The value at a path like `masterData.current.name`. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const name of path === '' ? [] : path.split('.')) {
    if (!isObject(at)) return undefined;
    at = at[name];
  }
  return at;
}

/** A copy with another value at the path. `undefined` removes the member. */
export function withValueAt(value: JsonObject, path: string, next: Json | undefined): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length > 0) {
    const inner = value[name];
    return { ...value, [name]: withValueAt(isObject(inner) ? inner : {}, rest.join('.'), next) };
  }
  const copy = { ...value };
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy;
}

/** `orderNumber` → `Order number`, `CartDiscount` → `Cart discount`. */
export function humanize(name: string): string {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  const lower = words
    .split(' ')
    .map((word, at) => (/^[A-Z]{2,}$/.test(word) ? word : at === 0 ? word : word.toLowerCase()))
    .join(' ');
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** `CartDiscount` → `Cart Discounts`. */
export function pluralize(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2');
  if (/(s|x|ch|sh)$/.test(words)) return `${words}es`;
  return /[^aeiou]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}

/** `addresses` → `address`, `categories` → `category`. */
export function singular(name: string): string {
  if (/ies$/.test(name)) return `${name.slice(0, -3)}y`;
  if (/(sses|xes|ches|shes)$/.test(name)) return name.slice(0, -2);
  return name.replace(/(?<!s)s$/, '');
}
