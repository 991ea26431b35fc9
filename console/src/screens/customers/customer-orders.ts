import { useQuery } from '@tanstack/react-query';
import type { Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';

/** The revenue is summed over so many orders at most. */
export const SUMMED_MAX = 500;

export const ordersOf = (customerId: string) => `customerId = ${JSON.stringify(customerId)}`;

/** Documents of one customer, the newest first. */
export function useOfCustomer(kind: Kind | undefined, customerId: string, limit: number, mayView: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, kind?.name, 'list', 'of', customerId, limit],
    enabled: !!kind && mayView,
    queryFn: ({ signal }) =>
      client.request<Page>(kind!.path, {
        signal,
        query: { where: ordersOf(customerId), sort: 'createdAt desc', limit, withTotal: true },
      }),
  });
}

export interface Totals {
  count: number;
  /** One amount for each currency, the largest first. */
  revenue: JsonObject[];
  lastAt?: string;
}

const QUERY = `query ($where: String!) { orders(where: $where, sort: "createdAt desc", limit: ${SUMMED_MAX}) { total
  results { createdAt totalPrice { centAmount currencyCode fractionDigits } } } }`;

/** Requests the totals of a customer's orders. Uses GraphQL, so that the response has only the summed fields. */
export function useTotals(customerId: string, enabled: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'Order', 'list', 'totals', customerId],
    enabled,
    queryFn: async ({ signal }): Promise<Totals> => {
      const answer = await client.request<{
        data?: { orders: { total: number; results: { createdAt: string; totalPrice: JsonObject }[] } };
      }>('graphql', { method: 'POST', signal, body: { query: QUERY, variables: { where: ordersOf(customerId) } } });
      const orders = answer.data?.orders;
      const sums = new Map<string, JsonObject>();
      for (const { totalPrice } of orders?.results ?? []) {
        if (!isObject(totalPrice)) continue;
        const currency = String(totalPrice.currencyCode);
        const before = Number(sums.get(currency)?.centAmount ?? 0);
        sums.set(currency, { ...totalPrice, centAmount: before + Number(totalPrice.centAmount) });
      }
      const revenue = [...sums.values()].sort((a, b) => Number(b.centAmount) - Number(a.centAmount));
      return { count: orders?.total ?? 0, revenue, lastAt: orders?.results[0]?.createdAt };
    },
  });
}
