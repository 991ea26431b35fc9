import type { Client } from '../../api/client';
import type { Document, JsonObject } from '../../model/types';

/** Names an entry: an SKU and the id of a Channel, which is empty for stock without one. */
export const stockKey = (sku: string, channel: string) => `${sku}\n${channel}`;

/** A changed amount, and the request that makes it. */
export interface StockChange {
  sku: string;
  channel: string;
  before: number | undefined;
  after: number;
  path: string;
  body: JsonObject;
}

/** The changes of amounts that are not as stored: entries that are there are changed, others are created. */
export function changesOf(edited: ReadonlyMap<string, number>, entries: ReadonlyMap<string, Document>): StockChange[] {
  return [...edited].flatMap(([key, after]): StockChange[] => {
    const [sku = '', channel = ''] = key.split('\n');
    const entry = entries.get(key);
    const before = typeof entry?.quantityOnStock === 'number' ? entry.quantityOnStock : undefined;
    if (before === after) return [];
    const change = { sku, channel, before, after };
    if (entry)
      return [
        {
          ...change,
          path: `inventory/${entry.id}`,
          body: { version: entry.version, actions: [{ action: 'changeQuantity', quantity: after }] },
        },
      ];
    const reference: JsonObject = channel ? { supplyChannel: { typeId: 'channel', id: channel } } : {};
    return [{ ...change, path: 'inventory', body: { sku, quantityOnStock: after, ...reference } }];
  });
}

export const sendChange = (client: Client, change: StockChange): Promise<Document> =>
  client.request<Document>(change.path, { method: 'POST', body: change.body });
