import { Fragment, type ReactNode } from 'react';
import { useModel } from '../../api/project';
import { usePreferences, type Language } from '../../app/preferences';
import type { Document, Json, JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Chip } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { formatDateTime, formatMoney, moneyText, nameOfCode } from '../../ui/values';
import { readPredicate, type Condition, type Dialect } from './conditions';
import { useDiscountTexts, type DiscountTranslate } from './texts';

export const percentOf = (permyriad: number, language: Language): string =>
  `${(permyriad / 100).toLocaleString(language, { maximumFractionDigits: 2 })} %`;

const amountsOf = (money: Json | undefined, language: Language): string =>
  (Array.isArray(money) ? money : [])
    .filter(isObject)
    .map((one) => moneyText(one, language))
    .join(' / ');

/** `10 % off`, `fixed price 9.99 €`. */
export function valueText(value: Json | undefined, t: DiscountTranslate, language: Language): string {
  if (!isObject(value)) return '';
  if (value.type === 'relative') return t('off', { value: percentOf(Number(value.permyriad ?? 0), language) });
  if (value.type === 'absolute') return t('off', { value: amountsOf(value.money, language) });
  if (value.type === 'fixed') return t('fixedPrice', { value: amountsOf(value.money, language) });
  return value.type === 'giftLineItem' ? t('gift') : t('external');
}

/** The value of a discount in words; of a gift with the product. */
export function ValueWords({ value }: { value: Json | undefined }) {
  const t = useDiscountTexts();
  const { language } = usePreferences();
  if (isObject(value) && value.type === 'giftLineItem')
    return (
      <span className="row">
        {t('gift')} <Reference value={value.product} compact />
      </span>
    );
  return <span className="numbers">{valueText(value, t, language)}</span>;
}

/** Describes the target of a Cart Discount. */
export function TargetWords({ target }: { target: Json | undefined }) {
  const t = useDiscountTexts();
  if (!isObject(target)) return null;
  switch (target.type) {
    case 'totalPrice':
      return <>{t('onTotal')}</>;
    case 'shipping':
      return <>{t('onShipping')}</>;
    case 'lineItems': {
      const conditions = readPredicate(String(target.predicate ?? ''), 'item');
      if (conditions.length === 0) return <>{t('onItems')}</>;
      return (
        <span className="row wrap">
          {t('onItemsWhere')} <ConditionList conditions={conditions} />
        </span>
      );
    }
    case 'customLineItems':
      return <>{t('onCustom')}</>;
    case 'multiBuyLineItems':
    case 'multiBuyCustomLineItems':
      return (
        <>{t('onMultiBuy', { count: Number(target.discountedQuantity ?? 0), trigger: Number(target.triggerQuantity ?? 0) })}</>
      );
    default:
      return <>{t('onPattern')}</>;
  }
}

/** A predicate as conditions in words. */
export function PredicateWords({ text, dialect }: { text: Json | undefined; dialect: Dialect }) {
  const t = useDiscountTexts();
  const conditions = readPredicate(typeof text === 'string' ? text : '', dialect);
  if (conditions.length === 0) return <span className="muted">{dialect === 'cart' ? t('everybody') : t('allPrices')}</span>;
  return <ConditionList conditions={conditions} />;
}

function ConditionList({ conditions }: { conditions: Condition[] }) {
  const t = useDiscountTexts();
  return (
    <span className="condition-words">
      {conditions.map((condition, at) => (
        <Fragment key={at}>
          {at > 0 && <span className="muted small">{t('and')}</span>}
          <span className="condition-word">
            <ConditionWords condition={condition} />
          </span>
        </Fragment>
      ))}
    </span>
  );
}

const KIND_OF = { group: 'CustomerGroup', category: 'Category', productType: 'ProductType' } as const;

/** One condition in words. */
export function ConditionWords({ condition }: { condition: Condition }) {
  const t = useDiscountTexts();
  const model = useModel();
  const { language, zone } = usePreferences();
  const { type, values, by = 'id' } = condition;
  const or = ` ${t('or')} `;
  if (type === 'text') return <code>{values[0]}</code>;
  if (type === 'group' || type === 'category' || type === 'productType') {
    const kind = model.kind(KIND_OF[type]);
    return (
      <span className="row">
        {t(type)}
        {values.map((value) => (
          <Reference key={value} kind={kind} compact value={{ typeId: kind?.typeId ?? '', [by]: value }} />
        ))}
      </span>
    );
  }
  if (type === 'signedIn' || type === 'fullPrice') return <>{t(type)}</>;
  return <>{t(type, { value: values.map((value) => plainValue(type, value, language, zone)).join(or) })}</>;
}

/** `50.00 EUR` as money, a country by its name, a time as a date. */
function plainValue(type: Condition['type'], value: string, language: Language, zone: 'local' | 'UTC'): string {
  if (type === 'country') return nameOfCode('country', value, language);
  if (type === 'registered')
    return new Date(value).toLocaleDateString(language, { dateStyle: 'medium', timeZone: zone === 'UTC' ? 'UTC' : undefined });
  const money = type === 'total' ? value.match(/^(-?\d+)(?:\.(\d+))? ([A-Z]{3})$/) : null;
  if (!money) return value;
  const digits = money[2]?.length ?? 0;
  return formatMoney(
    { currencyCode: money[3]!, centAmount: Number(`${money[1]}${money[2] ?? ''}`), fractionDigits: digits },
    language,
  );
}

export type DiscountStatus = 'active' | 'inactive' | 'scheduled' | 'expired';

/** Whether a discount or a code counts at a time. */
export function statusOf(document: JsonObject, now = Date.now()): DiscountStatus {
  if (document.isActive === false) return 'inactive';
  if (typeof document.validFrom === 'string' && new Date(document.validFrom).getTime() > now) return 'scheduled';
  if (typeof document.validUntil === 'string' && new Date(document.validUntil).getTime() <= now) return 'expired';
  return 'active';
}

const LOOKS = { active: 'success', inactive: 'neutral', scheduled: 'info', expired: 'warning' } as const;

export function StatusChip({ document }: { document: JsonObject | Document }) {
  const t = useDiscountTexts();
  const status = statusOf(document);
  return <Chip look={LOOKS[status]}>{t(status)}</Chip>;
}

/** `until 6 Dec 2026`; exactly also the time, which is always in the title. */
export function ValidityWords({ document, exact }: { document: JsonObject; exact?: boolean }) {
  const t = useDiscountTexts();
  const { language, zone } = usePreferences();
  const time = (value: Json | undefined, style: 'date' | 'full') =>
    typeof value !== 'string'
      ? undefined
      : style === 'full'
        ? formatDateTime(value, language, zone, 'short')
        : new Date(value).toLocaleDateString(language, { dateStyle: 'medium', timeZone: zone === 'UTC' ? 'UTC' : undefined });
  const text = (style: 'date' | 'full') => {
    const [from, until] = [time(document.validFrom, style), time(document.validUntil, style)];
    if (from && until) return t('range', { from, until });
    return from ? t('from', { from }) : until ? t('until', { until }) : undefined;
  };
  const short = text('date');
  if (!short) return <span className="muted">{t('always')}</span>;
  return (
    <span className="numbers" title={text('full')}>
      {exact ? text('full') : short}
    </span>
  );
}

/** Rows of a description list. */
export function WordRows({ rows }: { rows: [string, ReactNode][] }) {
  return (
    <dl className="word-rows">
      {rows.map(([label, content]) => (
        <div key={label} className="word-row">
          <dt>{label}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  );
}
