import { useQuery } from '@tanstack/react-query';
import type { Page } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { may } from '../model/model';
import type { Document, Kind } from '../model/types';
import { lookupPredicate } from './find';
import { findingRank } from './navigation';
import { usePreferences } from './preferences';
import { findByText, searchFields } from './text-search';

interface Finding {
  kind: Kind;
  document: Document;
}

const KINDS_AT_ONCE_MAX = 40;
const FOUND_MAX = 5;
const NEWEST = 'createdAt desc';

/** Documents of all kinds that a text names: by number, key, SKU, name or e-mail; if there are none, those that a search finds. */
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
      // Kinds without a match by number or name are searched by text.
      const searched = async (kind: Kind): Promise<Finding[]> => {
        if (searchFields(kind).length === 0) return [];
        const documents = await findByText(client, model, kind, wanted, languages, signal).catch(() => []);
        return documents.slice(0, FOUND_MAX).map((document) => ({ kind, document }));
      };
      const answers = await Promise.all(
        kinds.slice(0, KINDS_AT_ONCE_MAX).map(async (kind) => {
          const where = lookupPredicate(model, kind, wanted, languages);
          if (!where) return [];
          try {
            const page = await client.request<Page>(kind.path, {
              service: kind.service,
              signal,
              query: { where, sort: NEWEST, limit: FOUND_MAX, withTotal: false },
            });
            return page.results.map((document) => ({ kind, document }));
          } catch {
            return []; // A kind that refuses the predicate has nothing to show.
          }
        }),
      );
      const seen = new Set<string>();
      const named = answers.flat();
      const found = named.length > 0 ? named : (await Promise.all(kinds.map(searched))).flat();
      found.sort((a, b) => findingRank(a.kind) - findingRank(b.kind));
      return found.filter(({ document }) => !seen.has(document.id) && seen.add(document.id));
    },
  });
}
