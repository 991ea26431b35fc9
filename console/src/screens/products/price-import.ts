import { readBy } from '../../api/read-by';
import { parseAmount } from '../../form/amounts';
import { isObject } from '../../model/values';
import type { Document, JsonObject } from '../../model/types';
import { digitsOf } from '../../ui/values';
import type { ImportKind } from './CsvImport';
import type { useImportTexts } from './import-texts';
import { scopeOf } from './prices';
import { dateTime } from './stock-import';

const dayOf = (text: string | undefined) => (text ? new Date(text).toISOString() : undefined);

/** Standalone Prices by SKU and scope: prices that are there get the new amount, others are created. */
export function priceImport(t: ReturnType<typeof useImportTexts>): ImportKind {
  return {
    columns: [
      { name: 'sku', required: true },
      { name: 'amount', required: true, aliases: ['price', 'value', 'preis', 'betrag'] },
      {
        name: 'currency',
        required: true,
        aliases: ['währung'],
        check: (text) => (/^[A-Z]{3}$/.test(text) ? undefined : t('notCurrency', { text })),
      },
      { name: 'country', aliases: ['land'], check: (text) => (/^[A-Z]{2}$/.test(text) ? undefined : t('notCountry', { text })) },
      { name: 'customerGroup', aliases: ['kundengruppe'] },
      { name: 'channel', aliases: ['kanal'] },
      { name: 'validFrom', check: dateTime(t) },
      { name: 'validUntil', check: dateTime(t) },
    ],
    kindName: 'StandalonePrice',
    nameOf: (values) =>
      ['sku', 'currency', 'country', 'customerGroup', 'channel', 'validFrom', 'validUntil']
        .map((name) => values[name])
        .join('\n'),
    prepare: async (client, rows) => {
      const column = (name: string) => rows.map((row) => row.values[name] ?? '');
      const [channels, groups, prices] = await Promise.all([
        readBy(client, 'channels', 'key', column('channel')),
        readBy(client, 'customer-groups', 'key', column('customerGroup')),
        readBy(client, 'standalone-prices', 'sku', column('sku')),
      ]);
      const reference = (typeId: string, all: Document[], key: string | undefined) => {
        if (!key) return undefined;
        const target = all.find((one) => one.key === key);
        if (!target) throw new Error(t('noTarget', { type: typeId, key }));
        return { typeId, id: target.id };
      };
      const nameOf = (sku: string, price: JsonObject) => `${sku}\n${scopeOf(price).id}`;
      const stored = new Map(prices.map((price) => [nameOf(String(price.sku), price), price]));
      return async ({ values }) => {
        const { sku = '', currency = '' } = values;
        const centAmount = parseAmount(values.amount ?? '', digitsOf(currency));
        if (centAmount === undefined) throw new Error(t('notAmount', { text: values.amount ?? '', currency }));
        const price: JsonObject = { value: { currencyCode: currency, centAmount } };
        const restrictions = {
          country: values.country || undefined,
          customerGroup: reference('customer-group', groups, values.customerGroup),
          channel: reference('channel', channels, values.channel),
          validFrom: dayOf(values.validFrom),
          validUntil: dayOf(values.validUntil),
        };
        for (const [name, value] of Object.entries(restrictions)) if (value !== undefined) price[name] = value;
        const before = stored.get(nameOf(sku, price));
        if (!before) {
          await client.request('standalone-prices', { method: 'POST', body: { sku, ...price } });
          return 'created';
        }
        if (isObject(before.value) && before.value.centAmount === centAmount) return 'same';
        const actions = [{ action: 'changeValue', value: price.value }];
        await client.request(`standalone-prices/${before.id}`, { method: 'POST', body: { version: before.version, actions } });
        return 'changed';
      };
    },
  };
}
