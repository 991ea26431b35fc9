import { useQuery } from '@tanstack/react-query';
import { useModel, useProject } from '../api/project';
import type { Page } from '../api/hooks';
import { may, type ModelIndex } from '../model/model';
import type { Document, Kind } from '../model/types';
import { screensOf } from './areas';
import { usePreferences } from './preferences';

export interface Finding {
  kind: Kind;
  document: Document;
}

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
const KINDS_AT_ONCE_MAX = 40;

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

/** Documents of all kinds that a text names: by number, key, SKU, name or e-mail. */
export function useFindings(text: string, languages: string[]) {
  const model = useModel();
  const { client, scopes } = useProject();
  const { language } = usePreferences();
  const wanted = text.trim();
  return useQuery({
    queryKey: [client.project, 'find', wanted, language, languages],
    enabled: wanted.length >= 2,
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<Finding[]> => {
      const kinds = model.kinds.filter(
        (kind) =>
          !kind.hidden &&
          !kind.singleton &&
          kind.operations.includes('query') &&
          kind.operations.includes('get') &&
          may.view(kind, scopes) &&
          kind.display.length > 0,
      );
      const answers = await Promise.all(
        kinds.slice(0, KINDS_AT_ONCE_MAX).map(async (kind) => {
          const where = lookupPredicate(model, kind, wanted, languages);
          if (!where) return [];
          try {
            const page = await client.request<Page>(kind.path, {
              service: kind.service,
              signal,
              query: { where, limit: 3, withTotal: false },
            });
            return page.results.map((document) => ({ kind, document }));
          } catch {
            return []; // A kind that refuses the predicate has nothing to show.
          }
        }),
      );
      const seen = new Set<string>();
      return answers.flat().filter(({ document }) => !seen.has(document.id) && seen.add(document.id));
    },
  });
}
