import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../api/project';
import type { Document, JsonObject, Kind, UpdateAction } from '../../model/types';
import { itemsOf } from './documents';

export interface NewItem {
  sku: string;
  quantity: number;
}

/** The staged actions that turn the quantities of an Order into others, and add SKUs. */
export function stagedActions(
  order: JsonObject,
  quantities: ReadonlyMap<string, number>,
  added: NewItem[],
  code: string,
): UpdateAction[] {
  const changes = itemsOf(order).flatMap((item): UpdateAction[] => {
    const quantity = quantities.get(item.id) ?? item.quantity;
    if (quantity === item.quantity) return [];
    return [
      item.isCustom
        ? { action: 'changeCustomLineItemQuantity', customLineItemId: item.id, quantity }
        : { action: 'changeLineItemQuantity', lineItemId: item.id, quantity },
    ];
  });
  return [
    ...changes,
    ...added.map(({ sku, quantity }) => ({ action: 'addLineItem', sku, quantity })),
    ...(code.trim() ? [{ action: 'addDiscountCode', code: code.trim() }] : []),
  ];
}

const PAUSE_MS = 350;

/** A value that follows another one after a pause in its changes. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
    // eslint-disable-next-line -- the text says whether the value changed
  }, [text]);
  return settled;
}

/** What the actions would do, by an Order Edit that is not stored. */
export function useDryRun(kind: Kind, order: Document, actions: UpdateAction[]) {
  const client = useClient();
  const settled = useSettled(actions);
  const query = useQuery({
    queryKey: [client.project, kind.name, 'dry run', order.id, order.version, settled],
    enabled: settled.length > 0,
    staleTime: 10_000,
    queryFn: ({ signal }) =>
      client.request<Document>(kind.path, {
        method: 'POST',
        service: kind.service,
        signal,
        body: { resource: { typeId: 'order', id: order.id }, stagedActions: settled, dryRun: true },
      }),
  });
  const isSettled = JSON.stringify(settled) === JSON.stringify(actions);
  return { ...query, isCurrent: isSettled && !query.isFetching };
}

/** Applies an Order Edit to its Order. */
export function useApply(kind: Kind, orderKind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  return async (edit: Document, order: { version: number }): Promise<Document> => {
    const applied = await client.request<Document>(`${kind.path}/${encodeURIComponent(edit.id)}/apply`, {
      method: 'POST',
      service: kind.service,
      body: { editVersion: edit.version, resourceVersion: order.version },
    });
    await Promise.all([
      cache.invalidateQueries({ queryKey: [client.project, kind.name] }),
      cache.invalidateQueries({ queryKey: [client.project, orderKind.name] }),
      cache.invalidateQueries({ queryKey: [client.project, 'timeline'] }),
    ]);
    return applied;
  };
}
