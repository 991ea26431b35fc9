import type { Json, JsonObject } from '../../model/types';
import { ALWAYS } from './conditions';
import { codesFor } from './codes';

export type ValueType = 'relative' | 'absolute' | 'fixed' | 'giftLineItem';
export type TargetType = 'lineItems' | 'totalPrice' | 'shipping';

/** The values of the form of a promotion. */
export interface Promotion {
  name?: JsonObject;
  valueType: ValueType;
  /** As typed. */
  percent: string;
  money: JsonObject[];
  product?: JsonObject;
  variantId: number;
  applicationMode?: string;
  target: TargetType;
  itemPredicate: string;
  cartPredicate: string;
  validFrom?: string;
  validUntil?: string;
  isActive: boolean;
  stackingMode: string;
  sortOrder?: string;
  group?: JsonObject;
  /** Further fields of the draft: key, description, Stores. */
  more: JsonObject;
  codeMode: 'none' | 'one' | 'many';
  code: string;
  prefix: string;
  count: string;
  maxApplications: string;
  maxPerCustomer: string;
}

export const emptyPromotion: Promotion = {
  valueType: 'relative',
  percent: '10',
  money: [],
  variantId: 1,
  target: 'lineItems',
  itemPredicate: ALWAYS,
  cartPredicate: ALWAYS,
  isActive: true,
  stackingMode: 'Stacking',
  more: {},
  codeMode: 'one',
  code: '',
  prefix: '',
  count: '10',
  maxApplications: '',
  maxPerCustomer: '1',
};

const percentNumber = (promotion: Promotion): number => Number(promotion.percent.trim().replace(',', '.'));
const wholeNumber = (text: string): number | undefined => (/^\d+$/.test(text.trim()) ? Number(text.trim()) : undefined);

/** A target that goes with the type of the value: a fixed price is one of items or of shipping, a gift has none. */
export const targetsOf = (type: ValueType): TargetType[] =>
  type === 'giftLineItem'
    ? []
    : type === 'fixed'
      ? ['lineItems', 'shipping', 'totalPrice']
      : ['lineItems', 'totalPrice', 'shipping'];

function valueDraft(promotion: Promotion): JsonObject {
  const { valueType, applicationMode } = promotion;
  const mode: JsonObject = promotion.target === 'lineItems' && applicationMode ? { applicationMode } : {};
  const money = promotion.money.map(({ currencyCode, centAmount }): Json => ({
    currencyCode: currencyCode!,
    centAmount: centAmount!,
  }));
  if (valueType === 'relative') return { type: valueType, permyriad: Math.round(percentNumber(promotion) * 100) };
  if (valueType === 'absolute') return { type: valueType, money, ...mode };
  if (valueType === 'fixed')
    return { type: valueType, money: money.map((one) => ({ type: 'centPrecision', ...(one as JsonObject) })), ...mode };
  return { type: valueType, product: promotion.product ?? {}, variantId: promotion.variantId };
}

function targetDraft(promotion: Promotion): JsonObject | undefined {
  if (promotion.valueType === 'giftLineItem') return undefined;
  return promotion.target === 'lineItems'
    ? { type: 'lineItems', predicate: promotion.itemPredicate }
    : { type: promotion.target };
}

/** Leaves out what is not set. */
const compact = (draft: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(draft).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== ''));

export function discountDraft(promotion: Promotion, name: JsonObject, sortOrder: string): JsonObject {
  return compact({
    name,
    ...promotion.more,
    value: valueDraft(promotion),
    target: targetDraft(promotion),
    cartPredicate: promotion.cartPredicate.trim() || ALWAYS,
    ...(promotion.group ? { discountGroup: promotion.group } : { sortOrder }),
    isActive: promotion.isActive,
    requiresDiscountCode: promotion.codeMode !== 'none',
    validFrom: promotion.validFrom,
    validUntil: promotion.validUntil,
    stackingMode: promotion.stackingMode,
  });
}

/** Returns the fields that all codes of a promotion share; `code` and the reference to the Cart Discount are added to them. */
export function codeTemplate(promotion: Promotion, name: JsonObject): JsonObject {
  return compact({
    name,
    isActive: true,
    validFrom: promotion.validFrom,
    validUntil: promotion.validUntil,
    maxApplications: wholeNumber(promotion.maxApplications),
    maxApplicationsPerCustomer: wholeNumber(promotion.maxPerCustomer),
  });
}

export const CODES_MAX = 5000;
export const codeCount = (promotion: Promotion): number =>
  promotion.codeMode === 'none' ? 0 : promotion.codeMode === 'one' ? 1 : (wholeNumber(promotion.count) ?? 0);

/** The codes to create. */
export const codesOf = (promotion: Promotion): string[] =>
  promotion.codeMode === 'one' ? [promotion.code.trim()] : codesFor(codeCount(promotion), promotion.prefix.trim());

export type Problem = 'percent' | 'money' | 'product' | 'code' | 'count' | 'period' | 'limit';

/** Returns the problems of the form: missing or wrong values that are found before any request. */
export function problemsOf(promotion: Promotion): Problem[] {
  const problems: Problem[] = [];
  const percent = percentNumber(promotion);
  if (promotion.valueType === 'relative' && !(percent > 0 && percent <= 100)) problems.push('percent');
  const hasMoney = promotion.valueType === 'absolute' || promotion.valueType === 'fixed';
  if (hasMoney && (promotion.money.length === 0 || promotion.money.some((one) => typeof one.centAmount !== 'number')))
    problems.push('money');
  if (promotion.valueType === 'giftLineItem' && !promotion.product) problems.push('product');
  if (promotion.codeMode === 'one' && promotion.code.trim() === '') problems.push('code');
  if (promotion.codeMode === 'many' && !(codeCount(promotion) >= 1 && codeCount(promotion) <= CODES_MAX)) problems.push('count');
  if (promotion.validFrom && promotion.validUntil && promotion.validFrom >= promotion.validUntil) problems.push('period');
  const isLimit = (text: string) => text.trim() === '' || (wholeNumber(text) ?? 0) > 0;
  if (promotion.codeMode !== 'none' && !(isLimit(promotion.maxApplications) && isLimit(promotion.maxPerCustomer)))
    problems.push('limit');
  return problems;
}
