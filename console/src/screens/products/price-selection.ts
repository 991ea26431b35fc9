import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { scopeOf, type PriceScope } from './prices';

/** The buyer for whom a price is selected, and the time. */
export interface Buyer {
  currency?: string;
  country?: string;
  customerGroup?: JsonObject;
  channel?: JsonObject;
  /** In local time; absent: now. */
  date?: string;
}

/** A price, and why a buyer gets it or not. */
export interface Judged {
  price: JsonObject;
  scope: PriceScope;
  is: 'chosen' | 'lessSpecific' | 'currency' | 'country' | 'customerGroup' | 'channel' | 'recurrencePolicy' | 'date';
}

function refusal(scope: PriceScope, buyer: Buyer, at: number): Judged['is'] | undefined {
  if (scope.currency !== buyer.currency) return 'currency';
  if (scope.country && scope.country !== buyer.country) return 'country';
  if (scope.customerGroup && scope.customerGroup.id !== buyer.customerGroup?.id) return 'customerGroup';
  if (scope.channel && scope.channel.id !== buyer.channel?.id) return 'channel';
  if (scope.recurrencePolicy) return 'recurrencePolicy';
  if (scope.validFrom && Date.parse(scope.validFrom) > at) return 'date';
  return scope.validUntil && Date.parse(scope.validUntil) <= at ? 'date' : undefined;
}

/** The rank of a price among those that a buyer could get: group before Channel before country before a period. */
function rankOf(scope: PriceScope): number {
  const restrictions = [scope.customerGroup, scope.channel, scope.country, scope.validFrom ?? scope.validUntil];
  return restrictions.reduce<number>((sum, one, at) => sum + (one === undefined ? 0 : 2 ** (3 - at)), 0);
}

const amountOf = ({ value, discounted }: JsonObject): number => {
  const money = isObject(discounted) && isObject(discounted.value) ? discounted.value : value;
  return isObject(money) ? Number(money.preciseAmount ?? money.centAmount) : 0;
};

/** The prices in the order in which a buyer gets them: the first is the price, the others say why not. */
export function rankPrices(prices: JsonObject[], buyer: Buyer): Judged[] {
  const at = buyer.date ? new Date(buyer.date).getTime() : Date.now();
  const all = prices.map((price) => {
    const scope = scopeOf(price);
    return { price, scope, refused: refusal(scope, buyer, at) };
  });
  const admitted = all
    .filter((one) => !one.refused)
    .sort((a, b) => rankOf(b.scope) - rankOf(a.scope) || amountOf(a.price) - amountOf(b.price));
  return [
    ...admitted.map(({ price, scope }, index): Judged => ({ price, scope, is: index === 0 ? 'chosen' : 'lessSpecific' })),
    ...all.filter((one) => one.refused).map(({ price, scope, refused }): Judged => ({ price, scope, is: refused! })),
  ];
}
