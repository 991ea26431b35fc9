import type { Json, JsonObject } from '../../model/types';
import { isObject, objectsOf, valueAt, withValueAt } from '../../model/values';

/** The side of a Product that is being worked on. */
export const STAGED = 'masterData.staged';
export const CURRENT = 'masterData.current';

export const sideOf = (product: JsonObject, side: string): JsonObject => {
  const found = valueAt(product, side);
  return isObject(found) ? found : {};
};

/** All variants of a side, the master variant first. */
export function variantsOf(side: JsonObject): JsonObject[] {
  const master = isObject(side.masterVariant) ? [side.masterVariant] : [];
  return [...master, ...objectsOf(side.variants)];
}

/** A Product with other variants on its staged side; the first one is the master variant. */
export function withVariants(product: JsonObject, variants: JsonObject[]): JsonObject {
  const [masterVariant, ...rest] = variants;
  const side = { ...sideOf(product, STAGED), variants: rest };
  return withValueAt(product, STAGED, masterVariant ? { ...side, masterVariant } : side);
}

export const attributeOf = (variant: JsonObject, name: string): Json | undefined =>
  objectsOf(variant.attributes).find((attribute) => attribute.name === name)?.value;

export function withAttribute(variant: JsonObject, name: string, value: Json | undefined): JsonObject {
  const attributes = objectsOf(variant.attributes);
  const at = attributes.findIndex((attribute) => attribute.name === name);
  if (value === undefined) return { ...variant, attributes: attributes.filter((_, index) => index !== at) };
  const next = { name, value };
  return { ...variant, attributes: at < 0 ? [...attributes, next] : attributes.with(at, next) };
}

export const textIn = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** A short name of a variant for people. */
export const variantName = (variant: JsonObject): string =>
  textIn(variant.sku) ?? textIn(variant.key) ?? (variant.id === undefined ? '?' : `#${String(variant.id)}`);

/** The values with the same key together, in their order. */
export function groupBy<T>(values: T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
