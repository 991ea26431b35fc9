import { useState } from 'react';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { amountText, parseAmount } from '../../form/amounts';
import { titleOf } from '../../model/display';
import type { Document, Kind } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Banner, Chip, Skeleton } from '../../ui/Feedback';
import { Checkbox, Select, TextField } from '../../ui/Field';
import { digitsOf, moneyText } from '../../ui/values';
import { FormPanel } from './FormPanel';
import { ChangePanel, type Step } from './ChangePanel';
import { itemsOf, moneyLike, numberOf, returnable, sumsOf, textOfField, type Item } from './documents';
import { ItemQuantities, useItemText } from './ItemQuantities';
import { usePayments } from './payments';
import { amountOf, likelyQuantities, openReturns, orderActions, refundable, refundTransaction } from './refund';
import { useOrderTexts } from './texts';

const UNCHANGED = '';

/** Refunds units of items: a Refund on a Payment of the Order, and the return in the Order. Both are shown before they are sent. */
export default function RefundPanel({
  kind,
  preset,
  onClose,
}: {
  kind: Kind;
  preset?: ReadonlyMap<string, number>;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const { editing } = useOpenDocument();
  const [order] = useState(editing.document);
  const form = useRefund(order, preset);
  const [steps, setSteps] = useState<Step[]>();
  const describe = useDescription(order, form);
  if (steps)
    return (
      <ChangePanel
        title={t('refundReview')}
        steps={steps}
        success={t('refundDone', { amount: describe.amount })}
        onBack={() => setSteps(undefined)}
        onClose={onClose}
      />
    );
  const review = () => {
    const next: Step[] = [];
    if (form.payment && form.payments.kind && form.cents > 0) {
      const actions = [refundTransaction(form.amount, form.state)];
      next.push({
        kind: form.payments.kind,
        document: form.payment,
        actions,
        text: t('refundText', { amount: describe.amount, state: form.state }),
      });
    }
    if (form.actions.length > 0) next.push({ kind, document: order, actions: form.actions, text: describe.order });
    setSteps(next);
  };
  return (
    <FormPanel
      title={t('refundTitle')}
      onClose={onClose}
      isDisabled={!form.isComplete}
      onReview={review}
      review={form.cents > 0 ? t('reviewRefund', { amount: describe.amount }) : t('reviewChange')}
    >
      <div className="stack-large">
        <section className="stack">
          <h3>{t('refundItems')}</h3>
          <RefundItems order={order} form={form} />
        </section>
        {form.mayReturn && (
          <Checkbox isSelected={form.withReturn} onChange={form.setWithReturn}>
            {t('recordReturn')}
          </Checkbox>
        )}
        {form.withReturn && form.mayReturn && (
          <TextField
            label={t('comment')}
            value={form.comment}
            onChange={form.setComment}
            placeholder={t('commentExample')}
            dir="auto"
          />
        )}
        <section className="stack">
          <h3>{t('payment')}</h3>
          <PaymentPart form={form} />
        </section>
        <OrderPaymentState order={order} form={form} />
      </div>
    </FormPanel>
  );
}

type Form = ReturnType<typeof useRefund>;

function RefundItems({ order, form }: { order: Document; form: Form }) {
  const t = useOrderTexts();
  const open = (item: Item) => openReturns(order, item).reduce((sum, one) => sum + numberOf(one.item.quantity), 0);
  return (
    <ItemQuantities
      items={itemsOf(order)}
      quantities={form.quantities}
      most={(item) => refundable(order, item)}
      onChange={form.setQuantities}
      extra={(item) => (
        <span className="row wrap">
          {refundable(order, item) === 0 && <Chip look="success">{t('allRefunded')}</Chip>}
          {open(item) > 0 && <Chip look="warning">{t('openReturn', { count: open(item) })}</Chip>}
        </span>
      )}
    />
  );
}

function OrderPaymentState({ order, form }: { order: Document; form: Form }) {
  const t = useOrderTexts();
  const states = useModel().enumOf('PaymentState') ?? [];
  return (
    <Select
      label={t('paymentState')}
      hint={t('paymentStateHint')}
      value={form.paymentState}
      options={[
        { id: UNCHANGED, label: t('unchanged', { value: String(order.paymentState ?? '–') }) },
        ...states.map((id) => ({ id, label: id })),
      ]}
      onChange={form.setPaymentState}
    />
  );
}

function useRefund(order: Document, preset?: ReadonlyMap<string, number>) {
  const payments = usePayments(order);
  const items = itemsOf(order);
  const [quantities, setQuantities] = useState<ReadonlyMap<string, number>>(() => preset ?? likelyQuantities(order));
  const [withReturn, setWithReturn] = useState(true);
  const [comment, setComment] = useState('');
  const [typed, setTyped] = useState<string>();
  const [paymentId, setPaymentId] = useState<string>();
  const [state, setState] = useState('Initial');
  const [paymentState, setPaymentState] = useState(UNCHANGED);
  const [key] = useState(() => `refund-${Date.now().toString(36)}`);
  const total = objectOf(order.totalPrice);
  const digits =
    typeof total?.fractionDigits === 'number' ? total.fractionDigits : digitsOf(textOfField(total?.currencyCode) ?? 'EUR');
  const text = typed ?? amountText(amountOf(order, quantities), digits);
  const cents = parseAmount(text, digits);
  const payment =
    payments.payments.find((one) => one.id === paymentId) ?? payments.payments.find(hasMoney) ?? payments.payments[0];
  const chosen = items.filter((item) => (quantities.get(item.id) ?? 0) > 0);
  const actions = [
    ...orderActions(order, { quantities, withReturn, comment: comment.trim(), key }),
    ...(paymentState === UNCHANGED ? [] : [{ action: 'changePaymentState', paymentState }]),
  ];
  const pays = payment !== undefined && payments.mayManage && (cents ?? 0) > 0;
  return {
    payments,
    payment: payments.mayManage ? payment : undefined,
    setPaymentId,
    quantities,
    setQuantities: (next: ReadonlyMap<string, number>) => {
      setQuantities(next);
      setTyped(undefined);
    },
    withReturn,
    setWithReturn,
    /** Whether there are units to record as returned. */
    mayReturn: chosen.length === 0 || chosen.some((item) => returnable(order, item) > 0),
    comment,
    setComment,
    text,
    setText: setTyped,
    cents: cents ?? 0,
    amount: moneyLike(total, cents ?? 0),
    isBad: cents === undefined || cents < 0,
    state,
    setState,
    paymentState,
    setPaymentState,
    actions,
    isComplete: chosen.length > 0 && cents !== undefined && cents >= 0 && (pays || actions.length > 0) && !payments.isLoading,
  };
}

const hasMoney = (payment: Document) => {
  const { charged, authorized, refunded } = sumsOf([payment]);
  return Math.max(charged, authorized) > refunded;
};

function PaymentPart({ form }: { form: Form }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const { payments, payment } = form;
  if (payments.ids.length === 0) return <p className="muted">{t('noPaymentToRefund')}</p>;
  if (!payments.mayManage) return <p className="muted">{t('mayNotRefund')}</p>;
  if (payments.isLoading) return <Skeleton />;
  if (!payment || !payments.kind) return <p className="muted">{t('paymentsMissing')}</p>;
  const { charged, authorized, refunded } = sumsOf([payment]);
  const left = charged - refunded;
  const show = (cents: number) => moneyText(moneyLike(payment.amountPlanned, cents), language);
  const isOver = form.cents > left;
  return (
    <>
      {payments.payments.length > 1 && (
        <Select
          label={t('payment')}
          value={payment.id}
          options={payments.payments.map((one) => ({
            id: one.id,
            label: titleOf(payments.kind!, one, language),
            hint: textOfField(objectOf(one.paymentMethodInfo)?.method),
          }))}
          onChange={form.setPaymentId}
        />
      )}
      <div className="row-top">
        <div className="grow">
          <TextField
            label={t('amount')}
            inputMode="decimal"
            value={form.text}
            onChange={form.setText}
            error={form.isBad ? t('badAmount') : undefined}
            suffix={<span className="control-addon">{String(objectOf(payment.amountPlanned)?.currencyCode)}</span>}
            hint={t('amountHint', { charged: show(charged), refunded: show(refunded) })}
          />
        </div>
        <div className="grow">
          <Select
            label={t('transactionState')}
            hint={t(
              form.state === 'Success' ? 'stateSuccessHint' : form.state === 'Initial' ? 'stateInitialHint' : 'statePendingHint',
            )}
            value={form.state}
            options={['Initial', 'Pending', 'Success'].map((id) => ({ id, label: id }))}
            onChange={form.setState}
          />
        </div>
      </div>
      {isOver && (
        <Banner look="warning">
          {charged === 0 && authorized > 0
            ? t('onlyAuthorized', { amount: show(authorized) })
            : t('moreThanCharged', { amount: show(left) })}
        </Banner>
      )}
      {objectsOf(payment.transactions).length === 0 && <Banner look="warning">{t('noTransactions')}</Banner>}
    </>
  );
}

/** The refund in words, for the review. */
function useDescription(order: Document, form: Form) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const nameOf = useItemText();
  const items = itemsOf(order);
  const chosen = items.filter((item) => (form.quantities.get(item.id) ?? 0) > 0);
  const names = chosen.map((item) => `${form.quantities.get(item.id)} × ${nameOf(item)}`).join(', ');
  const added = objectsOf(form.actions.find((action) => action.action === 'addReturnInfo')?.items)
    .map((one) => ({ quantity: one.quantity, item: items.find((item) => item.id === (one.lineItemId ?? one.customLineItemId)) }))
    .map(({ quantity, item }) => `${String(quantity)} × ${item ? nameOf(item) : ''}`)
    .join(', ');
  return {
    amount: moneyText(form.amount, language),
    order: [added && t('returnText', { items: added }), chosen.length > 0 && t('markText', { items: names })]
      .filter(Boolean)
      .join(' '),
  };
}
