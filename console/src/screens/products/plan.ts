import { asInput } from '../../model/draft';
import type { PartPlanner, Plan } from '../../model/changes';
import type { ModelIndex } from '../../model/model';
import type { Json, JsonObject, UpdateAction } from '../../model/types';
import { equal, isObject, objectsOf } from '../../model/values';
import { attributeOf, sideOf, STAGED, variantsOf } from './variants';

/** Finds the update actions for variants, Attributes and positions in Categories, which other actions than setters change. */
export const productPlanner: PartPlanner = {
  paths: new Set(['masterVariant', 'variants', 'attributes', 'categoryOrderHints'].map((name) => `${STAGED}.${name}`)),
  plan: (model, before, after) => new ProductPlanner(model, sideOf(before, STAGED), sideOf(after, STAGED)).plan(),
};

/** The value of an Attribute as an action takes it: enum values by key, references without their targets. */
function attributeInput(value: Json): Json {
  if (Array.isArray(value)) return value.map(attributeInput);
  if (!isObject(value)) return value;
  if (typeof value.typeId === 'string') return { typeId: value.typeId, ...(value.id ? { id: value.id } : { key: value.key! }) };
  if (typeof value.key === 'string' && value.label !== undefined) return value.key;
  if (typeof value.currencyCode === 'string' && value.type !== 'highPrecision')
    return { currencyCode: value.currencyCode, centAmount: value.centAmount! };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, attributeInput(one)]));
}

const listInput = (model: ModelIndex, type: string, values: Json | undefined): Json[] =>
  objectsOf(values).map((value) => asInput(model, value, { type, list: 0 }) ?? null);

class ProductPlanner {
  private readonly actions: UpdateAction[] = [];
  private readonly impossible: string[] = [];

  constructor(
    private readonly model: ModelIndex,
    private readonly before: JsonObject,
    private readonly after: JsonObject,
  ) {}

  plan(): Plan {
    const { before, after } = this;
    if (before === after) return { actions: [], impossible: [] };
    for (const name of attributeNames([before, after])) {
      const value = attributeOf(after, name);
      if (!sameValue(attributeOf(before, name), value)) this.actions.push(setAttribute('setProductAttribute', name, value));
    }
    this.orderHints();
    this.variants();
    return { actions: this.actions, impossible: this.impossible };
  }

  private orderHints(): void {
    const [from, to] = [this.before.categoryOrderHints, this.after.categoryOrderHints].map((hints) =>
      isObject(hints) ? hints : {},
    ) as [JsonObject, JsonObject];
    for (const categoryId of new Set([...Object.keys(from), ...Object.keys(to)]))
      if (from[categoryId] !== to[categoryId])
        this.actions.push({
          action: 'setCategoryOrderHint',
          categoryId,
          ...(to[categoryId] === undefined ? {} : { orderHint: to[categoryId] }),
        });
  }

  private variants(): void {
    const from = variantsOf(this.before);
    const to = variantsOf(this.after);
    const stored = new Map(from.map((variant) => [variant.id, variant]));
    const kept = to.filter((variant) => variant.id !== undefined && stored.has(variant.id));
    const inAll = this.attributesInAll(from, to, kept);
    for (const variant of kept) this.variant(stored.get(variant.id)!, variant, inAll);
    for (const variant of to.filter((one) => !kept.includes(one))) this.addVariant(variant);
    const [master] = to;
    if (master?.id !== undefined && master.id !== from[0]?.id && stored.has(master.id))
      this.actions.push({ action: 'changeMasterVariant', variantId: master.id });
    const ids = new Set(kept.map((variant) => variant.id));
    for (const variant of from) if (!ids.has(variant.id)) this.actions.push({ action: 'removeVariant', id: variant.id ?? null });
  }

  /** Attributes that get the same value in all variants: one action sets them, which `SameForAll` needs. */
  private attributesInAll(from: JsonObject[], to: JsonObject[], kept: JsonObject[]): Set<string> {
    const names = new Set<string>();
    if (kept.length < 2 || kept.length !== to.length || from.length !== to.length) return names;
    const stored = new Map(from.map((variant) => [variant.id, variant]));
    for (const name of attributeNames(to)) {
      const value = attributeOf(to[0]!, name);
      const isChanged = (variant: JsonObject) => !sameValue(attributeOf(stored.get(variant.id)!, name), value);
      if (to.some((variant) => !sameValue(attributeOf(variant, name), value)) || !to.every(isChanged)) continue;
      names.add(name);
      this.actions.push(setAttribute('setAttributeInAllVariants', name, value));
    }
    return names;
  }

  private variant(from: JsonObject, to: JsonObject, inAll: ReadonlySet<string>): void {
    if (equal(from, to)) return;
    const variantId = to.id!;
    if (from.sku !== to.sku) this.actions.push({ action: 'setSku', variantId, ...(to.sku ? { sku: to.sku } : {}) });
    if (from.key !== to.key) this.actions.push({ action: 'setProductVariantKey', variantId, ...(to.key ? { key: to.key } : {}) });
    for (const name of attributeNames([from, to])) {
      const value = attributeOf(to, name);
      if (!inAll.has(name) && !sameValue(attributeOf(from, name), value))
        this.actions.push(setAttribute('setAttribute', name, value, variantId));
    }
    this.prices(variantId, objectsOf(from.prices), objectsOf(to.prices));
    this.images(variantId, objectsOf(from.images), objectsOf(to.images));
    if (!equal(from.assets, to.assets)) this.impossible.push(`${STAGED}.variants.assets`);
  }

  private prices(variantId: Json, from: JsonObject[], to: JsonObject[]): void {
    const stored = new Map(from.map((price) => [price.id, price]));
    const ids = new Set(to.map((price) => price.id));
    for (const price of from) if (!ids.has(price.id)) this.actions.push({ action: 'removePrice', priceId: price.id! });
    for (const price of to) {
      const before = price.id === undefined ? undefined : stored.get(price.id);
      if (equal(before, price)) continue;
      const input = this.priceInput(price);
      if (before) this.actions.push({ action: 'changePrice', priceId: price.id!, price: input });
      else this.actions.push({ action: 'addPrice', variantId, price: input });
    }
  }

  private priceInput(price: JsonObject): JsonObject {
    return priceInput(this.model, price);
  }

  private images(variantId: Json, from: JsonObject[], to: JsonObject[]): void {
    const wanted = new Map(to.map((image) => [image.url, image]));
    const order: Json[] = [];
    for (const image of from) {
      const next = wanted.get(image.url!);
      if (!next) this.actions.push({ action: 'removeImage', variantId, imageUrl: image.url! });
      else {
        order.push(image.url!);
        if (image.label !== next.label)
          this.actions.push({
            action: 'setImageLabel',
            variantId,
            imageUrl: image.url!,
            ...(next.label ? { label: next.label } : {}),
          });
      }
    }
    for (const image of to) {
      if (order.includes(image.url!)) continue;
      order.push(image.url!);
      this.actions.push({ action: 'addExternalImage', variantId, image });
    }
    for (const [position, image] of to.entries()) {
      const at = order.indexOf(image.url!);
      if (at === position) continue;
      order.splice(position, 0, ...order.splice(at, 1));
      this.actions.push({ action: 'moveImageToPosition', variantId, imageUrl: image.url!, position });
    }
  }

  private addVariant(variant: JsonObject): void {
    const action: UpdateAction = { action: 'addVariant' };
    if (variant.sku) action.sku = variant.sku;
    if (variant.key) action.key = variant.key;
    if (objectsOf(variant.prices).length > 0) action.prices = objectsOf(variant.prices).map((price) => this.priceInput(price));
    const attributes = objectsOf(variant.attributes);
    if (attributes.length > 0)
      action.attributes = attributes.map(({ name, value }) => ({ name: name!, value: attributeInput(value!) }));
    if (objectsOf(variant.images).length > 0) action.images = variant.images!;
    if (objectsOf(variant.assets).length > 0) action.assets = listInput(this.model, 'AssetDraft', variant.assets);
    this.actions.push(action);
  }
}

/** A price as an action takes it, without its discount: the platform finds those of Product Discounts, and an external one was for the old amount. */
export function priceInput(model: ModelIndex, price: JsonObject): JsonObject {
  const { discounted: _, ...rest } = price;
  return asInput(model, rest, { type: 'PriceDraft', list: 0 }) as JsonObject;
}

const sameValue = (a: Json | undefined, b: Json | undefined) =>
  a === b || (a !== undefined && b !== undefined && equal(attributeInput(a), attributeInput(b)));

const attributeNames = (owners: JsonObject[]) =>
  new Set(owners.flatMap((owner) => objectsOf(owner.attributes).map((attribute) => String(attribute.name))));

function setAttribute(action: string, name: string, value: Json | undefined, variantId?: Json): UpdateAction {
  return {
    action,
    ...(variantId === undefined ? {} : { variantId }),
    name,
    ...(value === undefined ? {} : { value: attributeInput(value) }),
  };
}
