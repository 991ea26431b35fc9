import { useList } from '../../api/hooks';
import { useKind } from '../../api/hooks';
import type { Document, JsonObject } from '../../model/types';
import { objectOf } from '../../model/values';
import { idOf } from './documents';

/** The ids of the Payments of a Cart or an Order. */
function paymentIdsOf(document: JsonObject): string[] {
  const all = objectOf(document.paymentInfo)?.payments;
  return (Array.isArray(all) ? all : []).map((one) => idOf(one)).filter((id) => id !== undefined);
}

/** The Payments of a Cart or an Order, in its order. */
export function usePayments(document: JsonObject) {
  const { kind, mayView, mayManage } = useKind('Payment');
  const ids = paymentIdsOf(document);
  const page = useList(
    kind!,
    { where: `id in (${ids.map((id) => JSON.stringify(id)).join(', ')})`, limit: 100, withTotal: false },
    { enabled: !!kind && mayView && ids.length > 0, live: true },
  );
  const found = new Map(page.data?.results.map((payment) => [payment.id, payment]));
  const payments = ids.map((id) => found.get(id)).filter((payment): payment is Document => payment !== undefined);
  return { kind, mayView, mayManage, ids, payments, error: page.error, isLoading: page.isLoading, refetch: page.refetch };
}
