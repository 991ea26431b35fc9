import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../api/client';
import { useList, type Page } from '../api/hooks';
import { useClient } from '../api/project';
import { usePreferences } from '../app/preferences';
import type { Document, Kind, Search } from '../model/types';
import type { ListState } from './list-state';

/** The API refuses a larger offset. */
export const OFFSET_MAX = 10_000;
const LIVE_MS = 5000;

/** A search request for a text: full text in text fields, beginnings and exact values in others. */
function searchQuery(search: Search, text: string, languages: string[]): unknown {
  const clauses: unknown[] = [];
  for (const field of search.fields ?? []) {
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

async function readFound(client: Client, kind: Kind, search: Search, state: ListState, languages: string[], signal: AbortSignal): Promise<Page> {
  const offset = state.page * state.limit;
  const answer = await client.request<SearchAnswer>(search.path, { method: 'POST', service: kind.service, signal, body: { query: searchQuery(search, state.text, languages), limit: Math.min(state.limit, 100), offset } });
  const ids = (answer.results ?? answer.hits ?? []).map((hit) => hit.id);
  if (ids.length === 0) return { results: [], count: 0, offset, total: answer.total };
  const where = [`id in (${ids.map((id) => JSON.stringify(id)).join(', ')})`, ...(state.where ? [`(${state.where})`] : [])].join(' and ');
  const page = await client.request<Page>(kind.path, { service: kind.service, signal, query: { where, limit: ids.length, withTotal: false } });
  const byId = new Map(page.results.map((document) => [document.id, document]));
  return { results: ids.map((id) => byId.get(id)).filter((document) => document !== undefined), count: ids.length, offset, total: answer.total };
}

/** Whether the kind can be searched by text. */
export const hasTextSearch = (kind: Kind): kind is Kind & { search: Search } => (kind.search?.fields?.length ?? 0) > 0;

/** The page of a list: by query, or by search if there is a text. */
export function useListPage(kind: Kind, state: ListState, languages: string[]) {
  const client = useClient();
  const { live } = usePreferences();
  const bySearch = hasTextSearch(kind) && state.text.trim() !== '';
  const listed = useList(
    kind, { where: state.where || undefined, sort: state.sort ? [state.sort] : undefined, limit: state.limit, offset: state.page * state.limit }, { enabled: !bySearch, live: true },
  );
  const found = useQuery({
    queryKey: [client.project, kind.name, 'list', 'search', state, languages],
    enabled: bySearch,
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_MS : false,
    queryFn: ({ signal }) => readFound(client, kind, kind.search!, state, languages, signal),
  });
  return bySearch ? found : listed;
}

/** How many documents match a predicate. */
export function useCount(kind: Kind, where: string, enabled: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, kind.name, 'count', where],
    enabled,
    queryFn: async ({ signal }) => (await client.request<Page>(kind.path, { service: kind.service, signal, query: { where: where || undefined, limit: 0, withTotal: true } })).total ?? 0,
  });
}

const EXPORT_PAGE = 500;

/** Reads all documents of a list, page by page, ordered by id. */
export async function* readAll(client: Client, kind: Kind, where: string): AsyncGenerator<{ documents: Document[]; total: number }> {
  let last: string | undefined;
  let total: number | undefined;
  for (;;) {
    const clauses = [...(where ? [`(${where})`] : []), ...(last ? [`id > ${JSON.stringify(last)}`] : [])];
    const page: Page = await client.request<Page>(kind.path, {
      service: kind.service, query: { where: clauses.join(' and ') || undefined, sort: 'id asc', limit: EXPORT_PAGE, withTotal: total === undefined },
    });
    total ??= page.total ?? page.results.length;
    if (page.results.length > 0) yield { documents: page.results, total };
    if (page.results.length < EXPORT_PAGE) return;
    last = page.results.at(-1)?.id;
  }
}
