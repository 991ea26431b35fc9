import './orders.css';
import { lazy, Suspense, useState } from 'react';
import { useDocument, useKind } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useOpenDocument } from '../../detail/editing';
import { FieldEditor } from '../../form/FieldEditor';
import type { Document, Kind } from '../../model/types';
import { objectOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, ErrorState, Skeleton } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { DateTime, Money } from '../../ui/values';
import { AddressText } from './AddressText';
import { idOf, textOfField } from './documents';
import { ItemsAndTotals } from './ItemsTab';
import { Buyer, Part } from './OrderFacts';
import { WorkflowState } from './OrderSummary';
import { QuoteDecisions } from './QuoteDecisions';
import { useQuoteTexts } from './quote-texts';

const OfferPanel = lazy(() => import('./OfferPanel'));

/** A Quote Request or a Quote: whose it is, for how much, until when, and what was said. */
export default function QuoteSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useQuoteTexts();
  const total = objectOf(document.taxedPrice)?.totalGross ?? document.totalPrice;
  return (
    <div className="order-summary">
      <div className="order-facts">
        <div className="stack">
          {total !== undefined && (
            <Part label={t('total')}>
              <b className="order-total">
                <Money value={total} />
              </b>
            </Part>
          )}
          <ValidUntil document={document} />
        </div>
        <Part label={t('buyer')}>
          <Buyer document={document} />
        </Part>
        {objectOf(document.shippingAddress) && (
          <Part label={t('shippingAddress')}>
            <AddressText address={objectOf(document.shippingAddress)} />
          </Part>
        )}
        <Linked document={document} />
      </div>
      <Said document={document} />
      <div className="order-states">
        <WorkflowState type={`${kind.name}State`} />
      </div>
    </div>
  );
}

function ValidUntil({ document }: { document: Document }) {
  const t = useQuoteTexts();
  const until = textOfField(document.validTo);
  if (!until) return null;
  const isOver = Date.parse(until) < Date.now();
  return (
    <Part label={t('validTo')}>
      <DateTime value={until} exact />
      {isOver && <Banner look="warning">{t('isOver')}</Banner>}
    </Part>
  );
}

/** The comments of both sides. */
function Said({ document }: { document: Document }) {
  const t = useQuoteTexts();
  const comments = [
    { label: t('buyerComment'), text: textOfField(document.buyerComment) ?? textOfField(document.comment) },
    { label: t('sellerComment'), text: textOfField(document.sellerComment) },
  ].filter((one) => one.text);
  return comments.map((one) => (
    <Part key={one.label} label={one.label}>
      <blockquote className="said" dir="auto">
        {one.text}
      </blockquote>
    </Part>
  ));
}

/** Links to the documents from which this one was created. */
function Linked({ document }: { document: Document }) {
  const t = useQuoteTexts();
  const links = [document.quoteRequest, document.stagedQuote, document.quotationCart, document.cart].filter(Boolean);
  if (links.length === 0) return null;
  return (
    <Part label={t('from')}>
      <span className="stack-small">
        {links.map((value, at) => (
          <Reference key={at} value={value} />
        ))}
      </span>
    </Part>
  );
}

/** A Staged Quote: what the seller offers, with a form for what the buyer reads. */
export function StagedQuoteSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useQuoteTexts();
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const request = useDocument(useKind('QuoteRequest').kind, idOf(document.quoteRequest));
  const fields = model.fieldsOf(kind.type).filter((field) => field.name === 'validTo' || field.name === 'sellerComment');
  const mayWrite = mayUpdate && document.stagedQuoteState === 'InProgress';
  return (
    <div className="order-summary">
      <div className="order-facts">
        <Part label={t('buyer')}>
          <Buyer document={document} />
        </Part>
        <Linked document={document} />
      </div>
      {request.data && <Said document={request.data} />}
      <div className="fields">
        {[...fields].reverse().map((field) => (
          <FieldEditor
            key={field.name}
            field={field}
            value={editing.edited[field.name]}
            stored={document[field.name]}
            onChange={(value) => editing.setField(field.name, value)}
            path={field.name}
            mayEdit={() => mayWrite}
          />
        ))}
      </div>
      <div className="order-states">
        <WorkflowState type="StagedQuoteState" />
      </div>
    </div>
  );
}

/** The items of the Cart that a Staged Quote offers. */
export function OfferTab({ document }: { document: Document }) {
  const t = useQuoteTexts();
  const { kind, mayManage } = useKind('Cart');
  const cart = useDocument(kind, idOf(document.quotationCart), { live: true });
  const [isOpen, setOpen] = useState(false);
  if (cart.error) return <ErrorState error={cart.error} onRetry={() => void cart.refetch()} />;
  if (!cart.data || !kind) return <Skeleton lines={5} />;
  return (
    <div className="stack">
      {mayManage && document.stagedQuoteState === 'InProgress' && (
        <div>
          <Button icon="discounts" onPress={() => setOpen(true)}>
            {t('offer')}
          </Button>
        </div>
      )}
      <ItemsAndTotals document={cart.data} />
      {isOpen && (
        <Suspense>
          <OfferPanel kind={kind} cart={cart.data} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

export function QuoteActions({ kind, document }: { kind: Kind; document: Document }) {
  const { editing } = useOpenDocument();
  return <QuoteDecisions kind={kind} document={document} isDirty={editing.isDirty} />;
}
