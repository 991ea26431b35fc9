import type { JsonObject, UpdateAction } from '../../model/types';
import { itemsOf, moneyDraft, numberOf, refundAmount, returnable, returnsOf, type Item } from './documents';

export interface Refund {
  /** The number of units by the id of the item. */
  quantities: ReadonlyMap<string, number>;
  /** Whether units without a return are recorded as returned. */
  withReturn: boolean;
  comment: string;
  /** Begins the keys of new return items, so that the next action can name them. */
  key: string;
}

/** Returns the number of units of an item that are not refunded yet. */
export function refundable(document: JsonObject, item: Item): number {
  const refunded = returnsOf(document)
    .filter((one) => one.itemId === item.id && one.item.paymentState === 'Refunded')
    .reduce((sum, one) => sum + numberOf(one.item.quantity), 0);
  return Math.max(0, item.quantity - refunded);
}

/** Returns of an item that are not refunded yet. */
export const openReturns = (document: JsonObject, item: Item) =>
  returnsOf(document).filter((one) => one.itemId === item.id && one.item.paymentState === 'Initial');

/** Returns the amount for the units that are to be refunded, in cents. */
export function amountOf(document: JsonObject, quantities: ReadonlyMap<string, number>): number {
  return itemsOf(document).reduce(
    (sum, item) => sum + numberOf(refundAmount(document, item, quantities.get(item.id) ?? 0).centAmount),
    0,
  );
}

/** The update actions of the Order: open returns are marked as refunded, other units are recorded as returned and refunded. */
export function orderActions(document: JsonObject, refund: Refund): UpdateAction[] {
  const marks: UpdateAction[] = [];
  const added: JsonObject[] = [];
  for (const item of itemsOf(document)) {
    let left = refund.quantities.get(item.id) ?? 0;
    for (const open of openReturns(document, item)) {
      const quantity = numberOf(open.item.quantity);
      if (quantity > left) continue;
      left -= quantity;
      marks.push({ action: 'setReturnPaymentState', returnItemId: String(open.item.id), paymentState: 'Refunded' });
    }
    const quantity = refund.withReturn ? Math.min(left, returnable(document, item)) : 0;
    if (quantity === 0) continue;
    const key = `${refund.key}-${added.length + 1}`;
    added.push({
      key,
      quantity,
      [item.isCustom ? 'customLineItemId' : 'lineItemId']: item.id,
      shipmentState: 'Returned',
      ...(refund.comment ? { comment: refund.comment } : {}),
    });
    marks.push({ action: 'setReturnPaymentState', returnItemKey: key, paymentState: 'Refunded' });
  }
  return [...(added.length > 0 ? [{ action: 'addReturnInfo', items: added }] : []), ...marks];
}

export const refundTransaction = (amount: JsonObject, state: string): UpdateAction => ({
  action: 'addTransaction',
  transaction: {
    type: 'Refund',
    amount: moneyDraft(amount),
    state,
    ...(state === 'Success' ? { timestamp: new Date().toISOString() } : {}),
  },
});

/** Returns the most likely quantities to refund: returns that are not refunded yet; or the item, if there is only one. */
export function likelyQuantities(document: JsonObject): Map<string, number> {
  const items = itemsOf(document);
  const open = items
    .map((item) => ({ item, count: openReturns(document, item).reduce((sum, one) => sum + numberOf(one.item.quantity), 0) }))
    .filter(({ count }) => count > 0);
  if (open.length > 0) return new Map(open.map(({ item, count }) => [item.id, count]));
  const left = items.filter((item) => refundable(document, item) > 0);
  return left.length === 1 && refundable(document, left[0]!) === 1 ? new Map([[left[0]!.id, 1]]) : new Map();
}
