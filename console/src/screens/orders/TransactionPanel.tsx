import { useState } from 'react';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { amountText, parseAmount } from '../../form/amounts';
import type { Document, Kind } from '../../model/types';
import { objectOf } from '../../model/values';
import { Select, TextField } from '../../ui/Field';
import { digitsOf, moneyText } from '../../ui/values';
import { FormPanel } from './FormPanel';
import { ChangePanel, type Step } from './ChangePanel';
import { centsOf, moneyDraft, moneyLike, sumsOf, textOfField } from './documents';
import { useOrderTexts } from './texts';

/** Returns the most likely amount of a transaction of a type, in cents. */
function usual(payment: Document, type: string): number {
  const { authorized, charged, refunded } = sumsOf([payment]);
  const planned = centsOf(payment.amountPlanned);
  if (type === 'Charge') return Math.max(0, (authorized || planned) - charged);
  if (type === 'Refund' || type === 'Chargeback') return Math.max(0, charged - refunded);
  return type === 'CancelAuthorization' ? Math.max(0, authorized - charged) : planned;
}

/** Adds a transaction to a Payment, with a review. */
export default function TransactionPanel({
  kind,
  payment: current,
  onClose,
}: {
  kind: Kind;
  payment: Document;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const model = useModel();
  const { language } = usePreferences();
  const [payment] = useState(current);
  const planned = objectOf(payment.amountPlanned);
  const currency = textOfField(planned?.currencyCode) ?? 'EUR';
  const digits = typeof planned?.fractionDigits === 'number' ? planned.fractionDigits : digitsOf(currency);
  const [type, setType] = useState('Charge');
  const [state, setState] = useState('Success');
  const [typed, setTyped] = useState<string>();
  const [interfaceId, setInterfaceId] = useState('');
  const [steps, setSteps] = useState<Step[]>();
  const text = typed ?? amountText(usual(payment, type), digits);
  const cents = parseAmount(text, digits);
  const options = (name: string) => (model.enumOf(name) ?? []).map((id) => ({ id, label: id }));
  if (steps)
    return (
      <ChangePanel
        title={t('addTransaction')}
        steps={steps}
        success={t('saved')}
        onBack={() => setSteps(undefined)}
        onClose={onClose}
      />
    );
  const review = () => {
    if (cents === undefined) return;
    const amount = moneyLike(planned, cents);
    const transaction = {
      type,
      amount: moneyDraft(amount),
      state,
      timestamp: new Date().toISOString(),
      ...(interfaceId.trim() ? { interfaceId: interfaceId.trim() } : {}),
    };
    const described = { type, amount: moneyText(amount, language), state };
    setSteps([
      { kind, document: payment, actions: [{ action: 'addTransaction', transaction }], text: t('stateText', described) },
    ]);
  };
  return (
    <FormPanel title={t('addTransaction')} onClose={onClose} onReview={review} isDisabled={cents === undefined || cents <= 0}>
      <div className="stack">
        <Select
          label={t('type')}
          value={type}
          options={options('TransactionType')}
          onChange={(next) => {
            setType(next);
            setTyped(undefined);
          }}
        />
        <TextField
          label={t('amount')}
          inputMode="decimal"
          value={text}
          onChange={setTyped}
          error={cents === undefined || cents < 0 ? t('badAmount') : undefined}
          suffix={<span className="control-addon">{currency}</span>}
        />
        <Select label={t('transactionState')} value={state} options={options('TransactionState')} onChange={setState} />
        <TextField label={t('interfaceId')} value={interfaceId} onChange={setInterfaceId} autoComplete="off" />
      </div>
    </FormPanel>
  );
}
