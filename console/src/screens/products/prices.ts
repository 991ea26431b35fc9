import type { Language } from '../../app/preferences';
import type { Json, JsonObject } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { digitsOf, formatDateTime } from '../../ui/values';
import { textIn } from './variants';

/** The scope of a price: prices with the same scope are one column of the grid. */
export interface PriceScope {
  id: string;
  currency: string;
  country?: string;
  customerGroup?: JsonObject;
  channel?: JsonObject;
  recurrencePolicy?: JsonObject;
  validFrom?: string;
  validUntil?: string;
}

const referenceId = (value: Json | undefined) => (isObject(value) ? String(value.id ?? value.key ?? '') : '');

export const currencyOf = (price: JsonObject): string =>
  isObject(price.value) ? (textIn(price.value.currencyCode) ?? 'EUR') : 'EUR';

export function scopeOf(price: JsonObject): PriceScope {
  const { country, customerGroup, channel, recurrencePolicy, validFrom, validUntil } = price;
  const currency = currencyOf(price);
  const parts = [
    currency,
    country ?? '',
    referenceId(customerGroup),
    referenceId(channel),
    referenceId(recurrencePolicy),
    validFrom ?? '',
    validUntil ?? '',
  ];
  return {
    id: parts.join('|'),
    currency,
    country: textIn(country),
    customerGroup: isObject(customerGroup) ? customerGroup : undefined,
    channel: isObject(channel) ? channel : undefined,
    recurrencePolicy: isObject(recurrencePolicy) ? recurrencePolicy : undefined,
    validFrom: textIn(validFrom),
    validUntil: textIn(validUntil),
  };
}

/** Names of referenced documents by id. */
export type Names = (reference: JsonObject | undefined) => string | undefined;

/** `EUR · DE · Trade`, with the period if there is one. */
export function scopeLabel(scope: PriceScope, names: Names, language: Language): string {
  const day = (time: string) => formatDateTime(time, language, 'UTC', 'short').replace(/,.*/, '');
  const period =
    scope.validFrom || scope.validUntil
      ? `${scope.validFrom ? day(scope.validFrom) : ''}–${scope.validUntil ? day(scope.validUntil) : ''}`
      : undefined;
  return [scope.currency, scope.country, names(scope.customerGroup), names(scope.channel), names(scope.recurrencePolicy), period]
    .filter(Boolean)
    .join(' · ');
}

/** All scopes in which variants have prices: those that most have first, then by name. */
export function scopesIn(variants: JsonObject[]): PriceScope[] {
  const found = new Map<string, PriceScope>();
  for (const variant of variants)
    for (const price of objectsOf(variant.prices)) {
      const scope = scopeOf(price);
      if (!found.has(scope.id)) found.set(scope.id, scope);
    }
  return [...found.values()].sort((a, b) => a.id.localeCompare(b.id));
}

export const priceIn = (variant: JsonObject, scope: PriceScope): JsonObject | undefined =>
  objectsOf(variant.prices).find((price) => scopeOf(price).id === scope.id);

/** A variant with another amount in a scope; without an amount, without the price. */
export function withPrice(variant: JsonObject, scope: PriceScope, centAmount: number | undefined): JsonObject {
  const prices = objectsOf(variant.prices);
  const at = prices.findIndex((price) => scopeOf(price).id === scope.id);
  if (centAmount === undefined) return at < 0 ? variant : { ...variant, prices: prices.filter((_, index) => index !== at) };
  const value = {
    type: 'centPrecision',
    currencyCode: scope.currency,
    centAmount,
    fractionDigits: digitsOf(scope.currency),
  };
  if (at >= 0) return { ...variant, prices: prices.with(at, { ...prices[at]!, value }) };
  const { id: _, currency: __, ...rest } = scope;
  const restrictions = Object.fromEntries(Object.entries(rest).filter(([, one]) => one !== undefined)) as JsonObject;
  return { ...variant, prices: [...prices, { value, ...restrictions }] };
}

/** To which amounts a change of prices rounds, in the smallest unit of the currency. */
export const ROUNDINGS = ['exact', '5', '10', '100', '99'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

function roundAmount(amount: number, rounding: Rounding): number {
  if (rounding === 'exact') return Math.round(amount);
  if (rounding === '99') return Math.max(99, Math.round((amount + 1) / 100) * 100 - 1);
  const step = Number(rounding);
  return Math.round(amount / step) * step;
}

/** A money raised by a percentage; negative lowers it. Whole hundredths of a percent keep the arithmetic exact. */
export function raiseMoney(money: JsonObject, percent: number, rounding: Rounding): JsonObject {
  const factor = 10_000 + Math.round(percent * 100);
  const raised = (amount: Json | undefined) => (Number(amount ?? 0) * factor) / 10_000;
  if (money.type === 'highPrecision') return { ...money, preciseAmount: Math.round(raised(money.preciseAmount)) };
  return { ...money, centAmount: Math.max(0, roundAmount(raised(money.centAmount), rounding)) };
}

/** A price with its value and tiers raised. */
export function raisePrice(price: JsonObject, percent: number, rounding: Rounding): JsonObject {
  const raise = (money: Json | undefined) => (isObject(money) ? raiseMoney(money, percent, rounding) : (money ?? null));
  return {
    ...price,
    value: raise(price.value),
    ...(Array.isArray(price.tiers)
      ? { tiers: objectsOf(price.tiers).map((tier) => ({ ...tier, value: raise(tier.value) })) }
      : {}),
  };
}

/** A change of all prices in a currency by a percentage. */
export interface PriceChange {
  currency: string;
  percent: number;
  rounding: Rounding;
}

export const raiseVariant = (variant: JsonObject, change: PriceChange): JsonObject => ({
  ...variant,
  prices: objectsOf(variant.prices).map((price) =>
    currencyOf(price) === change.currency ? raisePrice(price, change.percent, change.rounding) : price,
  ),
});
