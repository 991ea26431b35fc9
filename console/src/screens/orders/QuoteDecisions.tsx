import { useState } from 'react';
import { useLocation } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { kindName } from '../../app/navigation';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { Dialog } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { decisionsOf, requestOf, useDecide, type Decision } from './quotes';
import { useQuoteTexts } from './quote-texts';

const LOOK: Partial<Record<Decision, 'primary' | 'danger'>> = { accept: 'primary', prepare: 'primary', send: 'primary' };

/** Returns the decisions that the operator's scopes allow. */
function useAllowed(kind: Kind, document: Document): Decision[] {
  const { mayManage } = useKind(kind.name);
  const staged = useKind('StagedQuote').mayManage;
  const quotes = useKind('Quote').mayManage;
  return decisionsOf(document).filter((one) => (one === 'prepare' ? staged : one === 'send' ? quotes : mayManage));
}

/** Shows buttons for the allowed decisions. Each opens a confirmation that shows the request. */
export function QuoteDecisions({
  kind,
  document,
  small,
  isDirty,
}: {
  kind: Kind;
  document: Document;
  small?: boolean;
  isDirty?: boolean;
}) {
  const t = useQuoteTexts();
  const [asked, setAsked] = useState<Decision>();
  const allowed = useAllowed(kind, document);
  const shown = small ? allowed.slice(0, 2) : allowed;
  return (
    <>
      {[...shown].reverse().map((decision) => (
        <Button
          key={decision}
          small={small}
          look={LOOK[decision] ?? 'normal'}
          icon={decision === 'accept' ? 'check' : undefined}
          isDisabled={isDirty}
          onPress={() => setAsked(decision)}
        >
          {t(decision)}
        </Button>
      ))}
      {asked && <DecisionDialog kind={kind} document={document} decision={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function DecisionDialog({
  kind,
  document,
  decision,
  onClose,
}: {
  kind: Kind;
  document: Document;
  decision: Decision;
  onClose: () => void;
}) {
  const t = useQuoteTexts();
  const words = useWords();
  const { key } = useProject();
  const [, navigate] = useLocation();
  const orders = useKind('Order');
  const decide = useDecide(kind);
  const [sent, setSent] = useState<Decision>();
  const [error, setError] = useState<unknown>();
  const run = (which: Decision) => {
    setSent(which);
    setError(undefined);
    decide(which, document).then(
      (created) => {
        notify({ look: 'success', text: t(`${which}Done` as 'acceptDone') });
        onClose();
        if (created) navigate(paths.document(key, created.kind, created.document.id));
      },
      (reason: unknown) => {
        setSent(undefined);
        setError(reason);
      },
    );
  };
  return (
    <Dialog
      title={t(`${decision}Title` as 'acceptTitle')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          {decision === 'accept' && orders.mayManage && (
            <Button onPress={() => run('order')} isPending={sent === 'order'}>
              {t('order')}
            </Button>
          )}
          <Button
            look={decision === 'decline' || decision === 'reject' || decision === 'withdraw' ? 'danger' : 'primary'}
            onPress={() => run(decision)}
            isPending={sent === decision}
          >
            {t(decision)}
          </Button>
        </>
      }
    >
      <div className="stack">
        {error !== undefined && <Banner look="danger">{error instanceof Error ? error.message : String(error)}</Banner>}
        <p>{t(`${decision}Hint` as 'acceptHint')}</p>
        <details className="action-detail">
          <summary>{t('requestOf', { name: kindName(kind) })}</summary>
          <pre className="snippet" tabIndex={0}>
            {JSON.stringify(requestOf(decision, document).body, null, 2)}
          </pre>
        </details>
      </div>
    </Dialog>
  );
}
