import { useEffect, useState } from 'react';
import { useProjectSettings } from '../api/hooks';
import type { JsonObject } from '../model/types';
import { isObject } from '../model/values';
import { FieldGroup, Select, TextField } from '../ui/Field';
import { digitsOf } from '../ui/values';
import { useWords } from '../ui/texts';
import type { ValueProps } from './ScalarField';
import { useFormTexts } from './texts';

/** `12.5` or `12,50` in the smallest unit of the currency; `undefined` if it is no amount. */
export function parseAmount(text: string, digits: number): number | undefined {
  const plain = text.trim().replace(/\s/g, '');
  const normal = /,\d{1,}$/.test(plain) ? plain.replace(/\./g, '').replace(',', '.') : plain.replace(/,/g, '');
  if (!/^-?\d+(\.\d+)?$/.test(normal)) return undefined;
  const [whole = '0', part = ''] = normal.replace('-', '').split('.');
  if (part.length > digits && /[1-9]/.test(part.slice(digits))) return undefined;
  const amount = Number(whole) * 10 ** digits + Number(part.padEnd(digits, '0').slice(0, digits) || 0);
  return normal.startsWith('-') ? -amount : amount;
}

export const amountText = (amount: number, digits: number): string => (amount / 10 ** digits).toFixed(digits);

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
    precise && code === currency ? { ...value, preciseAmount: next, currencyCode: code } : { type: 'centPrecision', currencyCode: code, centAmount: next, fractionDigits: digitsOf(code) };
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
        <TextField aria-label={`${typeof props.label === 'string' ? props.label : ''} ${words('amount')}`} inputMode="decimal" value={text} onChange={change} isDisabled={props.isDisabled} error={bad ? t('invalidNumber') : undefined} />
        <Select aria-label={`${typeof props.label === 'string' ? props.label : ''} ${words('currency')}`} value={currency} options={options} onChange={changeCurrency} isDisabled={props.isDisabled} />
      </div>
    </FieldGroup>
  );
}
