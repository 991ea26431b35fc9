import { useQuery } from '@tanstack/react-query';
import type { Document, Kind } from '../model/types';
import type { Client } from './client';
import type { Page } from './hooks';
import { useProject } from './project';

interface Waiting {
  name: string;
  resolve: (document: Document | null) => void;
  reject: (error: unknown) => void;
}

/** References that are looked up together: those of one list, with one request for each kind. */
const BATCH_MAX = 100;
const batches = new Map<string, Waiting[]>();

function load(client: Client, kind: Kind, by: string, name: string): Promise<Document | null> {
  const id = `${client.project} ${kind.name} ${by}`;
  return new Promise((resolve, reject) => {
    const batch = batches.get(id);
    if (batch) batch.push({ name, resolve, reject });
    else {
      batches.set(id, [{ name, resolve, reject }]);
      setTimeout(() => void flush(client, kind, by, id), 5);
    }
  });
}

async function flush(client: Client, kind: Kind, by: string, id: string): Promise<void> {
  const all = batches.get(id) ?? [];
  batches.delete(id);
  for (let at = 0; at < all.length; at += BATCH_MAX) {
    const batch = all.slice(at, at + BATCH_MAX);
    const names = [...new Set(batch.map((one) => one.name))];
    try {
      const where = `${by} in (${names.map((name) => JSON.stringify(name)).join(', ')})`;
      const page = await client.request<Page>(kind.path, {
        service: kind.service,
        query: { where, limit: names.length, withTotal: false },
      });
      const found = new Map(page.results.map((document) => [String(document[by]), document]));
      for (const one of batch) one.resolve(found.get(one.name) ?? null);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }
}

/** The target of a reference; `null` if there is none. */
export function useTarget(kind: Kind | undefined, by: { id?: string; key?: string }, enabled = true) {
  const { client } = useProject();
  const name = by.id ?? by.key;
  const field = by.id !== undefined ? 'id' : (kind?.keyField ?? 'key');
  return useQuery({
    queryKey: [client.project, kind?.name, 'target', field, name],
    enabled: enabled && !!kind && name !== undefined && kind.operations.includes('query'),
    staleTime: 30_000,
    queryFn: () => load(client, kind!, field, name!),
  });
}
