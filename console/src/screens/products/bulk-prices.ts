import type { Client } from '../../api/client';
import type { Page } from '../../api/hooks';
import type { ModelIndex } from '../../model/model';
import type { Document, JsonObject, Kind, UpdateAction } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { currencyOf, raiseMoney, raisePrice, type PriceChange } from './prices';
import { priceInput } from './plan';
import { CURRENT, sideOf, STAGED, textIn, variantsOf } from './variants';

/** A document whose prices change: the actions, and those that set the earlier prices back. */
export interface PriceUpdate {
  kind: Kind;
  document: Document;
  name: string;
  actions: UpdateAction[];
  back: UpdateAction[];
}

const SKUS_AT_ONCE = 100;
const PRICES_MAX = 500;
/** The platform takes so many actions in one request. */
const ACTIONS_MAX = 500;

/** The Standalone Prices of Products that have their prices there, as variants with prices for the preview. */
export async function readStandalonePrices(client: Client, kind: Kind | undefined, products: Document[]): Promise<Document[]> {
  const skus = products
    .filter((product) => product.priceMode === 'Standalone')
    .flatMap((product) => variantsOf(sideOf(product, STAGED)).map((variant) => textIn(variant.sku)))
    .filter((sku) => sku !== undefined);
  const found: Document[] = [];
  for (let at = 0; kind && at < skus.length; at += SKUS_AT_ONCE) {
    const where = `sku in (${skus
      .slice(at, at + SKUS_AT_ONCE)
      .map((sku) => JSON.stringify(sku))
      .join(', ')})`;
    for (let last: string | undefined = ''; last !== undefined;) {
      const page: Page = await client.request<Page>(kind.path, {
        query: { where: last ? `${where} and id > "${last}"` : where, sort: 'id asc', limit: PRICES_MAX, withTotal: false },
      });
      found.push(...page.results);
      last = page.results.length === PRICES_MAX ? page.results.at(-1)?.id : undefined;
    }
  }
  return found;
}

/** Products without those whose prices are elsewhere; their variants are what a change of prices is about. */
export const embeddedVariants = (products: Document[]): JsonObject[] =>
  products.filter((product) => product.priceMode !== 'Standalone').flatMap((product) => variantsOf(sideOf(product, STAGED)));

/** A Standalone Price as a variant with one price, for the preview. */
export const asVariant = (price: Document): JsonObject => ({ sku: price.sku!, prices: [price] });

/** The updates that a change of prices makes. With `atOnce` the published prices change too. */
export function priceUpdates(
  model: ModelIndex,
  kinds: { product: Kind; standalone?: Kind },
  products: Document[],
  standalone: Document[],
  change: PriceChange,
  atOnce: boolean,
): PriceUpdate[] {
  const ofProducts = products
    .filter((product) => product.priceMode !== 'Standalone')
    .map((product) => productUpdate(model, kinds.product, product, change, atOnce));
  const ofPrices = standalone
    .filter((price) => currencyOf(price) === change.currency && isObject(price.value))
    .map((price): PriceUpdate => {
      const value = (money: JsonObject): UpdateAction => ({
        action: 'changeValue',
        value: valueInput(money),
        ...(atOnce ? {} : { staged: true }),
      });
      const before = price.value as JsonObject;
      const after = raiseMoney(before, change.percent, change.rounding);
      const tiers = objectsOf(price.tiers);
      const setTiers = (all: JsonObject[]): UpdateAction[] =>
        atOnce && all.length > 0
          ? [{ action: 'setPriceTiers', tiers: all.map((tier) => ({ ...tier, value: valueInput(tier.value as JsonObject) })) }]
          : [];
      const raised = objectsOf(raisePrice(price, change.percent, change.rounding).tiers);
      return {
        kind: kinds.standalone!,
        document: price,
        name: textIn(price.sku) ?? price.id,
        actions: [value(after), ...setTiers(raised)],
        back: atOnce ? [value(before), ...setTiers(tiers)] : [{ action: 'removeStagedChanges' }],
      };
    });
  return [...ofProducts, ...ofPrices].filter((update) => update.actions.length > 0);
}

function productUpdate(model: ModelIndex, kind: Kind, product: Document, change: PriceChange, atOnce: boolean): PriceUpdate {
  const actions: UpdateAction[] = [];
  const back: UpdateAction[] = [];
  const published = new Set(
    variantsOf(sideOf(product, CURRENT)).flatMap((variant) => objectsOf(variant.prices).map((price) => price.id)),
  );
  for (const variant of variantsOf(sideOf(product, STAGED)))
    for (const price of objectsOf(variant.prices)) {
      if (currencyOf(price) !== change.currency) continue;
      // An action for the published side needs a price that is there.
      const staged: JsonObject = atOnce && published.has(price.id) ? { staged: false } : {};
      const to = (next: JsonObject): UpdateAction => ({
        action: 'changePrice',
        priceId: price.id!,
        price: priceInput(model, next),
        ...staged,
      });
      actions.push(to(raisePrice(price, change.percent, change.rounding)));
      back.push(to(price));
    }
  return { kind, document: product, name: textIn(product.key) ?? product.id, actions, back };
}

const valueInput = (money: JsonObject): JsonObject =>
  money.type === 'highPrecision'
    ? {
        type: 'highPrecision',
        currencyCode: money.currencyCode!,
        preciseAmount: money.preciseAmount!,
        fractionDigits: money.fractionDigits!,
      }
    : { currencyCode: money.currencyCode!, centAmount: money.centAmount! };

/** Sends the actions of one document, and returns the document after them. */
export async function sendUpdate(
  client: Client,
  update: PriceUpdate,
  actions: UpdateAction[],
  version: number,
): Promise<Document> {
  let document: Document = { ...update.document, version };
  for (let at = 0; at < actions.length; at += ACTIONS_MAX)
    document = await client.request<Document>(`${update.kind.path}/${update.document.id}`, {
      method: 'POST',
      body: { version: document.version, actions: actions.slice(at, at + ACTIONS_MAX) },
    });
  return document;
}
