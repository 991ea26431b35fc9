import './orders.css';
import { lazy, Suspense, useState } from 'react';
import { useKind } from '../../api/hooks';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { deliveredOf, itemsOf } from './documents';
import { useOrderTexts } from './texts';

const RefundPanel = lazy(() => import('./RefundPanel'));
const ShipPanel = lazy(() => import('./ShipPanel'));
const EditPanel = lazy(() => import('./EditPanel'));

/** The daily work on an Order: send items, refund items, change what was bought. */
export default function OrderActions({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  const { mayUpdate } = useOpenDocument();
  const edits = useKind('OrderEdit');
  const [open, setOpen] = useState<'refund' | 'ship' | 'edit'>();
  const close = () => setOpen(undefined);
  const delivered = deliveredOf(document);
  const isOpen = document.orderState !== 'Cancelled' && document.orderState !== 'Complete';
  const mayShip = isOpen && itemsOf(document).some((item) => (delivered.get(item.id) ?? 0) < item.quantity);
  return (
    <>
      {edits.mayManage && edits.kind && isOpen && (
        <Button compact icon="edit" onPress={() => setOpen('edit')} aria-label={t('editItems')}>
          {t('editItems')}
        </Button>
      )}
      {mayUpdate && (
        <Button icon="undo" look={mayShip ? 'normal' : 'primary'} onPress={() => setOpen('refund')}>
          {t('refund')}
        </Button>
      )}
      {mayUpdate && mayShip && (
        <Button icon="products" look="primary" onPress={() => setOpen('ship')}>
          {t('ship')}
        </Button>
      )}
      <Suspense>
        {open === 'refund' && <RefundPanel kind={kind} onClose={close} />}
        {open === 'ship' && <ShipPanel onClose={close} />}
        {open === 'edit' && edits.kind && <EditPanel kind={edits.kind} orderKind={kind} order={document} onClose={close} />}
      </Suspense>
    </>
  );
}
