import type { Language } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { moneyText } from '../../ui/values';
import { currencyOf } from './prices';
import { groupBy } from './variants';

/** `€690.00 – €1,299.00`: the prices of variants in the currency that most of them have. */
export function priceRange(variants: JsonObject[], language: Language): string {
  const prices = variants.flatMap((variant) => objectsOf(variant.prices));
  const byCurrency = groupBy(prices, currencyOf);
  const [most] = [...byCurrency.values()].sort((a, b) => b.length - a.length);
  const values = (most ?? []).map((price) => price.value).filter(isObject);
  const amount = (value: JsonObject) => Number(value.preciseAmount ?? value.centAmount) / 10 ** Number(value.fractionDigits ?? 2);
  const sorted = values.sort((a, b) => amount(a) - amount(b));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return '';
  const [low, high] = [moneyText(first, language), moneyText(last, language)];
  return low === high ? low : `${low} – ${high}`;
}
