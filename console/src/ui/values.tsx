import { usePreferences, type Language } from '../app/preferences';
import { isObject } from '../model/values';
import type { Json } from '../model/types';
import { Chip } from './Feedback';
import { useWords } from './texts';

const formats = new Map<string, Intl.NumberFormat>();

/** `1.299,00 €`: with the currency's own digits. */
export function formatMoney(
  value: { currencyCode: string; centAmount?: number; preciseAmount?: number; fractionDigits?: number },
  language: Language,
): string {
  const name = `${language} ${value.currencyCode} ${value.fractionDigits}`;
  let format = formats.get(name);
  if (!format) {
    const digits =
      value.fractionDigits === undefined
        ? {}
        : { minimumFractionDigits: value.fractionDigits, maximumFractionDigits: value.fractionDigits };
    try {
      format = new Intl.NumberFormat(language, { style: 'currency', currency: value.currencyCode, ...digits });
    } catch {
      format = new Intl.NumberFormat(language, digits);
    }
    formats.set(name, format);
  }
  const digits = value.fractionDigits ?? format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format((value.preciseAmount ?? value.centAmount ?? 0) / 10 ** digits);
}

/** An amount as text; empty if the value is no money. */
export const moneyText = (value: Json | undefined, language: Language): string =>
  isObject(value) && typeof value.currencyCode === 'string'
    ? formatMoney(value as Parameters<typeof formatMoney>[0], language)
    : '';

/** Returns the number of decimal digits of a currency. */
export function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

export function Money({ value }: { value: Json | undefined }) {
  const { language } = usePreferences();
  const text = moneyText(value, language);
  return text ? <span className="money numbers">{text}</span> : null;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const RELATIVE_DAYS_MAX = 7;

export function formatDateTime(
  text: string,
  language: Language,
  zone: 'local' | 'UTC',
  style: 'short' | 'medium' = 'medium',
): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  return time.toLocaleString(language, { dateStyle: 'medium', timeStyle: style, timeZone: zone === 'UTC' ? 'UTC' : undefined });
}

export function relativeTime(text: string, language: Language, zone: 'local' | 'UTC'): string {
  const seconds = (new Date(text).getTime() - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (Math.abs(seconds) < 60) return format.format(0, 'minute');
  if (Math.abs(seconds) > RELATIVE_DAYS_MAX * 86_400) return formatDateTime(text, language, zone, 'short');
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['minute', 60];
  return format.format(Math.round(seconds / length), unit);
}

/** A time: relative if near, with the exact time on hover. */
export function DateTime({ value, exact }: { value: Json | undefined; exact?: boolean }) {
  const { language, zone } = usePreferences();
  if (typeof value !== 'string') return null;
  const full = formatDateTime(value, language, zone);
  return (
    <time dateTime={value} title={`${full}${zone === 'UTC' ? ' UTC' : ''}`} className="numbers">
      {exact ? full : relativeTime(value, language, zone)}
    </time>
  );
}

/** The text in the operator's language, or in the first one that there is. */
export function textOf(value: Json | undefined, language: string): { text: string; language?: string } | undefined {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  const found =
    names.find((name) => name === language) ??
    names.find((name) => name.startsWith(language)) ??
    names.find((name) => name.startsWith('en')) ??
    names[0];
  return found === undefined ? undefined : { text: String(value[found]), language: found };
}

export function LocalizedText({ value }: { value: Json | undefined }) {
  const { language } = usePreferences();
  const found = textOf(value, language);
  if (!found) return null;
  return (
    <span lang={found.language} dir="auto">
      {found.text}
      {found.language && !found.language.startsWith(language) && <span className="language-mark"> {found.language}</span>}
    </span>
  );
}

export function YesNo({ value }: { value: boolean }) {
  const t = useWords();
  return value ? (
    <Chip look="success" icon="check">
      {t('yes')}
    </Chip>
  ) : (
    <Chip>{t('no')}</Chip>
  );
}

export type CodeType = 'country' | 'currency' | 'language';

const codeNames = new Map<string, Intl.DisplayNames>();

/** `Germany` for `DE`, in the operator's language. */
export function nameOfCode(type: CodeType, code: string, language: Language): string {
  const id = `${type} ${language}`;
  try {
    let display = codeNames.get(id);
    if (!display) codeNames.set(id, (display = new Intl.DisplayNames(language, { type: type === 'country' ? 'region' : type })));
    return display.of(code) ?? code;
  } catch {
    return code;
  }
}
