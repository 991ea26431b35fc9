import './orders.css';
import { useState } from 'react';
import { useDocument, useKind } from '../../api/hooks';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, notify, notifyError } from '../../ui/Feedback';
import { Panel } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { useWords } from '../../ui/texts';
import { idOf, textOfField } from './documents';
import { EditPreview, StagedActions } from './EditPreview';
import { useApply } from './edits';
import { Part } from './OrderFacts';
import { useOrderTexts } from './texts';

/** Shows the staged actions of an Order Edit and their effect on the Order. */
export default function EditSummary({ document }: { document: Document }) {
  const t = useOrderTexts();
  const order = useDocument(useKind('Order').kind, idOf(document.resource));
  return (
    <div className="order-summary">
      <div className="order-facts">
        <Part label={t('order')}>
          <Reference value={document.resource} compact />
        </Part>
        {textOfField(document.comment) && (
          <Part label={t('comment')}>
            <span dir="auto">{textOfField(document.comment)}</span>
          </Part>
        )}
      </div>
      <Part label={t('stagedActions')}>
        <StagedActions actions={objectsOf(document.stagedActions)} order={order.data} />
      </Part>
      <Part label={t('result')}>
        <EditPreview result={objectOf(document.result)} order={order.data} />
      </Part>
    </div>
  );
}

/** Applies the edit, after a look at what it does. */
export function EditActions({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  const words = useWords();
  const { mayUpdate, editing } = useOpenDocument();
  const { kind: orderKind } = useKind('Order');
  const order = useDocument(orderKind, idOf(document.resource));
  const apply = useApply(kind, orderKind ?? kind);
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const result = objectOf(document.result);
  if (!mayUpdate || result?.type === 'Applied' || !orderKind) return null;
  const send = () => {
    if (!order.data) return;
    setSending(true);
    apply(document, order.data)
      .then(
        () => {
          notify({ look: 'success', text: t('editApplied') });
          setOpen(false);
        },
        (error: unknown) => {
          notifyError(error);
          void order.refetch();
        },
      )
      .finally(() => setSending(false));
  };
  return (
    <>
      <Button look="primary" icon="check" onPress={() => setOpen(true)} isDisabled={editing.isDirty || !order.data}>
        {t('apply')}
      </Button>
      {isOpen && (
        <Panel
          title={t('applyTitle')}
          isOpen
          onClose={() => setOpen(false)}
          footer={
            <>
              <Button onPress={() => setOpen(false)}>{words('cancel')}</Button>
              <Button look="primary" onPress={send} isPending={isSending} isDisabled={result?.type === 'PreviewFailure'}>
                {t('applyNow')}
              </Button>
            </>
          }
        >
          <div className="stack-large">
            <Banner>{t('applyHint')}</Banner>
            <StagedActions actions={objectsOf(document.stagedActions)} order={order.data} />
            <EditPreview result={result} order={order.data} />
          </div>
        </Panel>
      )}
    </>
  );
}
