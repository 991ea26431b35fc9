import { useEffect, useId, useMemo, useState } from 'react';
import { useProjectSettings } from '../api/hooks';
import { useModel } from '../api/project';
import { usePreferences } from '../app/preferences';
import type { Field, Json } from '../model/types';
import { Select, TextField, type FieldFrameProps } from '../ui/Field';
import { nameOfCode, type CodeType } from '../ui/values';
import { useFormTexts } from './texts';

export interface ValueProps extends FieldFrameProps {
  field: Field;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  isDisabled?: boolean;
}

const LONG_TEXT = 80;
const UNSET = '';

/** Returns the reason why a text violates the limits of its field, or `undefined`. */
function textProblem(field: Field, value: string, t: ReturnType<typeof useFormTexts>): string | undefined {
  const { minLength, maxLength, pattern } = field.limits ?? {};
  if (minLength !== undefined && value.length < minLength) return t('tooShort', { count: minLength });
  if (maxLength !== undefined && value.length > maxLength) return t('tooLong', { count: maxLength });
  if (pattern && !new RegExp(`^(?:${pattern})$`).test(value)) return t('pattern', { pattern });
  return undefined;
}

/** One value that is no object: a text, a number, a choice, a time. */
export function ScalarField(props: ValueProps) {
  const { field } = props;
  const model = useModel();
  const allowed = model.enumOf(field.type);
  if (allowed) return <ChoiceField {...props} options={allowed.map((id) => ({ id, label: id }))} />;
  switch (field.type) {
    case 'Boolean':
      return <BooleanField {...props} />;
    case 'Int':
    case 'Long':
    case 'Float':
      return <NumberField {...props} />;
    case 'DateTime':
      return <DateTimeField {...props} />;
    case 'Date':
    case 'Time':
      return <PlainField {...props} type={field.type.toLowerCase() as 'date' | 'time'} />;
    case 'CountryCode':
    case 'CurrencyCode':
    case 'Locale':
      return <CodeField {...props} />;
    default:
      return <StringField {...props} />;
  }
}

const frame = ({ label, hint, error, required, changed, isDisabled }: ValueProps) => ({
  label,
  hint,
  error,
  required,
  changed,
  isDisabled,
});

function StringField(props: ValueProps) {
  const t = useFormTexts();
  const text = typeof props.value === 'string' ? props.value : '';
  const [touched, setTouched] = useState(false);
  const problem = touched && text !== '' ? textProblem(props.field, text, t) : undefined;
  const long = text.length > LONG_TEXT || text.includes('\n') || /description|comment|predicate|text$/i.test(props.field.name);
  return (
    <TextField
      {...frame(props)}
      error={props.error ?? problem}
      value={text}
      multiline={long}
      onBlur={() => setTouched(true)}
      dir="auto"
      type={props.field.secret ? 'password' : 'text'}
      onChange={(next) => props.onChange(next === '' && !props.required ? undefined : next)}
      autoComplete="off"
    />
  );
}

function PlainField({ type, ...props }: ValueProps & { type: 'date' | 'time' }) {
  return (
    <TextField
      {...frame(props)}
      type={type}
      value={typeof props.value === 'string' ? props.value : ''}
      onChange={(next) => props.onChange(next || undefined)}
    />
  );
}

function ChoiceField({ options, ...props }: ValueProps & { options: { id: string; label: string; hint?: string }[] }) {
  const t = useFormTexts();
  const all = props.required ? options : [{ id: UNSET, label: t('unset') }, ...options];
  return (
    <Select
      {...frame(props)}
      options={all}
      value={props.value === undefined ? (props.required ? null : UNSET) : String(props.value)}
      onChange={(next) => props.onChange(next === UNSET ? undefined : next)}
    />
  );
}

function BooleanField(props: ValueProps) {
  const t = useFormTexts();
  const options = [
    { id: 'true', label: t('yes') },
    { id: 'false', label: t('no') },
  ];
  return (
    <ChoiceField
      {...props}
      value={typeof props.value === 'boolean' ? String(props.value) : undefined}
      options={options}
      onChange={(next) => props.onChange(next === undefined ? undefined : next === 'true')}
    />
  );
}

function NumberField(props: ValueProps) {
  const t = useFormTexts();
  const { min, max } = props.field.limits ?? {};
  const [text, setText] = useState(props.value === undefined || props.value === null ? '' : String(props.value));
  useEffect(() => {
    setText((current) =>
      Number(current.replace(',', '.')) === props.value && current !== ''
        ? current
        : props.value === undefined || props.value === null
          ? ''
          : String(props.value),
    );
  }, [props.value]);
  const number = Number(text.replace(',', '.'));
  const whole = props.field.type !== 'Float';
  const bad = text !== '' && (Number.isNaN(number) || (whole && !Number.isInteger(number)));
  const problem = bad
    ? t('invalidNumber')
    : text !== '' && min !== undefined && number < min
      ? t('tooSmall', { count: min })
      : text !== '' && max !== undefined && number > max
        ? t('tooLarge', { count: max })
        : undefined;
  const change = (next: string) => {
    setText(next);
    const parsed = Number(next.replace(',', '.'));
    if (next.trim() === '') props.onChange(undefined);
    else if (!Number.isNaN(parsed)) props.onChange(parsed);
  };
  return (
    <TextField
      {...frame(props)}
      error={props.error ?? problem}
      inputMode={whole ? 'numeric' : 'decimal'}
      value={text}
      onChange={change}
      autoComplete="off"
    />
  );
}

/** The text of an `<input type="datetime-local">` for an API time. */
export function toInputTime(value: string, zone: 'local' | 'UTC'): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return '';
  const shifted = zone === 'UTC' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

export const fromInputTime = (text: string, zone: 'local' | 'UTC'): string =>
  new Date(zone === 'UTC' ? `${text}Z` : text).toISOString();

function DateTimeField(props: ValueProps) {
  const { zone } = usePreferences();
  const value = typeof props.value === 'string' ? toInputTime(props.value, zone) : '';
  const change = (next: string) => {
    if (next === '') return props.onChange(undefined);
    try {
      props.onChange(fromInputTime(next, zone));
    } catch {
      // Half a time was typed: the value stays until it is complete.
    }
  };
  return (
    <TextField
      {...frame(props)}
      type="datetime-local"
      value={value}
      onChange={change}
      suffix={zone === 'UTC' ? <span className="control-addon">UTC</span> : undefined}
    />
  );
}

const CODE_TYPES: Record<string, CodeType> = { CountryCode: 'country', CurrencyCode: 'currency' };

/** A country, a currency or a language: those of the project are suggested. */
function CodeField(props: ValueProps) {
  const id = useId();
  const settings = useProjectSettings();
  const { language } = usePreferences();
  const type = props.field.type;
  const codeType = CODE_TYPES[type] ?? 'language';
  const suggested =
    type === 'CountryCode' ? settings.countries : type === 'CurrencyCode' ? settings.currencies : settings.languages;
  const all = useMemo(
    () => [...new Set([...suggested, ...(type === 'CurrencyCode' ? Intl.supportedValuesOf('currency') : [])])],
    [suggested, type],
  );
  const text = typeof props.value === 'string' ? props.value : '';
  return (
    <>
      <TextField
        {...frame(props)}
        list={id}
        value={text}
        onChange={(next) => props.onChange(next === '' ? undefined : type === 'Locale' ? next : next.toUpperCase())}
        autoComplete="off"
        suffix={
          text.length >= 2 ? <span className="control-addon truncate">{nameOfCode(codeType, text, language)}</span> : undefined
        }
      />
      <datalist id={id}>
        {all.map((code) => (
          <option key={code} value={code}>
            {nameOfCode(codeType, code, language)}
          </option>
        ))}
      </datalist>
    </>
  );
}
