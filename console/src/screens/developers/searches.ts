import type { Json, JsonObject, UpdateAction } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';

export type SearchId = 'products' | 'projections' | 'orders' | 'customers' | 'companies';

export interface SearchDefinition {
  id: SearchId;
  /** The name in the settings of the project. */
  setting: string;
  /** The names of its indexes in the status of the server. */
  indexes: string[];
  path: string;
  /** Searches by parameters are GET requests. */
  byParameters?: boolean;
  /** The path at which the API reports the progress of the index; absent for searches of storefronts. */
  statusPath?: string;
  kind: string;
  /** Any of these scopes. */
  scopes: string[];
  toggle: (on: boolean) => UpdateAction;
  examples: { id: 'words' | 'filter' | 'facets' | 'sorted' | 'all'; body: JsonObject }[];
}

const status = (action: string) => (on: boolean) => ({ action, status: on ? 'Activated' : 'Deactivated' });
const fullText = (value: string): JsonObject => ({ fullText: { field: 'all', value } });

export const SEARCHES: SearchDefinition[] = [
  {
    id: 'products',
    setting: 'productsSearch',
    indexes: ['products'],
    path: 'products/search',
    kind: 'Product',
    scopes: ['view_products', 'manage_products', 'view_published_products'],
    toggle: (on) => ({ action: 'changeProductSearchIndexingEnabled', enabled: on, mode: 'ProductsSearch' }),
    examples: [
      { id: 'words', body: { query: { fullText: { field: 'name', language: 'en', value: 'table' } }, limit: 10 } },
      {
        id: 'filter',
        body: {
          query: { range: { field: 'variants.prices.centAmount', fieldType: 'long', gte: 10000, lt: 50000 } },
          sort: [{ field: 'name', language: 'en', order: 'asc' }],
          limit: 10,
        },
      },
      {
        id: 'facets',
        body: {
          limit: 5,
          facets: [
            { distinct: { name: 'categories', field: 'categories', limit: 20 } },
            {
              ranges: {
                name: 'price',
                field: 'variants.prices.centAmount',
                fieldType: 'long',
                ranges: [{ to: 10000 }, { from: 10000, to: 50000 }, { from: 50000 }],
              },
            },
          ],
        },
      },
    ],
  },
  {
    id: 'projections',
    setting: 'products',
    indexes: ['product-projections', 'product-projections-staged'],
    path: 'product-projections/search',
    byParameters: true,
    kind: 'Product',
    scopes: ['view_products', 'manage_products', 'view_published_products'],
    toggle: (on) => ({ action: 'changeProductSearchIndexingEnabled', enabled: on, mode: 'ProductProjectionsSearch' }),
    examples: [
      { id: 'words', body: { 'text.en': 'table', limit: 10 } },
      {
        id: 'filter',
        body: { 'filter.query': ['variants.price.centAmount:range (10000 to 50000)'], sort: 'name.en asc', limit: 10 },
      },
      {
        id: 'facets',
        body: { facet: ['categories.id', 'variants.price.centAmount:range (0 to 10000), (10000 to 50000)'], limit: 5 },
      },
    ],
  },
  {
    id: 'orders',
    setting: 'orders',
    indexes: ['orders'],
    path: 'orders/search',
    statusPath: 'orders/search/indexing-status',
    kind: 'Order',
    scopes: ['view_orders', 'manage_orders'],
    toggle: status('changeOrderSearchStatus'),
    examples: [
      { id: 'words', body: { query: fullText('ada'), limit: 10 } },
      {
        id: 'filter',
        body: {
          query: { filter: [{ exact: { field: 'orderState', value: 'Open' } }] },
          sort: [{ field: 'createdAt', order: 'desc' }],
          limit: 10,
        },
      },
      {
        id: 'sorted',
        body: {
          query: { exists: { field: 'orderNumber' } },
          sort: [{ field: 'totalPrice.centAmount', order: 'desc' }],
          limit: 10,
        },
      },
    ],
  },
  {
    id: 'customers',
    setting: 'customers',
    indexes: ['customers'],
    path: 'customers/search',
    statusPath: 'customers/search/indexing-status',
    kind: 'Customer',
    scopes: ['view_customers', 'manage_customers'],
    toggle: status('changeCustomerSearchStatus'),
    examples: [
      { id: 'words', body: { query: fullText('ada'), limit: 10 } },
      { id: 'filter', body: { query: { prefix: { field: 'email', value: 'a' } }, limit: 10 } },
      { id: 'sorted', body: { query: { exists: { field: 'email' } }, sort: [{ field: 'createdAt', order: 'desc' }], limit: 10 } },
    ],
  },
  {
    id: 'companies',
    setting: 'businessUnits',
    indexes: ['business-units'],
    path: 'business-units/search',
    statusPath: 'business-units/search/indexing-status',
    kind: 'BusinessUnit',
    scopes: ['view_business_units', 'manage_business_units'],
    toggle: status('changeBusinessUnitSearchStatus'),
    examples: [
      { id: 'words', body: { query: fullText('gmbh'), limit: 10 } },
      { id: 'filter', body: { query: { exact: { field: 'status', value: 'Active' } }, limit: 10 } },
    ],
  },
];

/** The status in the settings: `Activated`, `Indexing` or `Deactivated`. */
export function settingOf(project: JsonObject, search: SearchDefinition): { status: string; since?: string } {
  const all = isObject(project.searchIndexing) ? project.searchIndexing : {};
  const one = all[search.setting];
  return isObject(one)
    ? {
        status: typeof one.status === 'string' ? one.status : 'Deactivated',
        since: typeof one.lastModifiedAt === 'string' ? one.lastModifiedAt : undefined,
      }
    : { status: 'Deactivated' };
}

interface Hit {
  id: string;
  relevance?: number;
  version?: number;
}

export interface Facet {
  name: string;
  entries: { key: string; count: number }[];
}

export interface Found {
  total?: number;
  hits: Hit[];
  facets: Facet[];
  response: JsonObject;
  durationMs: number;
}

const numberOf = (value: Json | undefined) => (typeof value === 'number' ? value : undefined);

/** Reads hits and facets, which each search writes in its own way. */
export function readFound(response: JsonObject, durationMs: number): Found {
  const results = response.hits ?? response.results;
  return {
    total: numberOf(response.total),
    hits: objectsOf(results).map((one) => ({
      id: String(one.id),
      relevance: numberOf(one.relevance),
      version: numberOf(one.version),
    })),
    facets: Array.isArray(response.facets)
      ? objectsOf(response.facets).map((one) => ({ name: String(one.name), entries: entriesOf(one) }))
      : isObject(response.facets)
        ? Object.entries(response.facets).map(([name, one]) => ({ name, entries: isObject(one) ? entriesOf(one) : [] }))
        : [],
    response,
    durationMs,
  };
}

function entriesOf(facet: JsonObject): Facet['entries'] {
  if (Array.isArray(facet.buckets))
    return objectsOf(facet.buckets).map((one) => ({ key: String(one.key), count: numberOf(one.count) ?? 0 }));
  if (Array.isArray(facet.terms))
    return objectsOf(facet.terms).map((one) => ({ key: String(one.term), count: numberOf(one.count) ?? 0 }));
  if (Array.isArray(facet.ranges))
    return objectsOf(facet.ranges).map((one) => ({
      key: `${one.fromStr || '*'} – ${one.toStr || '*'}`,
      count: numberOf(one.count) ?? 0,
    }));
  const count = numberOf(facet.count) ?? numberOf(facet.value);
  return count === undefined ? [] : [{ key: '', count }];
}
