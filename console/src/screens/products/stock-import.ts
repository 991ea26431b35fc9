import type { Client } from '../../api/client';
import { readBy } from '../../api/read-by';
import type { Document, JsonObject, UpdateAction } from '../../model/types';
import { isObject } from '../../model/values';
import type { CsvColumn, CsvRow } from './csv-file';
import type { ImportKind } from './CsvImport';
import type { useImportTexts } from './import-texts';
import { textIn } from './variants';

type Texts = ReturnType<typeof useImportTexts>;

export const wholeNumber = (t: Texts) => (text: string) => (/^-?\d{1,15}$/.test(text) ? undefined : t('notWhole', { text }));
/** A date, or a time on it: `2027-03-31` or `2027-03-31T08:00:00Z`. */
export const dateTime = (t: Texts) => (text: string) =>
  /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : t('notDate', { text });

const referenceId = (value: unknown) => (isObject(value) ? (textIn(value.id) ?? '') : '');

/** Stock by SKU and supply Channel: entries that are there are changed, others are created. */
export function stockImport(t: Texts): ImportKind {
  const columns: CsvColumn[] = [
    { name: 'sku', required: true },
    { name: 'quantityOnStock', required: true, aliases: ['quantity', 'stock', 'menge', 'bestand'], check: wholeNumber(t) },
    { name: 'supplyChannel', aliases: ['channel', 'supplyChannelKey', 'kanal'] },
    { name: 'restockableInDays', check: wholeNumber(t) },
    { name: 'expectedDelivery', check: dateTime(t) },
  ];
  return {
    columns,
    kindName: 'InventoryEntry',
    nameOf: (values) => `${values.sku}\n${values.supplyChannel}`,
    prepare: async (client, rows) => {
      const channels = await readBy(
        client,
        'channels',
        'key',
        rows.map((row) => row.values.supplyChannel ?? ''),
      );
      const idOf = new Map(channels.map((channel) => [String(channel.key), channel.id]));
      const entries = await readBy(
        client,
        'inventory',
        'sku',
        rows.map((row) => row.values.sku ?? ''),
      );
      const stored = new Map(entries.map((entry) => [`${String(entry.sku)}\n${referenceId(entry.supplyChannel)}`, entry]));
      return (row) => sendRow(client, row, idOf, stored, t);
    },
  };
}

async function sendRow(
  client: Client,
  { values }: CsvRow,
  idOf: Map<string, string>,
  stored: Map<string, Document>,
  t: Texts,
): Promise<'created' | 'changed' | 'same'> {
  const { sku = '', supplyChannel = '', quantityOnStock, restockableInDays, expectedDelivery } = values;
  const channel = supplyChannel ? idOf.get(supplyChannel) : '';
  if (channel === undefined) throw new Error(t('noChannel', { key: supplyChannel }));
  const wanted: JsonObject = { quantityOnStock: Number(quantityOnStock) };
  if (restockableInDays) wanted.restockableInDays = Number(restockableInDays);
  if (expectedDelivery) wanted.expectedDelivery = new Date(expectedDelivery).toISOString();
  const entry = stored.get(`${sku}\n${channel}`);
  if (!entry) {
    const reference: JsonObject = channel ? { supplyChannel: { typeId: 'channel', id: channel } } : {};
    await client.request('inventory', { method: 'POST', body: { sku, ...wanted, ...reference } });
    return 'created';
  }
  const actions: UpdateAction[] = [];
  if (entry.quantityOnStock !== wanted.quantityOnStock)
    actions.push({ action: 'changeQuantity', quantity: wanted.quantityOnStock! });
  if (wanted.restockableInDays !== undefined && wanted.restockableInDays !== entry.restockableInDays)
    actions.push({ action: 'setRestockableInDays', restockableInDays: wanted.restockableInDays });
  if (wanted.expectedDelivery !== undefined && wanted.expectedDelivery !== entry.expectedDelivery)
    actions.push({ action: 'setExpectedDelivery', expectedDelivery: wanted.expectedDelivery });
  if (actions.length === 0) return 'same';
  await client.request(`inventory/${entry.id}`, { method: 'POST', body: { version: entry.version, actions } });
  return 'changed';
}
