import './orders.css';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { DateTime } from '../../ui/values';
import { DiscountCodes } from './DiscountCodes';
import { textOfField } from './documents';
import { OrderFacts } from './OrderFacts';
import { useOrderTexts } from './texts';

/** Shows the customer of a Cart, its cost, and which codes apply. */
export default function CartSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  return (
    <div className="order-summary">
      <OrderFacts
        document={document}
        time={{
          label: t('lastChange'),
          content: (
            <span>
              <DateTime value={document.lastModifiedAt} />
              {textOfField(document.country) && <span className="muted"> · {textOfField(document.country)}</span>}
            </span>
          ),
        }}
      />
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
