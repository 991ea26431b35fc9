import { useState } from 'react';
import { usePreferences } from '../../app/preferences';
import { parseAmount } from '../../form/amounts';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectOf } from '../../model/values';
import { Select, TextField } from '../../ui/Field';
import { digitsOf, moneyText } from '../../ui/values';
import { FormPanel } from './FormPanel';
import { ChangePanel, type Step } from './ChangePanel';
import { moneyDraft, moneyLike, textOfField } from './documents';
import { useOrderTexts } from './texts';
import { useQuoteTexts } from './quote-texts';

/** Sets a Direct Discount on the Cart of a Staged Quote: percent or an amount, on all items. */
export default function OfferPanel({ kind, cart: current, onClose }: { kind: Kind; cart: Document; onClose: () => void }) {
  const t = useQuoteTexts();
  const orders = useOrderTexts();
  const { language } = usePreferences();
  const [cart] = useState(current);
  const total = objectOf(cart.totalPrice);
  const currency = textOfField(total?.currencyCode) ?? 'EUR';
  const [type, setType] = useState('relative');
  const [text, setText] = useState('');
  const [steps, setSteps] = useState<Step[]>();
  const number = type === 'relative' ? parseAmount(text, 2) : parseAmount(text, digitsOf(currency));
  const isBad = text !== '' && (number === undefined || number < 0 || (type === 'relative' && number > 10_000));
  if (steps)
    return (
      <ChangePanel
        title={t('offer')}
        steps={steps}
        success={orders('saved')}
        onBack={() => setSteps(undefined)}
        onClose={onClose}
      />
    );
  const review = () => {
    const amount = moneyLike(total, number ?? 0);
    const value: JsonObject =
      type === 'relative'
        ? { type, permyriad: number ?? 0 }
        : { type, money: [moneyDraft(amount)], applicationMode: 'ProportionateDistribution' };
    const discounts = number ? [{ value, target: { type: 'totalPrice' } }] : [];
    const shown = type === 'relative' ? `${text} %` : moneyText(amount, language);
    setSteps([
      {
        kind,
        document: cart,
        actions: [{ action: 'setDirectDiscounts', discounts }],
        text: number ? t('offerText', { amount: shown }) : t('offerNone'),
      },
    ]);
  };
  return (
    <FormPanel title={t('offer')} onClose={onClose} onReview={review} isDisabled={isBad}>
      <div className="stack">
        <p className="muted">{t('offerHint')}</p>
        <div className="address-row">
          <div className="grow">
            <TextField
              label={t('offerValue')}
              inputMode="decimal"
              value={text}
              onChange={setText}
              autoFocus
              error={isBad ? orders('badAmount') : undefined}
            />
          </div>
          <div className="grow">
            <Select
              label={t('offerType')}
              value={type}
              options={[
                { id: 'relative', label: '%' },
                { id: 'absolute', label: currency },
              ]}
              onChange={setType}
            />
          </div>
        </div>
      </div>
    </FormPanel>
  );
}
