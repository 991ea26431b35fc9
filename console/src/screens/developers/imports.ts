import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import type { JsonObject } from '../../model/types';

export const IMPORT = 'import';

export const STATES = [
  'rejected',
  'validationFailed',
  'partiallyImported',
  'unresolved',
  'waitForMasterVariant',
  'processing',
  'canceled',
  'imported',
] as const;
export type ImportState = (typeof STATES)[number];

export interface ImportContainer {
  key: string;
  version: number;
  resourceType?: string;
  createdAt: string;
  lastModifiedAt: string;
  expiresAt?: string;
}

export interface ImportSummary {
  states: Record<ImportState, number>;
  total: number;
}

export interface ImportOperation {
  id: string;
  resourceKey: string;
  state: ImportState;
  resourceVersion?: number;
  errors?: (JsonObject & { code?: string; message?: string })[];
  unresolvedReferences?: { key: string; typeId: string }[];
  lastModifiedAt: string;
}

interface ImportPage<T> {
  results: T[];
  total: number;
  count: number;
}

export const lookOf = (state: ImportState): 'success' | 'warning' | 'danger' | 'info' | 'neutral' =>
  state === 'imported'
    ? 'success'
    : state === 'rejected' || state === 'validationFailed' || state === 'partiallyImported'
      ? 'danger'
      : state === 'unresolved' || state === 'waitForMasterVariant'
        ? 'warning'
        : state === 'processing'
          ? 'info'
          : 'neutral';

const LIVE_MS = 3000;
export const CONTAINERS_MAX = 100;
const OPERATIONS_MAX = 200;

const containerPath = (key: string) => `import-containers/${encodeURIComponent(key)}`;

export function useContainers() {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery({
    queryKey: [client.project, 'imports', 'containers'],
    refetchInterval: live ? LIVE_MS : false,
    queryFn: ({ signal }) =>
      client
        .find<ImportPage<ImportContainer>>('import-containers', {
          service: IMPORT,
          signal,
          query: { limit: CONTAINERS_MAX, sort: 'lastModifiedAt desc' },
        })
        .then((page) => page ?? null),
  });
}

export const openCount = ({ states }: ImportSummary): number =>
  states.processing + states.unresolved + states.waitForMasterVariant;

/** Finished containers are read again after this time: a client may send more to them. */
const FINISHED_MS = 15_000;

type ReadSummary = ImportSummary & { readAt: number };

/** The progress of several containers, in one query that reads only those that may have changed. */
export function useSummaries(keys: string[]) {
  const client = useClient();
  const cache = useQueryClient();
  const { live } = usePreferences();
  const queryKey = [client.project, 'imports', 'summaries', keys];
  return useQuery<Record<string, ReadSummary>>({
    queryKey,
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      !live ? false : Object.values(state.data ?? {}).some((one) => openCount(one) > 0) ? LIVE_MS : FINISHED_MS,
    queryFn: async ({ signal }): Promise<Record<string, ReadSummary>> => {
      const before = cache.getQueryData<Record<string, ReadSummary>>(queryKey) ?? {};
      const now = Date.now();
      const read = async (key: string): Promise<[string, ReadSummary]> => {
        const known = before[key];
        if (known && openCount(known) === 0 && now - known.readAt < FINISHED_MS) return [key, known];
        const path = `${containerPath(key)}/import-summaries`;
        return [key, { ...(await client.request<ImportSummary>(path, { service: IMPORT, signal })), readAt: now }];
      };
      return Object.fromEntries(await Promise.all(keys.map(read)));
    },
  });
}

export function useSummary(key: string) {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery({
    queryKey: [client.project, 'imports', 'summary', key],
    refetchInterval: live ? LIVE_MS : false,
    queryFn: ({ signal }) => client.request<ImportSummary>(`${containerPath(key)}/import-summaries`, { service: IMPORT, signal }),
  });
}

export function useContainer(key: string) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'imports', 'container', key],
    queryFn: ({ signal }) => client.request<ImportContainer>(containerPath(key), { service: IMPORT, signal }),
  });
}

export function useOperations(key: string, state: ImportState | undefined) {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery({
    queryKey: [client.project, 'imports', 'operations', key, state],
    refetchInterval: live ? LIVE_MS : false,
    queryFn: ({ signal }) =>
      client.request<ImportPage<ImportOperation>>(`${containerPath(key)}/import-operations`, {
        service: IMPORT,
        signal,
        query: { limit: OPERATIONS_MAX, sort: 'lastModifiedAt desc', state, debug: true },
      }),
  });
}

/** The parts of addresses of import requests, by resource type, where they are not the plural. */
const PATHS: Record<string, string> = {
  category: 'categories',
  inventory: 'inventories',
  'order-patch': 'order-patches',
  'product-variant-patch': 'product-variant-patches',
};
export const importPath = (type: string): string => PATHS[type] ?? `${type}s`;
