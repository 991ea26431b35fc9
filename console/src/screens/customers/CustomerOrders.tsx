import { useKind } from '../../api/hooks';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { EmptyState } from '../../ui/Feedback';
import { EnumChip } from '../../ui/ValueCell';
import { useWords } from '../../ui/texts';
import { DateTime, Money } from '../../ui/values';
import { ordersOf, useOfCustomer } from './customer-orders';
import { DocumentRows } from './DocumentRows';
import { useCustomerTexts } from './texts';

const SHOWN = 20;

/** Returns the total quantity of the line items of a cart or an order. */
export const piecesOf = (document: Document): number =>
  (Array.isArray(document.lineItems) ? document.lineItems : []).reduce<number>(
    (sum, item) => sum + (isObject(item) ? Number(item.quantity ?? 0) : 0),
    0,
  );

/** The orders of a customer, the newest first. */
export default function CustomerOrders({ document }: { kind: Kind; document: Document }) {
  const t = useCustomerTexts();
  const words = useWords();
  const { kind, mayView } = useKind('Order');
  const orders = useOfCustomer(kind, document.id, SHOWN, mayView);
  if (!kind || !mayView) return <EmptyState icon="key" title={words('noAccess')} />;
  return (
    <DocumentRows
      kind={kind}
      page={orders.data}
      error={orders.error}
      where={ordersOf(document.id)}
      icon="orders"
      emptyTitle={t('noOrders')}
      emptyHint={t('noOrdersHint')}
      row={(order) => ({
        title: String(order.orderNumber ?? `…${order.id.slice(-8)}`),
        hint: (
          <>
            <DateTime value={order.createdAt} /> · {t('items', { count: piecesOf(order) })}
          </>
        ),
        state: (
          <>
            <EnumChip value={String(order.orderState)} />
            {typeof order.paymentState === 'string' && <EnumChip value={order.paymentState} />}
          </>
        ),
        amount: <Money value={order.totalPrice} />,
      })}
    />
  );
}
