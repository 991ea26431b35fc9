import { useModel } from '../api/project';
import { usePreferences } from '../app/preferences';
import { shortText } from '../model/display';
import { isLocalized, isMoney, isReference } from '../model/model';
import type { Field, Json } from '../model/types';
import { isObject } from '../model/values';
import { Chip } from './Feedback';
import { Reference } from './Reference';
import { useWords } from './texts';
import { DateTime, LocalizedText, Money, YesNo } from './values';

const GOOD =
  /^(Complete|Confirmed|Paid|Shipped|Delivered|Ready|Active|Approved|Accepted|Success|Activated|Published|Merged|Verified|Healthy)$/i;
const BAD = /^(Cancelled|Failed|Failure|Failing|Rejected|Declined|Inactive|Unhealthy|Deleted|Withdrawn|ConfigurationError)/i;
const WAITING =
  /^(Pending|Open|Submitted|InProgress|Processing|Backorder|Delayed|BalanceDue|Initial|Sent|Partial|CreditOwed|RenegotiationAddressed|Frozen|TemporaryError|ManuallySuspended|Indexing)/i;

/** The value of an enum, with a colour if its word says whether that is good. */
export function EnumChip({ value }: { value: string }) {
  return (
    <Chip look={GOOD.test(value) ? 'success' : BAD.test(value) ? 'danger' : WAITING.test(value) ? 'warning' : 'neutral'}>
      {value}
    </Chip>
  );
}

const LIST_MAX = 3;

/** A value in one line, by its field. `plain`: without links. */
export function ValueCell({ field, value, plain }: { field: Field; value: Json | undefined; plain?: boolean }) {
  const t = useWords();
  const model = useModel();
  const { language } = usePreferences();
  if (value === undefined || value === null)
    return (
      <span className="muted" aria-label={t('notSet')}>
        –
      </span>
    );
  if (Array.isArray(value)) {
    if (value.length === 0)
      return (
        <span className="muted" aria-label={t('none')}>
          –
        </span>
      );
    const inner = { ...field, list: (field.list - 1) as 0 | 1 };
    const short = value.every((one) => !isObject(one)) || isReference(field);
    if (!short) return <span className="muted numbers">{t('items', { count: value.length })}</span>;
    return (
      <>
        {value.slice(0, LIST_MAX).map((one, at) => (
          <ValueCell key={at} field={inner} value={one} plain={plain} />
        ))}
        {value.length > LIST_MAX && <span className="muted">+{value.length - LIST_MAX}</span>}
      </>
    );
  }
  if (isReference(field)) {
    const only = field.references?.length === 1 ? model.kindOfType(field.references[0]!) : undefined;
    return <Reference value={value} kind={only} compact plain={plain} />;
  }
  if (isMoney(field)) return <Money value={value} />;
  if (isLocalized(field)) return <LocalizedText value={value} />;
  if (typeof value === 'boolean') return <YesNo value={value} />;
  if (field.type === 'DateTime' && typeof value === 'string') return <DateTime value={value} />;
  if (model.enumOf(field.type) && typeof value === 'string') return <EnumChip value={value} />;
  if (typeof value === 'number') return <span className="numbers">{value.toLocaleString(language)}</span>;
  if (typeof value === 'string')
    return (
      <span dir="auto" title={value.length > 30 ? value.slice(0, 400) : undefined}>
        {value.slice(0, 200)}
      </span>
    );
  if (isObject(value) && typeof value.typeId === 'string') return <Reference value={value} compact plain={plain} />;
  const text = shortText(value, language) ?? JSON.stringify(value);
  return (
    <span className="mono muted" title={text.slice(0, 400)}>
      {text.slice(0, 120)}
    </span>
  );
}
