import './orders.css';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { DateTime, Money } from '../../ui/values';
import { DiscountCodes } from './DiscountCodes';
import { objectOf, textOfField } from './documents';
import { Addresses, Buyer, Part } from './OrderSummary';
import { useOrderTexts } from './texts';

/** Whose Cart it is, what it costs, and which codes count. */
export default function CartSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  return (
    <div className="order-summary">
      <div className="order-facts">
        <div className="stack">
          <Part label={t('total')}>
            <b className="order-total">
              <Money value={objectOf(document.taxedPrice)?.totalGross ?? document.totalPrice} />
            </b>
          </Part>
          <Part label={t('lastChange')}>
            <span>
              <DateTime value={document.lastModifiedAt} />
              {textOfField(document.country) && <span className="muted"> · {textOfField(document.country)}</span>}
            </span>
          </Part>
        </div>
        <Part label={t('customer')}>
          <Buyer document={document} />
        </Part>
        <Addresses document={document} />
      </div>
      <DiscountCodes kind={kind} document={document} />
    </div>
  );
}

export function CartActions({ document }: { document: Document }) {
  const t = useOrderTexts();
  const { mayUpdate, editing, review } = useOpenDocument();
  if (!mayUpdate || document.cartState !== 'Active') return null;
  const recalculate = () => {
    editing.queue({ action: 'recalculate', updateProductData: true });
    review();
  };
  return (
    <Button icon="refresh" onPress={recalculate}>
      {t('recalculate')}
    </Button>
  );
}
