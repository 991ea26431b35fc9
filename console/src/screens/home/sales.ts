import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/project';

interface SoldOrder {
  createdAt: string;
  totalPrice: { centAmount: number; currencyCode: string; fractionDigits: number };
}

interface Day {
  /** `2026-11-30`, in the zone of the operator. */
  date: string;
  orders: number;
  /** Cents by currency. */
  revenue: Record<string, number>;
}

export interface Sales {
  days: Day[];
  currencies: string[];
  digits: Record<string, number>;
  isCapped: boolean;
}

export const DAYS = 30;
const PAGE = 500;
export const ORDERS_MAX = 5000;

const dateOf = (time: Date, zone: 'local' | 'UTC') => {
  const shifted = zone === 'UTC' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 10);
};

const QUERY = `query ($where: String!, $offset: Int!) { orders(where: $where, sort: "createdAt desc", limit: ${PAGE}, offset: $offset) {
  results { createdAt totalPrice { centAmount currencyCode fractionDigits } } } }`;

/** Orders and revenue of the last days. GraphQL, so that responses have only what is summed. */
export function useSales(zone: 'local' | 'UTC', enabled: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'Order', 'list', 'sales', zone],
    enabled,
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Sales> => {
      const now = new Date();
      const dates = Array.from({ length: DAYS }, (_, at) => dateOf(new Date(now.getTime() - (DAYS - 1 - at) * 86_400_000), zone));
      const where = `createdAt >= "${new Date(now.getTime() - DAYS * 86_400_000).toISOString()}"`;
      const orders: SoldOrder[] = [];
      while (orders.length < ORDERS_MAX) {
        const answer = await client.request<{ data?: { orders: { results: SoldOrder[] } } }>('graphql', {
          method: 'POST',
          signal,
          body: { query: QUERY, variables: { where, offset: orders.length } },
        });
        const page = answer.data?.orders.results ?? [];
        orders.push(...page);
        if (page.length < PAGE) break;
      }
      return sum(orders, dates, zone);
    },
  });
}

function sum(orders: SoldOrder[], dates: string[], zone: 'local' | 'UTC'): Sales {
  const days = new Map(dates.map((date) => [date, { date, orders: 0, revenue: {} as Record<string, number> }]));
  const digits: Record<string, number> = {};
  const totals: Record<string, number> = {};
  for (const { createdAt, totalPrice } of orders) {
    const day = days.get(dateOf(new Date(createdAt), zone));
    if (!day) continue;
    const { currencyCode, centAmount, fractionDigits } = totalPrice;
    day.orders += 1;
    day.revenue[currencyCode] = (day.revenue[currencyCode] ?? 0) + centAmount;
    totals[currencyCode] = (totals[currencyCode] ?? 0) + 1;
    digits[currencyCode] = fractionDigits;
  }
  return {
    days: [...days.values()],
    digits,
    currencies: Object.keys(totals).sort((a, b) => totals[b]! - totals[a]!),
    isCapped: orders.length >= ORDERS_MAX,
  };
}
