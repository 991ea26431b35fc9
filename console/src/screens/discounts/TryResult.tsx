import { useMutation } from '@tanstack/react-query';
import { useKind } from '../../api/hooks';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, JsonObject } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Chip, notifyError } from '../../ui/Feedback';
import { Icon } from '../../ui/Icon';
import { Reference } from '../../ui/Reference';
import { formatDateTime, formatMoney, LocalizedText, Money, moneyText, nameOfCode } from '../../ui/values';
import { readPredicate, type Condition } from './conditions';
import { appliedTo, explainPredicate, fullPrice, type Check, type CodeOutcome, type TryInput, type TryOutcome } from './try-cart';
import { useTryTexts } from './try-texts';
import { ConditionWords, StatusChip, statusOf, ValueWords } from './words';

/** Shows the result of a trial: the codes and why they do not apply, the items with their discounts, and the other discounts. */
export function TryResult({ outcome, input }: { outcome: TryOutcome; input: TryInput }) {
  const t = useTryTexts();
  const { cart, codes, automatic } = outcome;
  const applied = new Set(appliedTo(cart).map(({ reference }) => String(reference.id)));
  const gifts = objectsOf(cart.lineItems).filter((item) => item.lineItemMode === 'GiftLineItem');
  return (
    <section className="try-result stack" aria-label={t('result')}>
      {codes.length > 0 && (
        <ul className="try-codes">
          {codes.map((code) => (
            <CodeRow
              key={code.code}
              code={code}
              outcome={outcome}
              isEffective={gifts.length > 0 || code.discounts.some(({ id }) => applied.has(id))}
            />
          ))}
        </ul>
      )}
      <CartTable cart={cart} codes={codes} />
      {automatic.length > 0 && (
        <div className="stack-small">
          <h3>{t('otherDiscounts')}</h3>
          <ul className="try-codes">
            {[...automatic]
              .sort((a, b) => Number(applied.has(b.id)) - Number(applied.has(a.id)))
              .map((discount) => (
                <DiscountRow
                  key={discount.id}
                  discount={discount}
                  isApplied={applied.has(discount.id)}
                  outcome={outcome}
                  input={input}
                />
              ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function CartTable({ cart, codes }: { cart: Document; codes: CodeOutcome[] }) {
  const t = useTryTexts();
  const { language } = usePreferences();
  const total = isObject(cart.totalPrice) ? cart.totalPrice : {};
  const money = (centAmount: number): JsonObject => ({ ...total, centAmount });
  const items = [...objectsOf(cart.lineItems), ...objectsOf(cart.customLineItems)];
  const isGift = (item: JsonObject) => item.lineItemMode === 'GiftLineItem';
  const before = items.reduce((sum, item) => sum + fullPrice(item), 0);
  const after = Number(total.centAmount ?? 0);
  const saved = before - after;
  const names = new Map(codes.filter((code) => code.isTemporary).flatMap((code) => code.discounts.map(({ id }) => [id, code])));
  return (
    <table className="try-table">
      <thead>
        <tr>
          <th scope="col">{t('item')}</th>
          <th scope="col" className="table-end">
            {t('quantity')}
          </th>
          <th scope="col" className="table-end">
            {t('before')}
          </th>
          <th scope="col" className="table-end">
            {t('after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={String(item.id)}>
            <th scope="row">
              <span className="stack-small">
                <span>
                  <LocalizedText value={item.name} /> {isGift(item) && <Chip look="accent">{t('giftLine')}</Chip>}
                </span>
                <Portions holder={item} money={money} temporary={names} />
              </span>
            </th>
            <td className="table-end numbers">{Number(item.quantity)}</td>
            <td className="table-end">
              <Money value={money(fullPrice(item))} />
            </td>
            <td className="table-end">
              <Money value={item.totalPrice} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">
            <span className="stack-small">
              <span>{t('total')}</span>
              <Portions holder={{ discountOnTotalPrice: cart.discountOnTotalPrice ?? null }} money={money} temporary={names} />
            </span>
          </th>
          <td />
          <td className="table-end">
            <Money value={money(before)} />
          </td>
          <td className="table-end">
            <span className="stack-small try-total">
              <Money value={total} />
              <Chip look={saved > 0 ? 'success' : 'neutral'}>
                {saved > 0 ? t('saved', { amount: moneyText(money(saved), language) }) : t('savedNothing')}
              </Chip>
            </span>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The discounts of one item with their amounts. */
function Portions({
  holder,
  money,
  temporary,
}: {
  holder: JsonObject;
  money: (cents: number) => JsonObject;
  temporary: Map<string, CodeOutcome>;
}) {
  const t = useTryTexts();
  return appliedTo({ ...holder, lineItems: [] }).map(({ reference, centAmount }) => (
    <span key={String(reference.id)} className="row small muted">
      {temporary.has(String(reference.id)) ? t('tried') : <Reference value={reference} compact />}
      <Money value={money(-centAmount)} />
    </span>
  ));
}

function CodeRow({ code, outcome, isEffective }: { code: CodeOutcome; outcome: TryOutcome; isEffective: boolean }) {
  const t = useTryTexts();
  const matches = code.state === 'MatchesCart';
  const text = matches && !isEffective ? t('noEffect') : t(code.state as Parameters<typeof t>[0]);
  const isOfStores =
    code.state === 'DoesNotMatchCart' &&
    code.checks.every(({ holds }) => holds) &&
    code.discounts.some(({ stores }) => Array.isArray(stores) && stores.length > 0);
  const look = matches ? (isEffective ? 'success' : 'warning') : 'danger';
  return (
    <li className="try-code" data-look={look}>
      <div className="row">
        <Icon name={matches && isEffective ? 'check' : 'warning'} />
        <span className="grow">
          <b className={code.isTemporary ? undefined : 'mono'}>{code.isTemporary ? t('tried') : code.code}</b> {text}
        </span>
      </div>
      {matches && !isEffective && <p className="small">{t('noEffectHint')}</p>}
      <Reasons code={code} />
      <Checks checks={code.checks} outcome={outcome} />
      {isOfStores && <p className="small">{t('otherStores')}</p>}
    </li>
  );
}

/** Shows why a code does not apply: the code or one of its Cart Discounts is inactive or outside of its time. */
function Reasons({ code }: { code: CodeOutcome }) {
  const t = useTryTexts();
  const { language } = usePreferences();
  const { kind } = useKind('CartDiscount');
  if (!code.document || code.state === 'MatchesCart') return null;
  const holders = [
    { name: t('thisCode'), document: code.document },
    ...code.discounts.map((document) => ({ name: kind ? titleOf(kind, document, language) : document.id, document })),
  ];
  const reasons = holders.flatMap(({ name, document }) => {
    const status = statusOf(document);
    return status === 'active'
      ? []
      : t(status === 'inactive' ? 'isInactive' : status === 'expired' ? 'isExpired' : 'isScheduled', { name });
  });
  if (reasons.length === 0) return code.message ? <p className="small">{code.message}</p> : null;
  return reasons.map((reason) => (
    <p key={reason} className="small">
      {reason}
    </p>
  ));
}

/** Each condition, whether it holds, and what the cart has instead. */
function Checks({ checks, outcome }: { checks: Check[]; outcome: TryOutcome }) {
  const t = useTryTexts();
  const actual = useActual(outcome);
  if (checks.length === 0) return null;
  return (
    <ul className="try-checks">
      {checks.map(({ clause, holds }) => {
        const condition = readPredicate(clause, 'cart')[0] ?? { type: 'text', values: [clause] };
        const found = holds ? undefined : actual(condition);
        return (
          <li key={clause} data-holds={holds}>
            <Icon name={holds ? 'check' : 'close'} size={14} />
            <span className="visually-hidden">{holds ? t('holds') : t('holdsNot')}: </span>
            <ConditionWords condition={condition} />
            {found && <span className="muted">({t('cartHas', { value: found })})</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the value of the cart for a condition that it does not meet. */
function useActual({ cart, customer }: TryOutcome): (condition: Condition) => string | undefined {
  const t = useTryTexts();
  const { language, zone } = usePreferences();
  return ({ type }) => {
    const items = objectsOf(cart.lineItems);
    switch (type) {
      case 'country':
        return typeof cart.country === 'string' ? nameOfCode('country', cart.country, language) : t('notSet');
      case 'registered':
        return typeof customer?.createdAt === 'string' ? formatDateTime(customer.createdAt, language, zone, 'short') : t('guest');
      case 'signedIn':
        return t('guest');
      case 'group':
        return cart.customerId ? undefined : t('guest');
      case 'total':
        return formatMoney(
          { ...(cart.totalPrice as { currencyCode: string }), centAmount: items.reduce((sum, item) => sum + fullPrice(item), 0) },
          language,
        );
      case 'count':
        return String(items.reduce((sum, item) => sum + Number(item.quantity ?? 0), 0));
      case 'sku':
        return items.map((item) => (isObject(item.variant) ? String(item.variant.sku) : '')).join(', ');
      default:
        return undefined;
    }
  };
}

/** An automatic discount, and on request why it does not apply. */
function DiscountRow({
  discount,
  isApplied,
  outcome,
  input,
}: {
  discount: Document;
  isApplied: boolean;
  outcome: TryOutcome;
  input: TryInput;
}) {
  const t = useTryTexts();
  const client = useClient();
  const status = statusOf(discount);
  const why = useMutation({
    mutationFn: () => explainPredicate(client, input, String(discount.cartPredicate)),
    onError: notifyError,
  });
  return (
    <li className="try-code" data-look={isApplied ? 'success' : undefined}>
      <div className="row">
        <Icon name={isApplied ? 'check' : 'minus'} />
        <span className="grow row wrap">
          <Reference value={{ typeId: 'cart-discount', id: discount.id, obj: discount }} compact />
          <span className="muted">
            <ValueWords value={discount.value} />
          </span>
          <span>{isApplied ? t('applied') : t('notApplied')}</span>
        </span>
        {!isApplied && status !== 'active' && <StatusChip document={discount} />}
        {!isApplied && status === 'active' && (
          <Button small look="plain" onPress={() => why.mutate()} isPending={why.isPending}>
            {t('why')}
          </Button>
        )}
      </div>
      {why.data &&
        (why.data.every((check) => check.holds) ? (
          <p className="small">{t('matchesButNo')}</p>
        ) : (
          <Checks checks={why.data} outcome={outcome} />
        ))}
    </li>
  );
}
