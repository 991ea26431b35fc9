import type { Client } from '../api/client';
import { ApiError } from '../api/errors';
import type { Page } from '../api/hooks';
import type { ModelIndex } from '../model/model';
import type { Document, Kind, SearchField } from '../model/types';
import { screensOf } from './areas';
import { lookupPredicate } from './find';

/** A text to find, in a page of documents that match a predicate. */
export interface TextQuery {
  text: string;
  where: string;
  sort: string;
  page: number;
  limit: number;
}

/** A search request for a text: full text in text fields, beginnings and exact values in others. */
function searchQuery(fields: SearchField[], text: string, languages: string[]): unknown {
  const clauses: unknown[] = [];
  for (const field of fields) {
    const each = field.language ? languages.map((language) => ({ language })) : [{}];
    for (const extra of each) {
      if (field.fieldType === 'text') clauses.push({ fullText: { field: field.name, value: text, ...extra } });
      else clauses.push({ prefix: { field: field.name, value: text, caseInsensitive: true, ...extra } });
    }
  }
  return clauses.length === 1 ? clauses[0] : { or: clauses };
}

interface SearchAnswer {
  total: number;
  results?: { id: string }[];
  hits?: { id: string }[];
}

/** Both predicates. */
const both = (a: string | undefined, b: string | undefined) => (a && b ? `(${a}) and (${b})` : (a ?? b));

async function readSearch(
  client: Client,
  kind: Kind,
  fields: SearchField[],
  state: TextQuery,
  languages: string[],
  signal: AbortSignal,
): Promise<Page> {
  const offset = state.page * state.limit;
  const body = { query: searchQuery(fields, state.text, languages), limit: Math.min(state.limit, SEARCH_LIMIT_MAX), offset };
  const answer = await client.request<SearchAnswer>(kind.search!.path, { method: 'POST', service: kind.service, signal, body });
  const ids = (answer.results ?? answer.hits ?? []).map((hit) => hit.id);
  if (ids.length === 0) return { results: [], count: 0, offset, total: answer.total };
  const where = both(`id in (${ids.map((id) => JSON.stringify(id)).join(', ')})`, state.where || undefined);
  const page = await client.request<Page>(kind.path, {
    service: kind.service,
    signal,
    query: { where, limit: ids.length, withTotal: false },
  });
  const byId = new Map(page.results.map((document) => [document.id, document]));
  return {
    results: ids.map((id) => byId.get(id)).filter((document) => document !== undefined),
    count: ids.length,
    offset,
    total: answer.total,
  };
}

const SEARCH_LIMIT_MAX = 100;

/** Whether a search is switched off, or its index is not built yet. */
const isNotReady = (error: unknown) => error instanceof ApiError && (error.code === 'SearchNotReady' || error.status === 404);

/** The fields in which the search of a kind looks. */
export const searchFields = (kind: Kind): SearchField[] =>
  kind.search ? (kind.search.fields ?? screensOf(kind).searchFields ?? []) : [];

/** Whether documents of the kind can be found by a text: by its search, or by exact names. */
export const hasTextSearch = (model: ModelIndex, kind: Kind): boolean =>
  searchFields(kind).length > 0 || lookupPredicate(model, kind, 'x', ['en']) !== undefined;

/** Documents that a text finds: by the search of the kind; without one, or if it is not ready, by exact names. */
export async function readFound(
  client: Client,
  model: ModelIndex,
  kind: Kind,
  state: TextQuery,
  languages: string[],
  signal: AbortSignal,
): Promise<Page> {
  const fields = searchFields(kind);
  if (fields.length > 0) {
    try {
      return await readSearch(client, kind, fields, state, languages, signal);
    } catch (error) {
      if (!isNotReady(error)) throw error;
    }
  }
  const where = both(lookupPredicate(model, kind, state.text.trim(), languages), state.where || undefined);
  return client.request<Page>(kind.path, {
    service: kind.service,
    signal,
    query: { where, sort: state.sort || undefined, limit: state.limit, offset: state.page * state.limit, withTotal: true },
  });
}

/** The first documents that a text finds, for pickers. */
export async function findByText(
  client: Client,
  model: ModelIndex,
  kind: Kind,
  text: string,
  languages: string[],
  signal: AbortSignal,
): Promise<Document[]> {
  return (await readFound(client, model, kind, { text, where: '', sort: '', page: 0, limit: 20 }, languages, signal)).results;
}
