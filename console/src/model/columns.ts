import { isLocalized, isMoney, isReference, SCALARS, type ModelIndex } from './model';
import type { Field, Kind } from './types';

export interface ColumnChoice {
  path: string;
  field: Field;
}

const DEPTH_MAX = 4;
const COLUMNS_MAX = 200;
const DEFAULT_MAX = 7;
const RARELY_USEFUL = new Set(['id', 'version', 'createdBy', 'lastModifiedBy', 'createdAt']);

/** Every path of a kind that can be a column: values of the document and of objects inside it. */
export function columnChoices(model: ModelIndex, kind: Kind): ColumnChoice[] {
  const out: ColumnChoice[] = [];
  const visit = (type: string, prefix: string, depth: number, above: string[]) => {
    for (const field of model.allFieldsOf(type)) {
      if (out.length >= COLUMNS_MAX) return;
      const path = prefix ? `${prefix}.${field.name}` : field.name;
      const leaf =
        SCALARS.has(field.type) ||
        field.list > 0 ||
        field.map ||
        isReference(field) ||
        isMoney(field) ||
        model.enumOf(field.type) !== undefined;
      if (leaf) out.push({ path, field });
      else if (depth < DEPTH_MAX && !above.includes(field.type)) visit(field.type, path, depth + 1, [...above, field.type]);
    }
  };
  visit(kind.type, '', 1, [kind.type]);
  return out;
}

/** Ranks a field by its use in a list; lower is better. */
function rank(choice: ColumnChoice, model: ModelIndex): number {
  const { field, path } = choice;
  if (RARELY_USEFUL.has(field.name) || path.includes('.') || field.deprecated || field.map) return 100;
  if (field.name === 'lastModifiedAt') return 60;
  if (isMoney(field)) return /^total/.test(field.name) ? 4 : 10;
  if (/e-?mail$/i.test(field.name)) return 5;
  if (/(state|status)$/i.test(field.name) && !isReference(field)) return 7;
  if (model.enumOf(field.type)) return /mode$/i.test(field.name) ? 80 : field.required ? 13 : 33;
  if (field.type === 'Boolean') return field.required ? 14 : 34;
  if (field.list > 0) return isReference(field) ? 42 : 90;
  if (isReference(field)) return 16;
  if (isLocalized(field)) return field.required ? 12 : 50;
  if (field.type === 'String') return field.unique ? 6 : field.required ? 15 : field.indexed ? 22 : 45;
  if (['Int', 'Long', 'Float'].includes(field.type)) return field.required ? 11 : 30;
  return ['DateTime', 'Date'].includes(field.type) ? 32 : 95;
}

/** The columns that a list begins with: the names first, then what is most useful, and the last change. */
export function defaultColumns(model: ModelIndex, kind: Kind): string[] {
  const choices = columnChoices(model, kind);
  const known = new Set(choices.map((choice) => choice.path));
  const names = kind.display.filter((path) => known.has(path));
  const seen = new Set<string>(names);
  const more = choices
    .filter((choice) => !seen.has(choice.path) && rank(choice, model) < 60)
    .sort((a, b) => rank(a, model) - rank(b, model))
    .map((choice) => choice.path);
  const columns = [...names, ...more].slice(0, DEFAULT_MAX);
  if (columns.length === 0) columns.push('id');
  if (known.has('lastModifiedAt') && !columns.includes('lastModifiedAt')) columns.push('lastModifiedAt');
  else if (known.has('createdAt') && !columns.includes('createdAt') && !columns.includes('lastModifiedAt'))
    columns.push('createdAt');
  return columns;
}

const SORTABLE = new Set([
  'String',
  'Boolean',
  'Int',
  'Long',
  'Float',
  'DateTime',
  'Date',
  'Time',
  'CountryCode',
  'CurrencyCode',
  'Locale',
]);

/** Returns the path in the sort expression of a column. Money sorts by its amount, a localized text by one language. */
export function sortPath(model: ModelIndex, choice: ColumnChoice, language: string): string | undefined {
  const { field, path } = choice;
  if (field.list > 0 || field.map) return undefined;
  if (isLocalized(field)) return `${path}.${language}`;
  if (isMoney(field)) return `${path}.centAmount`;
  if (isReference(field)) return undefined;
  return SORTABLE.has(field.type) || model.enumOf(field.type) ? path : undefined;
}
