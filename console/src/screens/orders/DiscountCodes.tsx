import { useState } from 'react';
import { ApiError } from '../../api/errors';
import { useKind, useUpdate } from '../../api/hooks';
import { useTarget } from '../../api/references';
import { usePreferences, type Language } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { humanize, objectOf, objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, notify, notifyError, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { Reference } from '../../ui/Reference';
import { useWords } from '../../ui/texts';
import { formatDateTime, formatMoney, Money, moneyText } from '../../ui/values';
import { discountTotals, idOf, moneyLike, numberOf, textOfField } from './documents';
import { checkPredicate, matchesItem, type Check } from './predicate-checks';
import { useCodeTexts } from './code-texts';
import { Part } from './OrderFacts';

const GOOD = 'MatchesCart';

/** The Discount Codes of a Cart or an Order: whether each counts, and why not. */
export function DiscountCodes({ kind, document }: { kind: Kind; document: Document }) {
  const t = useCodeTexts();
  const { mayUpdate } = useOpenDocument();
  const codes = objectsOf(document.discountCodes);
  const mayTry = mayUpdate && kind.actions.some((action) => action.name === 'addDiscountCode') && document.cartState === 'Active';
  if (codes.length === 0 && !mayTry) return null;
  return (
    <Part label={t('codes')}>
      <ul className="codes">
        {codes.map((info) => (
          <CodeRow key={idOf(info.discountCode)} kind={kind} info={info} document={document} mayRemove={mayTry} />
        ))}
      </ul>
      {mayTry && <TryCode kind={kind} document={document} />}
    </Part>
  );
}

/** Adds a code at once. The field shows the error of the API if it refuses the code. */
function TryCode({ kind, document }: { kind: Kind; document: Document }) {
  const t = useCodeTexts();
  const words = useWords();
  const { editing } = useOpenDocument();
  const update = useUpdate(kind);
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const add = () => {
    const text = code.trim();
    if (!text) return;
    setError(undefined);
    update.mutateAsync({ document, actions: [{ action: 'addDiscountCode', code: text }] }).then(
      (after) => {
        setCode('');
        const known = new Set(objectsOf(document.discountCodes).map((info) => idOf(info.discountCode)));
        const added = objectsOf(after.discountCodes).find((info) => !known.has(idOf(info.discountCode)));
        const undo = () =>
          void update
            .mutateAsync({ document: after, actions: [{ action: 'removeDiscountCode', discountCode: added!.discountCode! }] })
            .catch(notifyError);
        notify({ look: 'success', text: t('codeAdded', { code: text }), action: added && { label: t('undo'), run: undo } });
      },
      (reason: unknown) => setError(reason instanceof ApiError ? reason.message : String(reason)),
    );
  };
  return (
    <form
      className="row-top try-code"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="grow">
        <TextField
          aria-label={t('tryCode')}
          placeholder={t('tryCode')}
          value={code}
          onChange={setCode}
          error={error}
          autoComplete="off"
        />
      </div>
      <Button type="submit" isPending={update.isPending} isDisabled={!code.trim() || editing.isDirty}>
        {words('add')}
      </Button>
    </form>
  );
}

function CodeRow({ kind, info, document, mayRemove }: { kind: Kind; info: JsonObject; document: Document; mayRemove: boolean }) {
  const t = useCodeTexts();
  const { kind: codes, mayView } = useKind('DiscountCode');
  const { editing, review } = useOpenDocument();
  const target = useTarget(codes, { id: idOf(info.discountCode) }, mayView);
  const code = target.data ?? undefined;
  const state = String(info.state);
  const remove = () => {
    editing.queue({ action: 'removeDiscountCode', discountCode: info.discountCode! });
    review();
  };
  const name = textOfField(code?.code) ?? '…';
  return (
    <li className="code-row">
      <div className="row wrap">
        <b className="mono">
          <Reference
            value={{ ...(objectOf(info.discountCode) ?? {}), ...(code ? { obj: { ...code, name: name } } : {}) }}
            compact
          />
        </b>
        <Chip look={state === GOOD ? 'success' : 'danger'} icon={state === GOOD ? 'check' : 'warning'}>
          {state}
        </Chip>
        {mayRemove && (
          <span className="push">
            <IconButton small icon="close" label={t('removeCode', { code: name })} onPress={remove} />
          </span>
        )}
      </div>
      {target.isLoading ? <Skeleton lines={2} /> : code && <Reasons code={code} state={state} document={document} kind={kind} />}
    </li>
  );
}

/** Shows why a code applies or not: its own limits, then those of each of its Cart Discounts. */
function Reasons({ code, state, document }: { code: Document; state: string; document: Document; kind: Kind }) {
  const t = useCodeTexts();
  const { language, zone } = usePreferences();
  const period = periodText(code, language, zone, t);
  const discounts = Array.isArray(code.cartDiscounts) ? code.cartDiscounts : [];
  return (
    <div className="stack-small">
      <p>{t(`why${state}` as 'whyMatchesCart')}</p>
      <ul className="checks">
        {code.isActive === false && <CheckRow ok={false}>{t('codeInactive')}</CheckRow>}
        {period && <CheckRow ok={period.ok}>{period.text}</CheckRow>}
        {state === 'MaxApplicationReached' && (
          <CheckRow ok={false}>
            {[
              typeof code.maxApplications === 'number' && t('maxInAll', { count: code.maxApplications }),
              typeof code.maxApplicationsPerCustomer === 'number' && t('maxEach', { count: code.maxApplicationsPerCustomer }),
            ]
              .filter(Boolean)
              .join(' ')}
          </CheckRow>
        )}
        <PredicateChecks predicate={textOfField(code.cartPredicate)} document={document} />
      </ul>
      {discounts.map((discount) => (
        <DiscountChecks key={idOf(discount)} reference={objectOf(discount) ?? {}} document={document} />
      ))}
    </div>
  );
}

function DiscountChecks({ reference, document }: { reference: JsonObject; document: Document }) {
  const t = useCodeTexts();
  const { language, zone } = usePreferences();
  const { kind, mayView } = useKind('CartDiscount');
  const { data } = useTarget(kind, { id: idOf(reference) }, mayView);
  const off = discountTotals(document).get(String(reference.id)) ?? 0;
  const discount = data ?? undefined;
  const period = discount && periodText(discount, language, zone, t);
  const stores = Array.isArray(discount?.stores) ? discount.stores : [];
  const store = textOfField(objectOf(document.store)?.key);
  const target = objectOf(discount?.target);
  const predicate = textOfField(target?.predicate);
  const isHit =
    predicate === undefined || target?.type !== 'lineItems'
      ? undefined
      : objectsOf(document.lineItems).map((item) => matchesItem(predicate, item));
  return (
    <div className="code-discount">
      <div className="row wrap">
        <Reference value={reference} compact />
        <span className="muted">{discount && valueText(discount, language, t)}</span>
        {off > 0 && (
          <Chip look="success">
            −<Money value={moneyLike(document.totalPrice, off)} />
          </Chip>
        )}
      </div>
      {discount && (
        <ul className="checks">
          {discount.isActive === false && <CheckRow ok={false}>{t('discountInactive')}</CheckRow>}
          {period && <CheckRow ok={period.ok}>{period.text}</CheckRow>}
          {stores.length > 0 && (
            <CheckRow ok={stores.some((one) => objectOf(one)?.key === store)}>
              {t('onlyStores', { names: stores.map((one) => String(objectOf(one)?.key)).join(', ') })}
            </CheckRow>
          )}
          <PredicateChecks predicate={textOfField(discount.cartPredicate)} document={document} />
          {isHit && predicate && !/^(true|1\s*=\s*1)$/i.test(predicate) && (
            <CheckRow ok={isHit.includes(true) ? true : isHit.includes(undefined) ? undefined : false}>
              {t('forItems')} <code>{predicate}</code>
            </CheckRow>
          )}
        </ul>
      )}
    </div>
  );
}

function PredicateChecks({ predicate, document }: { predicate?: string; document: Document }) {
  const t = useCodeTexts();
  const { language } = usePreferences();
  if (!predicate) return null;
  return checkPredicate(predicate, document)
    .filter((check) => check.name !== 'always')
    .map((check, at) => (
      <CheckRow key={at} ok={check.ok}>
        <span title={check.text}>{checkText(check, language, t)}</span>
        {check.actual !== undefined && (
          <span className="muted">
            {' '}
            {t('isNow')} {inWords(check.actual, language)}
          </span>
        )}
        {check.ok === undefined && <span className="muted"> {t('unchecked')}</span>}
      </CheckRow>
    ));
}

function CheckRow({ ok, children }: { ok: boolean | undefined; children: React.ReactNode }) {
  const t = useCodeTexts();
  const look = ok === undefined ? 'unknown' : ok ? 'ok' : 'bad';
  return (
    <li className={`check check-${look}`}>
      <Icon name={ok === undefined ? 'info' : ok ? 'check' : 'close'} size={14} />
      <span className="visually-hidden">{t(look === 'ok' ? 'checkOk' : look === 'bad' ? 'checkBad' : 'checkUnknown')}</span>
      <span className="grow" dir="auto">
        {children}
      </span>
    </li>
  );
}

type Translate = ReturnType<typeof useCodeTexts>;

/** `100.00 EUR` of a predicate as the operator writes money. */
function inWords(text: string, language: Language): string {
  const money = text.match(/^(-?\d+(?:\.(\d+))?) ([A-Z]{3})$/);
  if (!money) return text;
  const digits = money[2]?.length ?? 0;
  const centAmount = Math.round(Number(money[1]) * 10 ** digits);
  return formatMoney({ currencyCode: money[3]!, centAmount, fractionDigits: digits }, language);
}

/** `Cart total ≥ 100.00 EUR` */
function checkText(check: Check, language: Language, t: Translate): string {
  if (!check.operator) return check.text;
  const names: Record<string, string> = {
    totalPrice: t('nameTotal'),
    currency: t('nameCurrency'),
    country: t('nameCountry'),
    'customer.email': t('nameEmail'),
    'shippingAddress.country': t('nameShippingCountry'),
    lineItemCount: t('nameCount'),
    lineItemTotal: t('nameItemTotal'),
    lineItemExists: t('nameExists'),
  };
  const operators: Record<string, string> = { '>=': '≥', '<=': '≤', '!=': '≠', '<>': '≠', in: t('oneOf'), 'not in': t('noneOf') };
  const name = names[check.name] ?? humanize(check.name.replaceAll('.', ' '));
  const isAll = !check.inner || /^(true|1\s*=\s*1|true\s*=\s*true)$/i.test(check.inner.trim());
  const value = check.value
    .replace(/^"(.*)"$/s, '$1')
    .replace(/^\((.*)\)$/s, '$1')
    .replaceAll('"', '');
  if (check.name === 'lineItemExists') return `${name} ${check.inner ?? ''}`;
  return `${name}${isAll ? '' : ` (${check.inner})`} ${operators[check.operator] ?? check.operator} ${inWords(value, language)}`;
}

/** Returns the validity period of a document as text, and whether it is valid now. */
function periodText(
  of: JsonObject,
  language: Language,
  zone: 'local' | 'UTC',
  t: Translate,
): { ok: boolean; text: string } | undefined {
  const [from, until] = [textOfField(of.validFrom), textOfField(of.validUntil)];
  if (!from && !until) return undefined;
  const show = (time: string) => formatDateTime(time, language, zone, 'short');
  const now = Date.now();
  const isEarly = from !== undefined && now < Date.parse(from);
  const isLate = until !== undefined && now >= Date.parse(until);
  const text = isEarly
    ? t('validOnlyFrom', { from: show(from!) })
    : isLate
      ? t('expiredAt', { until: show(until!) })
      : from && until
        ? t('validBetween', { from: show(from), until: show(until) })
        : until
          ? t('validUntil', { until: show(until) })
          : t('validFrom', { from: show(from!) });
  return { ok: !isEarly && !isLate, text };
}

/** `10 % off`, `5,00 € off`, `a gift`. */
function valueText(discount: JsonObject, language: Language, t: Translate): string {
  const value = objectOf(discount.value);
  const target = String(objectOf(discount.target)?.type ?? '');
  const on = target === 'shipping' ? t('onShipping') : target === 'totalPrice' ? t('onTotal') : target ? t('onItems') : '';
  const money = objectsOf(value?.money)
    .map((one) => moneyText(one, language))
    .join(' / ');
  switch (value?.type) {
    case 'relative':
      return `${t('percentOff', { percent: (numberOf(value.permyriad) / 100).toLocaleString(language) })} ${on}`;
    case 'absolute':
      return `${t('moneyOff', { money })} ${on}`;
    case 'fixed':
      return `${t('fixedPrice', { money })} ${on}`;
    case 'giftLineItem':
      return t('giftItem');
    default:
      return '';
  }
}
