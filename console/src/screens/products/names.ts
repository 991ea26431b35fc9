import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Page } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import { may } from '../../model/model';
import type { JsonObject } from '../../model/types';
import type { Names, PriceScope } from './prices';
import { groupBy } from './variants';

const IDS_MAX = 200;

/** The names of the Customer Groups, Channels and policies of prices. */
export function useNames(scopes: Pick<PriceScope, 'customerGroup' | 'channel' | 'recurrencePolicy'>[]): Names {
  const model = useModel();
  const { client, scopes: allowed } = useProject();
  const { language } = usePreferences();
  const references = scopes
    .flatMap((scope) => [scope.customerGroup, scope.channel, scope.recurrencePolicy])
    .filter((one): one is JsonObject => typeof one?.id === 'string' && typeof one.typeId === 'string');
  const wanted = [...new Set(references.map((one) => `${String(one.typeId)} ${String(one.id)}`))].sort().slice(0, IDS_MAX);
  const { data } = useQuery({
    queryKey: [client.project, 'price-names', wanted, language],
    enabled: wanted.length > 0,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const byType = groupBy(wanted, (one) => one.split(' ')[0]!);
      const pages = await Promise.all(
        [...byType].map(async ([typeId, all]): Promise<[string, string][]> => {
          const kind = model.kindOfType(typeId);
          if (!kind || !may.view(kind, allowed)) return [];
          const ids = all.map((one) => JSON.stringify(one.split(' ')[1]));
          const query = { where: `id in (${ids.join(', ')})`, limit: ids.length, withTotal: false };
          const page = await client.request<Page>(kind.path, { signal, query }).catch(() => undefined);
          return (page?.results ?? []).map((document) => [document.id, titleOf(kind, document, language)]);
        }),
      );
      return new Map(pages.flat());
    },
  });
  return useMemo(
    () => (reference) =>
      reference ? (data?.get(String(reference.id)) ?? String(reference.key ?? `…${String(reference.id).slice(-4)}`)) : undefined,
    [data],
  );
}
