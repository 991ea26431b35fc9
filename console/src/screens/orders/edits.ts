import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreate, useRemove, useUpdate } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, JsonObject, Kind, UpdateAction } from '../../model/types';
import { notifyError } from '../../ui/Feedback';
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

/**
 * Stores staged actions as an Order Edit, for which the API returns a preview of the Order. Later calls change the same edit, and
 * `discard` deletes it.
 */
export function useStoredEdit(kind: Kind, order: Document) {
  const create = useCreate(kind);
  const update = useUpdate(kind);
  const remove = useRemove(kind);
  const [stored, setStored] = useState<Document>();
  const store = async (stagedActions: UpdateAction[], comment: string): Promise<Document> => {
    const draft = { resource: { typeId: 'order', id: order.id }, stagedActions, ...(comment ? { comment } : {}) };
    const changes: UpdateAction[] = [
      { action: 'setStagedActions', stagedActions },
      { action: 'setComment', ...(comment ? { comment } : {}) },
    ];
    const edit = stored ? await update.mutateAsync({ document: stored, actions: changes }) : await create.mutateAsync(draft);
    setStored(edit);
    return edit;
  };
  const discard = () => {
    if (stored) remove.mutateAsync(stored).catch(notifyError);
  };
  return { stored, store, discard, isStoring: create.isPending || update.isPending };
}

/** Applies an Order Edit to its Order. */
export function useApply(kind: Kind, orderKind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  return (edit: Document, order: { version: number }): Promise<Document> => {
    const send = client.request<Document>(`${kind.path}/${encodeURIComponent(edit.id)}/apply`, {
      method: 'POST',
      service: kind.service,
      body: { editVersion: edit.version, resourceVersion: order.version },
    });
    // Also after a failure: perhaps the Order has another version by now.
    return send.finally(() =>
      Promise.all([
        cache.invalidateQueries({ queryKey: [client.project, kind.name] }),
        cache.invalidateQueries({ queryKey: [client.project, orderKind.name] }),
        cache.invalidateQueries({ queryKey: [client.project, 'timeline'] }),
      ]),
    );
  };
}
