import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useKind, useList } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { JsonObject } from '../../model/types';

export const PRODUCTS_MAX = 50;
const STORES_MAX = 100;

export interface AssignmentPage {
  results: JsonObject[];
  total?: number;
  offset: number;
}

/** The Products of a Product Selection, a page at a time. A change of the Product Selection reads them again. */
export function useAssignments(selectionId: string, offset: number) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'ProductSelection', 'list', 'products', selectionId, offset],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.request<AssignmentPage>(`product-selections/${encodeURIComponent(selectionId)}/products`, {
        signal,
        query: { expand: ['product'], limit: PRODUCTS_MAX, offset, withTotal: true },
      }),
  });
}

/** The Stores that use a Product Selection; `undefined` if the operator may not see Stores. */
export function useStoresOf(selectionId: string) {
  const { kind, mayView } = useKind('Store');
  const where = `productSelections(productSelection(id = ${JSON.stringify(selectionId)}))`;
  const list = useList(kind!, { where, limit: STORES_MAX, withTotal: false }, { enabled: !!kind && mayView });
  return { kind: mayView ? kind : undefined, list };
}
