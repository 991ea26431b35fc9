import './orders.css';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useModel, useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { useOpenDocument } from '../../detail/editing';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind, UpdateAction } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { Menu } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { EnumChip } from '../../ui/ValueCell';
import { DateTime, Money, moneyText } from '../../ui/values';
import { ChangePanel, type Step } from './ChangePanel';
import { moneyLike, sumsOf, textOfField } from './documents';
import { usePayments } from './payments';
import { useOrderTexts } from './texts';

const TransactionPanel = lazy(() => import('./TransactionPanel'));

/** The Payments of an Order with their transactions. */
export default function PaymentsTab({ document }: { document: Document }) {
  const t = useOrderTexts();
  const { kind, mayView, mayManage, ids, payments, error, isLoading, refetch } = usePayments(document);
  if (ids.length === 0)
    return (
      <EmptyState icon="orders" title={t('noPayments')}>
        {t('noPaymentsHint')}
      </EmptyState>
    );
  if (!kind || !mayView) return <p className="muted">{t('mayNotSeePayments')}</p>;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isLoading) return <Skeleton lines={5} />;
  const { authorized, charged, refunded } = sumsOf(payments);
  const show = (cents: number) => <Money value={moneyLike(document.totalPrice, cents)} />;
  return (
    <div className="stack-large">
      <dl className="before-after sums">
        {[
          { label: t('authorized'), value: show(authorized) },
          { label: t('charged'), value: show(charged) },
          { label: t('refunded'), value: show(refunded) },
        ].map((one) => (
          <div key={one.label}>
            <dt>{one.label}</dt>
            <dd>
              <b>{one.value}</b>
            </dd>
          </div>
        ))}
      </dl>
      {payments.map((payment) => (
        <PaymentPart key={payment.id} kind={kind} payment={payment} mayManage={mayManage} />
      ))}
    </div>
  );
}

/** The transactions of a Payment, on its own page. */
export function TransactionsTab({ kind, document }: { kind: Kind; document: Document }) {
  const { mayUpdate } = useOpenDocument();
  return <PaymentPart kind={kind} payment={document} mayManage={mayUpdate} />;
}

function PaymentPart({ kind, payment, mayManage }: { kind: Kind; payment: Document; mayManage: boolean }) {
  const t = useOrderTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const method = objectOf(payment.paymentMethodInfo);
  const status = objectOf(payment.paymentStatus);
  return (
    <section className="stack">
      <div className="section-head">
        <h2 className="truncate">
          <Link href={paths.document(key, kind, payment.id)} className="cell-title">
            {titleOf(kind, payment, language)}
          </Link>
        </h2>
        <span className="muted small">
          {[method?.method, method?.paymentInterface].map(textOfField).filter(Boolean).join(' · ')}
        </span>
        {status?.state !== undefined && <Reference value={status.state} compact />}
        {textOfField(status?.interfaceText) && <Chip>{textOfField(status?.interfaceText)}</Chip>}
        {mayManage && (
          <Button small icon="plus" onPress={() => setOpen(true)}>
            {t('addTransaction')}
          </Button>
        )}
      </div>
      <p className="muted small">
        {t('planned')} <Money value={payment.amountPlanned} />
        {textOfField(payment.interfaceId) && <> · {textOfField(payment.interfaceId)}</>}
      </p>
      <Transactions kind={kind} payment={payment} mayManage={mayManage} />
      {isOpen && (
        <Suspense>
          <TransactionPanel kind={kind} payment={payment} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}

function Transactions({ kind, payment, mayManage }: { kind: Kind; payment: Document; mayManage: boolean }) {
  const t = useOrderTexts();
  const model = useModel();
  const { language } = usePreferences();
  const [step, setStep] = useState<Step>();
  const transactions = objectsOf(payment.transactions);
  if (transactions.length === 0) return <p className="muted">{t('noTransactions')}</p>;
  const change = (transaction: JsonObject, state: string) => {
    const action: UpdateAction = { action: 'changeTransactionState', transactionId: String(transaction.id), state };
    const amount = moneyText(transaction.amount, language);
    setStep({
      kind,
      document: payment,
      actions: [action],
      text: t('stateText', { type: String(transaction.type), amount, state }),
    });
  };
  return (
    <>
      <ul className="home-rows">
        {transactions.map((transaction) => (
          <li key={String(transaction.id)} className="home-row">
            <span className="stack-tight grow">
              <b>{String(transaction.type)}</b>
              <span className="muted small truncate">
                <DateTime value={transaction.timestamp} exact />
                {textOfField(transaction.interfaceId) && <> {textOfField(transaction.interfaceId)}</>}
              </span>
            </span>
            <EnumChip value={String(transaction.state)} />
            <span className="home-amount">
              {(transaction.type === 'Refund' || transaction.type === 'Chargeback') && '−'}
              <Money value={transaction.amount} />
            </span>
            {mayManage && (
              <Menu
                label={t('changeState')}
                trigger={<IconButton small icon="more" label={t('changeStateOf', { name: String(transaction.type) })} />}
                entries={(model.enumOf('TransactionState') ?? [])
                  .filter((state) => state !== transaction.state)
                  .map((state) => ({ id: state, label: t('setState', { state }), onAction: () => change(transaction, state) }))}
              />
            )}
          </li>
        ))}
      </ul>
      {step && (
        <ChangePanel
          title={t('changeState')}
          steps={[step]}
          success={t('saved')}
          onBack={() => setStep(undefined)}
          onClose={() => setStep(undefined)}
        />
      )}
    </>
  );
}
