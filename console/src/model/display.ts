import { textOf } from '../ui/values';
import type { Document, Json, JsonObject, Kind } from './types';
import { isObject, valueAt } from './values';

/** A value as one line of text: of a localized text the operator's language. */
export function shortText(value: Json | undefined, language: string): string | undefined {
  if (typeof value === 'string') return value || undefined;
  if (typeof value === 'number') return String(value);
  if (isObject(value))
    return Object.values(value).every((one) => typeof one === 'string') && value.typeId === undefined
      ? textOf(value, language)?.text || undefined
      : undefined;
  return undefined;
}

const FALLBACK = ['name', 'orderNumber', 'email', 'customerEmail', 'sku', 'key', 'type', 'title'];

/** The name of a document for people: the first of its naming fields that has a value. */
export function titleOf(kind: Kind, document: JsonObject | Document, language: string): string {
  for (const path of [...kind.display, ...FALLBACK]) {
    const text = shortText(valueAt(document, path), language);
    if (text) return text;
  }
  return typeof document.id === 'string' ? `…${document.id.slice(-8)}` : kind.name;
}

/** A second name: the key, or the next naming field. */
export function subtitleOf(kind: Kind, document: JsonObject | Document, language: string): string | undefined {
  const title = titleOf(kind, document, language);
  for (const path of [...(kind.keyField ? [kind.keyField] : []), 'key', 'customerNumber', ...kind.display]) {
    const text = shortText(valueAt(document, path), language);
    if (text && text !== title) return text;
  }
  return undefined;
}
