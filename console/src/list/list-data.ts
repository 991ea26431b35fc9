import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../api/client';
import { useList, type Page } from '../api/hooks';
import { useClient, useModel } from '../api/project';
import { hasTextSearch, readFound } from '../app/text-search';
import { usePreferences } from '../app/preferences';
import type { Document, Kind } from '../model/types';
import type { ListState } from './list-state';

/** The API refuses a larger offset. */
export const OFFSET_MAX = 10_000;
const LIVE_MS = 5000;
/** Longer lists do not follow changes by themselves. */
const LIVE_ROWS_MAX = 100;

/** The page of a list: by query, or by search if there is a text. */
export function useListPage(kind: Kind, state: ListState, languages: string[]) {
  const client = useClient();
  const { live } = usePreferences();
  const model = useModel();
  const bySearch = state.text.trim() !== '' && hasTextSearch(model, kind);
  const listed = useList(
    kind,
    {
      where: state.where || undefined,
      sort: state.sort ? [state.sort] : undefined,
      limit: state.limit,
      offset: state.page * state.limit,
    },
    { enabled: !bySearch, live: state.limit <= LIVE_ROWS_MAX },
  );
  const found = useQuery({
    queryKey: [client.project, kind.name, 'list', 'search', state, languages],
    enabled: bySearch,
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_MS : false,
    queryFn: ({ signal }) => readFound(client, model, kind, state, languages, signal),
  });
  return bySearch ? found : listed;
}

/** Requests the number of documents that match a predicate. */
export function useCount(kind: Kind, where: string, enabled: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, kind.name, 'count', where],
    enabled,
    queryFn: async ({ signal }) =>
      (
        await client.request<Page>(kind.path, {
          service: kind.service,
          signal,
          query: { where: where || undefined, limit: 0, withTotal: true },
        })
      ).total ?? 0,
  });
}

const EXPORT_PAGE = 500;

/** Reads all documents of a list, page by page, ordered by id. */
export async function* readAll(
  client: Client,
  kind: Kind,
  where: string,
): AsyncGenerator<{ documents: Document[]; total: number }> {
  let last: string | undefined;
  let total: number | undefined;
  for (;;) {
    const clauses = [...(where ? [`(${where})`] : []), ...(last ? [`id > ${JSON.stringify(last)}`] : [])];
    const page: Page = await client.request<Page>(kind.path, {
      service: kind.service,
      query: { where: clauses.join(' and ') || undefined, sort: 'id asc', limit: EXPORT_PAGE, withTotal: total === undefined },
    });
    total ??= page.total ?? page.results.length;
    if (page.results.length > 0) yield { documents: page.results, total };
    if (page.results.length < EXPORT_PAGE) return;
    last = page.results.at(-1)?.id;
  }
}
