import type { ModelIndex } from '../model/model';
import type { Kind } from '../model/types';
import { screensOf } from './areas';

/** Fields by which people look for documents, if they are unique or have an index. */
const LOOKED_FOR = new Set([
  'key',
  'name',
  'email',
  'sku',
  'code',
  'slug',
  'orderNumber',
  'customerNumber',
  'customerEmail',
  'externalId',
]);

const quoted = (name: string) => (/^[a-zA-Z]+$/.test(name) ? name : `\`${name}\``);

/** The fields by which documents of a kind are looked up: those that name them, other names with an index, and those of its hand-made screens. */
export function lookupFields(model: ModelIndex, kind: Kind): string[] {
  const indexed = model
    .fieldsOf(kind.type)
    .filter((field) => LOOKED_FOR.has(field.name) && (field.indexed || field.unique))
    .map((field) => field.name);
  return [...new Set([...kind.display, ...indexed, ...(screensOf(kind).lookupPaths ?? [])])].filter((path) => {
    const field = model.fieldAt(kind.type, path);
    return field !== undefined && field.list === 0 && (field.type === 'LocalizedString' || field.type === 'String');
  });
}

/** A predicate that is true for the documents which a text names, e.g. `orderNumber = "1001" or customerEmail = "1001"`. */
export function lookupPredicate(model: ModelIndex, kind: Kind, text: string, languages: string[]): string | undefined {
  const value = JSON.stringify(text);
  const clauses = new Set<string>();
  for (const path of lookupFields(model, kind)) {
    const names = path.split('.');
    const last = names.at(-1)!;
    const leaf =
      model.fieldAt(kind.type, path)?.type === 'LocalizedString'
        ? `${last}(${languages.map((language) => `${quoted(language)} = ${value}`).join(' or ')})`
        : `${last} = ${value}`;
    clauses.add(names.slice(0, -1).reduceRight((inner, name) => `${name}(${inner})`, leaf));
  }
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text)) clauses.add(`id = ${value}`);
  return clauses.size > 0 ? [...clauses].join(' or ') : undefined;
}
