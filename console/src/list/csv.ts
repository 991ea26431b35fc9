import type { Json, JsonObject } from '../model/types';
import { isObject, valueAt } from '../model/values';

/** Spreadsheets run cells that begin so as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (isObject(value)) {
    if (typeof value.centAmount === 'number' && typeof value.currencyCode === 'string') {
      const digits = typeof value.fractionDigits === 'number' ? value.fractionDigits : 2;
      const amount = typeof value.preciseAmount === 'number' ? value.preciseAmount : value.centAmount;
      return `${(amount / 10 ** digits).toFixed(digits)} ${value.currencyCode}`;
    }
    if (typeof value.typeId === 'string') return String(value.key ?? value.id ?? '');
    return JSON.stringify(value);
  }
  if (Array.isArray(value))
    return value.every((one) => !isObject(one) || one.typeId !== undefined)
      ? value.map(cellOf).join('; ')
      : JSON.stringify(value);
  return String(value);
}

function quote(text: string): string {
  const safe = FORMULA.test(text) && !/^-?\d+([.,]\d+)?( [A-Z]{3})?$/.test(text) ? `'${text}` : text;
  return /[",\n\r;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows of a CSV file. A localized text has a column for each language. */
export function csvRows(documents: JsonObject[], columns: string[]): string {
  return documents.map((document) => columns.map((path) => quote(cellOf(valueAt(document, path)))).join(',')).join('\r\n');
}

export const csvHead = (columns: string[]) => columns.map(quote).join(',');

export function download(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
