import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usePreferences } from '../app/preferences';
import { may } from '../model/model';
import type { Document, JsonObject, Kind, UpdateAction } from '../model/types';
import { onReturn } from './connection';
import { ApiError } from './errors';
import { useClient, useModel, useProject } from './project';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { networkMode: 'always', retry: false, staleTime: 2000, refetchOnWindowFocus: true },
    mutations: { networkMode: 'always', retry: false },
  },
});
onReturn(() => void queryClient.invalidateQueries());

/** The interval at which an open list checks for changes. */
const LIVE_MS = 5000;

export interface ListParameters {
  where?: string;
  sort?: string[];
  limit?: number;
  offset?: number;
  expand?: string[];
  withTotal?: boolean;
}

export interface Page {
  results: Document[];
  total?: number;
  count: number;
  offset: number;
}

/** A kind and what the operator may do with it. */
export function useKind(nameOrSegment: string): { kind: Kind | undefined; mayView: boolean; mayManage: boolean } {
  const model = useModel();
  const { scopes } = useProject();
  const kind = model.kind(nameOrSegment) ?? model.kindOfSegment(nameOrSegment);
  return { kind, mayView: !!kind && may.view(kind, scopes), mayManage: !!kind && may.manage(kind, scopes) };
}

/** A page of documents. The previous page stays until the next one is there. */
export function useList(
  kind: Kind,
  parameters: ListParameters,
  options: { enabled?: boolean; live?: boolean } = {},
): UseQueryResult<Page> {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery({
    queryKey: [client.project, kind.name, 'list', parameters],
    queryFn: ({ signal }) =>
      client.request<Page>(kind.path, { service: kind.service, signal, query: { withTotal: true, ...parameters } }),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    refetchInterval: live && options.live ? LIVE_MS : false,
  });
}

/** The path of a document's own address, or `undefined` if only a query finds it. */
export function documentPath(kind: Kind, document: { id: string } & Partial<JsonObject>): string | undefined {
  if (kind.singleton) return kind.path;
  if (!kind.operations.includes('get')) return undefined;
  if (document.id.startsWith('key=')) return `${kind.path}/key=${encodeURIComponent(document.id.slice(4))}`;
  if (!kind.address) return `${kind.path}/${encodeURIComponent(document.id)}`;
  const parts = kind.address.map((name) => document[name]);
  return parts.every((part) => typeof part === 'string')
    ? `${kind.path}/${parts.map((part) => encodeURIComponent(String(part))).join('/')}`
    : undefined;
}

export const documentKey = (project: string, kind: Kind, id: string, expand: string[] = []) => [
  project,
  kind.name,
  'document',
  id,
  expand,
];

/** One document by its id. */
export function useDocument(
  kind: Kind | undefined,
  id: string | undefined,
  options: { expand?: string[]; enabled?: boolean; live?: boolean } = {},
) {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery({
    queryKey: kind && id !== undefined ? documentKey(client.project, kind, id, options.expand) : ['nothing'],
    enabled: (options.enabled ?? true) && !!kind && id !== undefined,
    refetchInterval: live && options.live ? LIVE_MS : false,
    queryFn: async ({ signal }) => {
      if (!kind || id === undefined) throw new Error('no document');
      const path = documentPath(kind, { id });
      const query = { expand: options.expand };
      if (path !== undefined) return client.request<Document>(path, { service: kind.service, signal, query });
      const page = await client.request<Page>(kind.path, {
        service: kind.service,
        signal,
        query: { ...query, where: `id = ${JSON.stringify(id)}`, limit: 1 },
      });
      const found = page.results[0];
      if (!found) throw new ApiError(404, `There is no ${kind.name} with the id ${id}.`);
      return found;
    },
  });
}

/** Sends update actions, and shows the new document and fresh lists. */
export function useUpdate(kind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (change: { document: Document; actions: UpdateAction[]; version?: number }) => {
      const path = documentPath(kind, change.document);
      if (path === undefined) throw new Error(`${kind.name} has no address for updates`);
      const body = { version: change.version ?? change.document.version, actions: change.actions };
      return client.request<Document>(path, { method: 'POST', service: kind.service, body });
    },
    onSuccess: (document) => remember(cache, client.project, kind, document),
  });
}

export function useCreate(kind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (draft: JsonObject) => {
      const answer = await client.request<JsonObject>(kind.path, { method: 'POST', service: kind.service, body: draft });
      const inner = answer[kind.name.charAt(0).toLowerCase() + kind.name.slice(1)];
      return (answer.id === undefined && inner ? inner : answer) as Document;
    },
    // A secret is only in the response of the creation. It stays out of the cache.
    onSuccess: ({ secret: _, ...document }) => remember(cache, client.project, kind, document as Document),
  });
}

export function useRemove(kind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (document: Document) => {
      const path = documentPath(kind, document);
      if (path === undefined) throw new Error(`${kind.name} has no address for deletions`);
      return client.request<Document>(path, { method: 'DELETE', service: kind.service, query: { version: document.version } });
    },
    onSuccess: (document) => {
      cache.removeQueries({ queryKey: [client.project, kind.name, 'document', document.id] });
      return cache.invalidateQueries({ queryKey: [client.project, kind.name, 'list'] });
    },
  });
}

function remember(cache: QueryClient, project: string, kind: Kind, document: Document) {
  cache.setQueryData(documentKey(project, kind, kind.singleton ? '' : document.id), document);
  void cache.invalidateQueries({ queryKey: [project, kind.name] });
  void cache.invalidateQueries({ queryKey: [project, 'timeline', document.id] });
}

/** The settings of the project: languages, currencies, countries. */
export function useProjectSettings(): { languages: string[]; currencies: string[]; countries: string[] } {
  const model = useModel();
  const { data } = useDocument(
    useMemo(() => model.kinds.find((kind) => kind.singleton), [model]),
    '',
  );
  return useMemo(
    () => ({
      languages: stringsOf(data?.languages, ['en']),
      currencies: stringsOf(data?.currencies, ['EUR']),
      countries: stringsOf(data?.countries, []),
    }),
    [data],
  );
}

const stringsOf = (value: unknown, fallback: string[]): string[] =>
  Array.isArray(value) && value.length > 0 ? value.map(String) : fallback;
