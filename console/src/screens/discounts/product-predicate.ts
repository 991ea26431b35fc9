import type { Client } from '../../api/client';
import type { Page } from '../../api/hooks';
import type { Condition } from './conditions';

/** Categories below a condition's are looked for up to this number. */
const CATEGORIES_MAX = 500;

const listOf = (values: string[]) => `(${values.map((value) => JSON.stringify(value)).join(', ')})`;
/** In the master variant or another one. */
const inVariants = (clause: string) => `(masterVariant(${clause}) or variants(${clause}))`;

/** The ids of documents that a condition names, and of Categories also those below. */
async function idsOf(client: Client, path: string, { by = 'id', values }: Condition, signal: AbortSignal): Promise<string[]> {
  const read = async (where: string) =>
    (await client.request<Page>(path, { signal, query: { where, limit: CATEGORIES_MAX, withTotal: false } })).results.map(
      ({ id }) => id,
    );
  const ids = await read(`${by} in ${listOf(values)}`);
  if (path !== 'categories' || ids.length === 0) return ids;
  return [...ids, ...(await read(`ancestors(id in ${listOf(ids)})`))];
}

async function clauseOf(client: Client, condition: Condition, signal: AbortSignal): Promise<string | undefined> {
  switch (condition.type) {
    case 'sku':
      return inVariants(`sku in ${listOf(condition.values)}`);
    case 'country':
      return inVariants(`prices(country in ${listOf(condition.values)})`);
    case 'currency':
      return inVariants(`prices(value(currencyCode in ${listOf(condition.values)}))`);
    case 'category': {
      const ids = await idsOf(client, 'categories', condition, signal);
      return ids.length > 0 ? `categories(id in ${listOf(ids)})` : undefined;
    }
    case 'productType': {
      const ids = await idsOf(client, 'product-types', condition, signal);
      return ids.length > 0 ? `productType(id in ${listOf(ids)})` : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * A predicate of the product query for the conditions of a Product Discount; `undefined` if one of them has no counterpart there. An empty text
 * means all products.
 */
export async function productPredicate(
  client: Client,
  conditions: Condition[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const clauses = await Promise.all(conditions.map((condition) => clauseOf(client, condition, signal)));
  return clauses.every((clause) => clause !== undefined) ? clauses.join(' and ') : undefined;
}
