import { useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { amountText, parseAmount } from '../../form/amounts';
import { FieldEditor } from '../../form/FieldEditor';
import { useFormTexts } from '../../form/texts';
import type { Json, JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { digitsOf, nameOfCode } from '../../ui/values';
import { useRateTexts } from './rate-texts';
import { currencyOf } from './zone-rates';

/** The form of one price: currency, amount, the sum from which it is free, and tiers. */
export function ShippingRatePanel({
  title,
  rate,
  taken,
  onClose,
  onSave,
}: {
  title: string;
  rate?: JsonObject;
  taken: string[];
  onClose: () => void;
  onSave: (rate: JsonObject) => void;
}) {
  const t = useRateTexts();
  const words = useWords();
  const form = useFormTexts();
  const model = useModel();
  const { language } = usePreferences();
  const { currencies } = useProjectSettings();
  const own = rate && currencyOf(rate);
  const options = [...new Set([...(own ? [own] : []), ...currencies])].filter((one) => one === own || !taken.includes(one));
  const [currency, setCurrency] = useState(own ?? options[0] ?? '');
  const [price, setPrice] = useState(textOf(rate?.price));
  const [free, setFree] = useState(textOf(rate?.freeAbove));
  const [tiers, setTiers] = useState<Json | undefined>(rate?.tiers ?? []);
  const digits = digitsOf(currency);
  const amount = parseAmount(price, digits);
  const freeAmount = free.trim() === '' ? undefined : parseAmount(free, digits);
  const isFreeBad = free.trim() !== '' && freeAmount === undefined;
  const isValid = amount !== undefined && amount >= 0 && !isFreeBad && currency !== '';
  const money = (centAmount: number): JsonObject => ({
    type: 'centPrecision',
    currencyCode: currency,
    centAmount,
    fractionDigits: digits,
  });
  const save = () => {
    if (!isValid) return;
    onSave({
      price: money(amount),
      ...(freeAmount === undefined ? {} : { freeAbove: money(freeAmount) }),
      tiers: Array.isArray(tiers) ? tiers : [],
    });
  };
  const tierField = model.fieldAt('ShippingRate', 'tiers');
  const addon = <span className="control-addon">{currency}</span>;
  return (
    <Panel
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={!isValid} onPress={save}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Select
          label={t('currency')}
          value={currency}
          options={options.map((id) => ({ id, label: nameOfCode('currency', id, language), hint: id }))}
          onChange={setCurrency}
        />
        <TextField
          label={t('price')}
          required
          autoFocus
          inputMode="decimal"
          value={price}
          onChange={setPrice}
          error={price !== '' && amount === undefined ? form('invalidNumber') : undefined}
          suffix={addon}
        />
        <TextField
          label={t('free')}
          hint={t('freeHint')}
          inputMode="decimal"
          value={free}
          onChange={setFree}
          error={isFreeBad ? form('invalidNumber') : undefined}
          suffix={addon}
        />
        {tierField && (
          <FieldEditor
            field={{ ...tierField, label: t('tiers'), required: false }}
            value={tiers}
            onChange={setTiers}
            path="tiers"
          />
        )}
        <button type="submit" hidden />
      </form>
    </Panel>
  );
}

const textOf = (value: Json | undefined): string =>
  isObject(value) && typeof value.centAmount === 'number'
    ? amountText(value.centAmount, Number(value.fractionDigits ?? digitsOf(String(value.currencyCode))))
    : '';
