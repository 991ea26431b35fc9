import { useEffect, useState } from 'react';
import { useProjectSettings } from '../api/hooks';
import type { JsonObject } from '../model/types';
import { isObject } from '../model/values';
import { FieldGroup, Select, TextField } from '../ui/Field';
import { digitsOf } from '../ui/values';
import { useWords } from '../ui/texts';
import { amountText, parseAmount } from './amounts';
import type { ValueProps } from './ScalarField';
import { useFormTexts } from './texts';

/** An amount and its currency. */
export function MoneyField(props: ValueProps) {
  const words = useWords();
  const t = useFormTexts();
  const { currencies } = useProjectSettings();
  const value = isObject(props.value) ? props.value : undefined;
  const currency = typeof value?.currencyCode === 'string' ? value.currencyCode : (currencies[0] ?? 'EUR');
  const precise = value?.type === 'highPrecision';
  const digits = typeof value?.fractionDigits === 'number' ? value.fractionDigits : digitsOf(currency);
  const amount = precise ? value?.preciseAmount : value?.centAmount;
  const shown = typeof amount === 'number' ? amountText(amount, digits) : '';
  const [text, setText] = useState(shown);
  useEffect(() => setText((current) => (parseAmount(current, digits) === amount ? current : shown)), [amount, shown, digits]);
  const make = (next: number, code: string): JsonObject =>
    precise && code === currency
      ? { ...value, preciseAmount: next, currencyCode: code }
      : { type: 'centPrecision', currencyCode: code, centAmount: next, fractionDigits: digitsOf(code) };
  const change = (next: string) => {
    setText(next);
    const parsed = parseAmount(next, digits);
    if (next.trim() === '' && !props.required) props.onChange(undefined);
    else if (parsed !== undefined) props.onChange(make(parsed, currency));
  };
  const changeCurrency = (code: string) => props.onChange(make(parseAmount(text, digitsOf(code)) ?? 0, code));
  const bad = text !== '' && parseAmount(text, digits) === undefined;
  const options = [...new Set([...currencies, currency])].map((id) => ({ id, label: id }));
  return (
    <FieldGroup label={props.label} hint={props.hint} error={props.error} required={props.required} changed={props.changed}>
      <div className="money-field">
        <TextField
          aria-label={`${typeof props.label === 'string' ? props.label : ''} ${words('amount')}`}
          inputMode="decimal"
          value={text}
          onChange={change}
          isDisabled={props.isDisabled}
          error={bad ? t('invalidNumber') : undefined}
        />
        <Select
          aria-label={`${typeof props.label === 'string' ? props.label : ''} ${words('currency')}`}
          value={currency}
          options={options}
          onChange={changeCurrency}
          isDisabled={props.isDisabled}
        />
      </div>
    </FieldGroup>
  );
}
