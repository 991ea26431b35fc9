import type { Language } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { textOf } from '../../ui/values';

/** The first item of a document, and how many more there are: `2 × Oak chair`, 1. */
export function firstItem(document: JsonObject, language: Language): { text: string; more: number } | undefined {
  const items = [document.lineItems, document.customLineItems]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject);
  const [first] = items;
  if (!first) return undefined;
  return { text: `${String(first.quantity)} × ${textOf(first.name, language)?.text ?? ''}`, more: items.length - 1 };
}

/** `2 × Oak chair +1` */
export function itemsText(document: JsonObject, language: Language): string | undefined {
  const first = firstItem(document, language);
  return first && `${first.text}${first.more > 0 ? ` +${first.more}` : ''}`;
}
