import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/errors';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import type { Json } from '../../model/types';

/** A call of a Subscription's destination or of an Extension. */
export interface Delivery {
  id: string;
  kind: 'subscription' | 'extension';
  /** The Subscription or the Extension. */
  receiver?: { typeId: string; id: string };
  /** The resource of the message or of the call to the Extension. */
  resource?: { typeId: string; id: string };
  at: string;
  destination: string;
  status: 'delivered' | 'failed';
  /** Of the response; absent: there was none. */
  httpStatus?: number;
  durationMs?: number;
  attempts?: number;
  error?: string;
  requestBody?: Json;
  responseBody?: Json;
}

/** A request that the server has handled. */
export interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  clientId?: string;
  operator?: string;
  correlationId?: string;
  reason?: string;
}

const LIVE_MS = 5000;
export const LOG_MAX = 500;

/** Reads a log of the server. `null`: this server keeps none. */
function useLog<T>(path: string, query: Record<string, string | number | undefined>) {
  const client = useClient();
  const { live } = usePreferences();
  return useQuery<T[] | null>({
    placeholderData: keepPreviousData,
    queryKey: [client.project, 'log', path, query],
    refetchInterval: (state) => (live && state.state.data !== null ? LIVE_MS : false),
    queryFn: async ({ signal }): Promise<T[] | null> => {
      try {
        return (await client.request<{ results: T[] }>(path, { query, signal })).results;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export interface Receiver {
  kind: 'subscription' | 'extension';
  id: string;
}

export const useDeliveries = (receiver: Receiver | undefined, limit = LOG_MAX, onlyFailed = false) =>
  useLog<Delivery>('kontor/deliveries', {
    limit,
    status: onlyFailed ? 'failed' : undefined,
    ...(receiver ? { [receiver.kind]: receiver.id } : {}),
  });

export const useRequests = (filter: { status?: string; client?: string; path?: string }) =>
  useLog<LoggedRequest>('kontor/requests', { limit: LOG_MAX, ...filter });

export const hasFailed = (delivery: Delivery): boolean => delivery.status === 'failed' || delivery.error !== undefined;

/** A body as people read it: JSON in lines. */
export function bodyText(body: Json | undefined): string | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  if (typeof body !== 'string') return JSON.stringify(body, null, 2);
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // It is another format, or was cut.
  }
}
