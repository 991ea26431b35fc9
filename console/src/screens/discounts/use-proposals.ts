import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useKind, useProjectSettings, type Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { nameOfCode } from '../../ui/values';
import { readPredicate } from './conditions';
import { discountDraft, type Promotion } from './promotion';
import { compareSortOrders, proposedOrder } from './sort-order';
import { useDiscountTexts } from './texts';
import { valueText } from './words';

/** The API returns so many documents at once. */
const PAGE = 500;

/** All Cart Discounts and Discount Groups, in the order of application. */
export function useApplicationOrder() {
  const client = useClient();
  const discounts = useKind('CartDiscount').kind;
  const groups = useKind('DiscountGroup');
  const readAll = async (kind: Kind, signal: AbortSignal): Promise<Document[]> => {
    const all: Document[] = [];
    for (;;) {
      const where = all.length > 0 ? `id > ${JSON.stringify(all.at(-1)!.id)}` : undefined;
      const query = { where, sort: 'id asc', limit: PAGE, withTotal: false };
      const page = await client.request<Page>(kind.path, { signal, query });
      all.push(...page.results);
      if (page.results.length < PAGE) return all;
    }
  };
  return useQuery({
    queryKey: [client.project, 'CartDiscount', 'list', 'order'],
    enabled: !!discounts,
    queryFn: async ({ signal }) => {
      const [all, grouped] = await Promise.all([
        readAll(discounts!, signal),
        groups.kind && groups.mayView ? readAll(groups.kind, signal) : [],
      ]);
      return { discounts: all, groups: grouped };
    },
  });
}

export interface Neighbours {
  /** A free sort order: the last one. */
  proposed: string;
  taken: ReadonlySet<string>;
  /** The name of the discount that applies before this one. */
  before: string | undefined;
  isKnown: boolean;
}

/** The sort orders in use, and where a new one would be. */
export function useNeighbours(sortOrder: string | undefined): Neighbours {
  const { data } = useApplicationOrder();
  const { language } = usePreferences();
  const discounts = useKind('CartDiscount').kind;
  const groups = useKind('DiscountGroup').kind;
  return useMemo(() => {
    const entries = [
      ...(data?.discounts ?? []).filter((one) => !one.discountGroup).map((document) => ({ document, kind: discounts })),
      ...(data?.groups ?? []).map((document) => ({ document, kind: groups })),
    ];
    const orders = entries.map(({ document }) => String(document.sortOrder));
    const proposed = proposedOrder(orders);
    const place = sortOrder ?? proposed;
    const above = entries
      .filter(({ document }) => compareSortOrders(String(document.sortOrder), place) > 0)
      .sort((a, b) => compareSortOrders(String(a.document.sortOrder), String(b.document.sortOrder)))[0];
    return {
      proposed,
      taken: new Set(orders),
      before: above?.kind && titleOf(above.kind, above.document, language),
      isKnown: data !== undefined,
    };
  }, [data, sortOrder, discounts, groups, language]);
}

/** Proposes a name from the values of the form: `10 % off · Germany`. */
export function useProposedName(promotion: Promotion): JsonObject {
  const t = useDiscountTexts();
  const { language } = usePreferences();
  const { languages } = useProjectSettings();
  const own = languages.find((one) => one.startsWith(language)) ?? languages[0] ?? 'en';
  const value = valueText(discountDraft(promotion, {}, '').value, t, language);
  const parts = readPredicate(promotion.cartPredicate, 'cart').flatMap((condition) => {
    if (condition.type === 'country') return condition.values.map((code) => nameOfCode('country', code, language)).join(', ');
    if (condition.type === 'sku') return condition.values.join(', ');
    return condition.type === 'registered' ? t('newCustomers') : [];
  });
  const text = [value, ...parts].join(' · ');
  return useMemo(() => ({ [own]: text }), [own, text]);
}
