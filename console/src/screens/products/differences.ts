import { readDefinition } from '../../form/definitions';
import type { Language } from '../../app/preferences';
import { shortText } from '../../model/display';
import { isLocalized, type ModelIndex } from '../../model/model';
import type { Field, Json, JsonObject } from '../../model/types';
import { equal, humanize, isObject, objectsOf } from '../../model/values';
import { scopeLabel, scopeOf, type Names } from './prices';
import { attributeOf, textIn, variantName, variantsOf } from './variants';

/** One value that is different on the two sides of a Product. */
export interface Difference {
  label: string;
  /** A language, or what a price is for. */
  of?: string;
  field?: Field;
  before: Json | undefined;
  after: Json | undefined;
}

export interface DifferenceGroup {
  /** Absent: of the Product itself. */
  variant?: { id: Json | undefined; name: string; is: 'added' | 'removed' | 'changed' };
  rows: Difference[];
}

export interface DifferenceContext {
  model: ModelIndex;
  /** The type of both sides in the model. */
  type: string;
  productType: JsonObject | undefined;
  names: Names;
  language: Language;
  /** Texts for parts of a variant. */
  words: { image: string; price: string; assets: string; master: string };
}

/** Returns the differences between the two sides of a Product, field by field, then variant by variant. */
export function differencesOf(before: JsonObject, after: JsonObject, context: DifferenceContext): DifferenceGroup[] {
  const groups: DifferenceGroup[] = [];
  const rows = fieldRows(before, after, context);
  const [masterBefore, masterAfter] = [before, after].map((side) => (isObject(side.masterVariant) ? side.masterVariant : {}));
  if (masterBefore!.id !== masterAfter!.id)
    rows.push({ label: context.words.master, before: variantName(masterBefore!), after: variantName(masterAfter!) });
  if (rows.length > 0) groups.push({ rows });
  const [from, to] = [before, after].map((side) => new Map(variantsOf(side).map((variant) => [variant.id, variant])));
  for (const id of new Set([...from!.keys(), ...to!.keys()])) {
    const [was, is] = [from!.get(id), to!.get(id)];
    const inner = variantRows(was ?? {}, is ?? {}, context);
    if (inner.length === 0 && was && is) continue;
    groups.push({
      variant: { id, name: variantName(is ?? was ?? {}), is: was ? (is ? 'changed' : 'removed') : 'added' },
      rows: inner,
    });
  }
  return groups;
}

export const countDifferences = (groups: DifferenceGroup[]) =>
  groups.reduce((sum, group) => sum + Math.max(1, group.rows.length), 0);

const OF_VARIANTS = new Set(['masterVariant', 'variants']);

function fieldRows(before: JsonObject, after: JsonObject, context: DifferenceContext): Difference[] {
  return context.model.fieldsOf(context.type).flatMap((field): Difference[] => {
    const [was, is] = [before[field.name], after[field.name]];
    if (OF_VARIANTS.has(field.name) || equal(was, is)) return [];
    if (field.name === 'attributes') return attributeRows(before, after, context);
    const label = humanize(field.name);
    if (!isLocalized(field)) return [{ label, field, before: was, after: is }];
    return byLanguage(label, was, is);
  });
}

/** A row for each language in which two localized texts differ. */
function byLanguage(label: string, was: Json | undefined, is: Json | undefined): Difference[] {
  const [from, to] = [was, is].map((value) => (isObject(value) ? value : {})) as [JsonObject, JsonObject];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((language) => from[language] !== to[language])
    .map((language) => ({ label, of: language, before: from[language], after: to[language] }));
}

function attributeRows(before: JsonObject, after: JsonObject, context: DifferenceContext): Difference[] {
  const definitions = (Array.isArray(context.productType?.attributes) ? context.productType.attributes : [])
    .map(readDefinition)
    .filter((one) => one !== undefined);
  const names = new Set([...objectsOf(before.attributes), ...objectsOf(after.attributes)].map((one) => String(one.name)));
  return [...names].flatMap((name): Difference[] => {
    const [was, is] = [attributeOf(before, name), attributeOf(after, name)];
    if (equal(was, is)) return [];
    const definition = definitions.find((one) => one.name === name);
    const label = shortText(definition?.label, context.language) ?? humanize(name);
    if (definition?.field.type === 'LocalizedString' && !definition.isSet) return byLanguage(label, was, is);
    const shown = (value: Json | undefined): Json | undefined =>
      Array.isArray(value)
        ? value.map((one) => shown(one) ?? null)
        : isObject(value) && value.label !== undefined
          ? (shortText(value.label, context.language) ?? value.key)
          : value;
    return [{ label, field: definition?.field, before: shown(was), after: shown(is) }];
  });
}

function variantRows(before: JsonObject, after: JsonObject, context: DifferenceContext): Difference[] {
  const { words } = context;
  const rows: Difference[] = [];
  for (const name of ['sku', 'key'])
    if (before[name] !== after[name])
      rows.push({ label: name === 'sku' ? 'SKU' : humanize(name), before: before[name], after: after[name] });
  rows.push(...attributeRows(before, after, context), ...priceRows(before, after, context));
  const [from, to] = [objectsOf(before.images), objectsOf(after.images)];
  for (const image of from)
    if (!to.some((one) => equal(one, image))) rows.push({ label: words.image, before: image, after: undefined });
  for (const image of to)
    if (!from.some((one) => equal(one, image))) rows.push({ label: words.image, before: undefined, after: image });
  if (!equal(before.assets ?? [], after.assets ?? []))
    rows.push({ label: words.assets, before: objectsOf(before.assets).length, after: objectsOf(after.assets).length });
  return rows;
}

const MONEY: Field = { name: 'value', type: 'Money', list: 0, required: false };

function priceRows(before: JsonObject, after: JsonObject, context: DifferenceContext): Difference[] {
  const byScope = (variant: JsonObject) => new Map(objectsOf(variant.prices).map((price) => [scopeOf(price).id, price]));
  const [from, to] = [byScope(before), byScope(after)];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((id): Difference[] => {
    const [was, is] = [from.get(id), to.get(id)];
    const of = scopeLabel(scopeOf((is ?? was)!), context.names, context.language);
    if (!equal(was?.value, is?.value))
      return [{ label: context.words.price, of, field: MONEY, before: was?.value, after: is?.value }];
    const rest = (price: JsonObject | undefined) => {
      const { id: _, value: __, ...others } = price ?? {};
      return others;
    };
    return equal(rest(was), rest(is)) ? [] : [{ label: context.words.price, of, before: rest(was), after: rest(is) }];
  });
}

/** Returns the bounds of the part in which two texts differ. */
export function changedPart(before: string, after: string): { start: number; endBefore: number; endAfter: number } {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  return { start, endBefore: before.length - tail, endAfter: after.length - tail };
}

export const imageUrl = (value: Json | undefined): string | undefined => (isObject(value) ? textIn(value.url) : undefined);
