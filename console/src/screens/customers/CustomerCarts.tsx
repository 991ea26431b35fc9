import { useKind } from '../../api/hooks';
import type { Document, Kind } from '../../model/types';
import { EmptyState } from '../../ui/Feedback';
import { EnumChip } from '../../ui/ValueCell';
import { useWords } from '../../ui/texts';
import { DateTime, Money } from '../../ui/values';
import { ordersOf, useOfCustomer } from './customer-orders';
import { piecesOf } from './CustomerOrders';
import { DocumentRows } from './DocumentRows';
import { useCustomerTexts } from './texts';

const SHOWN = 20;

/** The carts of a customer, the newest first. */
export default function CustomerCarts({ document }: { kind: Kind; document: Document }) {
  const t = useCustomerTexts();
  const words = useWords();
  const { kind, mayView } = useKind('Cart');
  const carts = useOfCustomer(kind, document.id, SHOWN, mayView);
  if (!kind || !mayView) return <EmptyState icon="key" title={words('noAccess')} />;
  return (
    <DocumentRows
      kind={kind}
      page={carts.data}
      error={carts.error}
      where={ordersOf(document.id)}
      icon="orders"
      emptyTitle={t('noCarts')}
      emptyHint={t('noCartsHint')}
      row={(cart) => ({
        title: String(cart.key ?? `…${cart.id.slice(-8)}`),
        hint: (
          <>
            <DateTime value={cart.lastModifiedAt} /> · {t('items', { count: piecesOf(cart) })}
          </>
        ),
        state: <EnumChip value={String(cart.cartState)} />,
        amount: <Money value={cart.totalPrice} />,
      })}
    />
  );
}
