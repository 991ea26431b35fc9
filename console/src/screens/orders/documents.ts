import type { Json, JsonObject } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';

export const textOfField = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);
export const idOf = (reference: Json | undefined): string | undefined => textOfField(objectOf(reference)?.id);

/** The same currency with another amount in cents. */
export const moneyLike = (money: Json | undefined, centAmount: number): JsonObject => {
  const { currencyCode, fractionDigits } = objectOf(money) ?? {};
  return { currencyCode: currencyCode ?? 'EUR', centAmount, ...(fractionDigits === undefined ? {} : { fractionDigits }) };
};

/** An amount as a draft takes it. */
export const moneyDraft = (money: JsonObject): JsonObject => ({
  currencyCode: money.currencyCode ?? 'EUR',
  centAmount: numberOf(money.centAmount),
});

/** Cents of an amount; of a high precision one, rounded. */
export const centsOf = (money: Json | undefined): number => numberOf(objectOf(money)?.centAmount);

/** The amount that a discount takes off one unit, or off the total. */
export interface Portion {
  discount: JsonObject;
  amount: JsonObject;
}

/** Units of an item that have the same price. */
interface PriceGroup {
  quantity: number;
  value: JsonObject;
  portions: Portion[];
}

/** A line item or a custom line item. */
export interface Item {
  id: string;
  isCustom: boolean;
  name: JsonObject;
  productId?: string;
  sku?: string;
  image?: string;
  attributes: JsonObject[];
  quantity: number;
  /** Of one, before Cart Discounts. */
  unitPrice: JsonObject;
  /** Before a Product Discount, if there is one. */
  fullPrice?: JsonObject;
  productDiscount?: JsonObject;
  groups: PriceGroup[];
  taxRate?: JsonObject;
  taxedPrice?: JsonObject;
  totalPrice: JsonObject;
  mode?: string;
  source: JsonObject;
}

export const portionsOf = (value: Json | undefined): Portion[] =>
  objectsOf(objectOf(value)?.includedDiscounts).map((one) => ({
    discount: objectOf(one.discount) ?? {},
    amount: objectOf(one.discountedAmount) ?? {},
  }));

const groupsOf = (item: JsonObject): PriceGroup[] =>
  objectsOf(item.discountedPricePerQuantity).map((one) => ({
    quantity: numberOf(one.quantity),
    value: objectOf(objectOf(one.discountedPrice)?.value) ?? {},
    portions: portionsOf(one.discountedPrice),
  }));

const common = (item: JsonObject) => ({
  id: String(item.id),
  name: objectOf(item.name) ?? {},
  quantity: numberOf(item.quantity),
  groups: groupsOf(item),
  taxRate: objectOf(item.taxRate),
  taxedPrice: objectOf(item.taxedPrice),
  totalPrice: objectOf(item.totalPrice) ?? {},
  source: item,
});

function lineItem(item: JsonObject): Item {
  const variant = objectOf(item.variant);
  const price = objectOf(item.price);
  const discounted = objectOf(price?.discounted);
  const value = objectOf(price?.value) ?? {};
  return {
    ...common(item),
    isCustom: false,
    productId: textOfField(item.productId),
    sku: textOfField(variant?.sku),
    image: textOfField(objectsOf(variant?.images)[0]?.url),
    attributes: objectsOf(variant?.attributes),
    unitPrice: objectOf(discounted?.value) ?? value,
    fullPrice: discounted ? value : undefined,
    productDiscount: objectOf(discounted?.discount),
    mode: textOfField(item.lineItemMode),
  };
}

const customLineItem = (item: JsonObject): Item => ({
  ...common(item),
  isCustom: true,
  sku: textOfField(item.slug),
  attributes: [],
  unitPrice: objectOf(item.money) ?? {},
});

/** The line items and custom line items of a Cart, an Order or a Quote. */
export const itemsOf = (document: JsonObject): Item[] => [
  ...objectsOf(document.lineItems).map(lineItem),
  ...objectsOf(document.customLineItems).map(customLineItem),
];

/** A way in which something is shipped. */
export interface Way {
  key?: string;
  info: JsonObject;
}

export function waysOf(document: JsonObject): Way[] {
  const single = objectOf(document.shippingInfo);
  const many = objectsOf(document.shipping).map((one) => ({
    key: textOfField(one.shippingKey),
    info: objectOf(one.shippingInfo) ?? {},
  }));
  return single ? [{ key: textOfField(document.shippingKey), info: single }, ...many] : many;
}

export const deliveriesOf = (document: JsonObject): { way: Way; delivery: JsonObject }[] =>
  waysOf(document).flatMap((way) => objectsOf(way.info.deliveries).map((delivery) => ({ way, delivery })));

/** Returns the quantity of each item in deliveries, by the id of the item. */
export function deliveredOf(document: JsonObject): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { delivery } of deliveriesOf(document))
    for (const item of objectsOf(delivery.items))
      counts.set(String(item.id), (counts.get(String(item.id)) ?? 0) + numberOf(item.quantity));
  return counts;
}

export interface Returned {
  info: JsonObject;
  item: JsonObject;
  itemId: string;
}

export const returnsOf = (document: JsonObject): Returned[] =>
  objectsOf(document.returnInfo).flatMap((info) =>
    objectsOf(info.items).map((item) => ({ info, item, itemId: String(item.lineItemId ?? item.customLineItemId) })),
  );

/** Returns the quantity of each item in returns, by the id of the item. */
export function returnedOf(document: JsonObject): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { item, itemId } of returnsOf(document)) counts.set(itemId, (counts.get(itemId) ?? 0) + numberOf(item.quantity));
  return counts;
}

/**
 * Returns the quantity of an item that may still be returned: at most the ordered one, or the delivered one if it has a delivery.
 */
export function returnable(document: JsonObject, item: Item): number {
  const delivered = deliveredOf(document).get(item.id);
  const most = delivered === undefined ? item.quantity : Math.min(item.quantity, delivered);
  return Math.max(0, most - (returnedOf(document).get(item.id) ?? 0));
}

/** Returns the amount paid for an item in cents, with taxes, and with its part of a discount on the total price. */
function paidFor(document: JsonObject, item: Item): number {
  const gross = (one: Item) => centsOf(one.taxedPrice?.totalGross ?? one.totalPrice);
  const all = itemsOf(document).reduce((sum, one) => sum + gross(one), 0);
  const discount = objectOf(document.discountOnTotalPrice);
  const off = centsOf(discount?.discountedGrossAmount ?? discount?.discountedAmount);
  return all > 0 ? gross(item) - (off * gross(item)) / all : gross(item);
}

/** The amount for some units of an item. */
export const refundAmount = (document: JsonObject, item: Item, quantity: number): JsonObject =>
  moneyLike(item.totalPrice, item.quantity > 0 ? Math.round((paidFor(document, item) * quantity) / item.quantity) : 0);

/** Sums the transactions of Payments, in cents. Refunds count from the moment they are requested. */
export function sumsOf(payments: JsonObject[]): { authorized: number; charged: number; refunded: number } {
  const sums = { authorized: 0, charged: 0, refunded: 0 };
  for (const payment of payments)
    for (const { type, state, amount } of objectsOf(payment.transactions)) {
      if (state === 'Failure') continue;
      if (type === 'Authorization' && state === 'Success') sums.authorized += centsOf(amount);
      else if (type === 'Charge' && state === 'Success') sums.charged += centsOf(amount);
      else if (type === 'Refund' || type === 'Chargeback') sums.refunded += centsOf(amount);
    }
  return sums;
}

/** Returns the amount in cents that each discount takes off the document, by the id of the discount. */
export function discountTotals(document: JsonObject): Map<string, number> {
  const totals = new Map<string, number>();
  const add = (portions: Portion[], times: number) => {
    for (const { discount, amount } of portions) {
      const id = String(discount.id);
      totals.set(id, (totals.get(id) ?? 0) + centsOf(amount) * times);
    }
  };
  for (const item of itemsOf(document)) for (const group of item.groups) add(group.portions, group.quantity);
  for (const way of waysOf(document)) add(portionsOf(way.info.discountedPrice), 1);
  add(portionsOf(document.discountOnTotalPrice), 1);
  return totals;
}
