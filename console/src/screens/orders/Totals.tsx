import type { ReactNode } from 'react';
import { usePreferences } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Reference } from '../../ui/Reference';
import { Money } from '../../ui/values';
import { centsOf, itemsOf, moneyLike, portionsOf, waysOf, type Way } from './documents';
import { DiscountLine } from './DiscountLine';
import { useOrderTexts } from './texts';

/** Items, shipping, discounts on the total, taxes: how the total comes about. */
export function Totals({ document }: { document: JsonObject }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const total = objectOf(document.totalPrice);
  const items = itemsOf(document);
  const sum = items.reduce((cents, item) => cents + centsOf(item.totalPrice), 0);
  const count = items.reduce((all, item) => all + item.quantity, 0);
  const off = objectOf(document.discountOnTotalPrice);
  const taxed = objectOf(document.taxedPrice);
  const gross = objectOf(taxed?.totalGross);
  const taxLabel = (portion: JsonObject, isAdded: boolean) => {
    const rate = Number(portion.rate).toLocaleString(language, { style: 'percent', maximumFractionDigits: 2 });
    const name = String(portion.name ?? t('tax'));
    const full = name.includes('%') ? name : `${name} ${rate}`;
    return isAdded ? full : t('taxIncluded', { name: full });
  };
  const addsTax = gross !== undefined && centsOf(gross) !== centsOf(total);
  return (
    <dl className="totals">
      <Row label={t('itemsCount', { count })}>
        <Money value={moneyLike(total, sum)} />
      </Row>
      {waysOf(document).map((way, at) => (
        <Row key={way.key ?? at} label={<WayLabel way={way} />}>
          <WayPrice way={way} />
        </Row>
      ))}
      {off && (
        <Row
          label={
            <span className="stack-small">
              <span>{t('discountOnTotal')}</span>
              {portionsOf(off).map((portion, at) => (
                <DiscountLine key={at} portion={portion} />
              ))}
            </span>
          }
        >
          −<Money value={off.discountedAmount} />
        </Row>
      )}
      <Row label={t('total')} strong={!addsTax}>
        <Money value={total} />
      </Row>
      {objectsOf(taxed?.taxPortions).map((portion, at) => (
        <Row key={at} muted label={taxLabel(portion, addsTax)}>
          <Money value={portion.amount} />
        </Row>
      ))}
      {addsTax && (
        <Row label={t('totalGross')} strong>
          <Money value={gross} />
        </Row>
      )}
    </dl>
  );
}

function Row({ label, children, strong, muted }: { label: ReactNode; children: ReactNode; strong?: boolean; muted?: boolean }) {
  return (
    <div className={`totals-row${strong ? ' totals-strong' : ''}${muted ? ' muted small' : ''}`}>
      <dt>{label}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  );
}

function WayLabel({ way }: { way: Way }) {
  const t = useOrderTexts();
  const portions = portionsOf(way.info.discountedPrice);
  return (
    <span className="stack-small">
      <span className="row wrap">
        {t('shipping')}
        <span className="muted">
          {way.info.shippingMethod ? (
            <Reference value={way.info.shippingMethod} compact />
          ) : (
            String(way.info.shippingMethodName ?? '')
          )}
        </span>
      </span>
      {portions.map((portion, at) => (
        <DiscountLine key={at} portion={portion} />
      ))}
    </span>
  );
}

function WayPrice({ way }: { way: Way }) {
  const discounted = objectOf(objectOf(way.info.discountedPrice)?.value);
  if (!discounted) return <Money value={way.info.price} />;
  return (
    <span className="row">
      <s className="muted">
        <Money value={way.info.price} />
      </s>
      <Money value={discounted} />
    </span>
  );
}
