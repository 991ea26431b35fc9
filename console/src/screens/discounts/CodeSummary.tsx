import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Banner, Skeleton } from '../../ui/Feedback';
import { formatDateTime, LocalizedText } from '../../ui/values';
import { useDiscountTexts } from './texts';
import { PredicateWords, StatusChip, statusOf, TargetWords, ValueWords } from './words';
import './discounts.css';

/** Shows the number of uses of a code, whether it applies now, and its discounts. */
export default function CodeSummary({ document }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const { key } = useProject();
  const orders = useKind('Order');
  const discountKind = useKind('CartDiscount').kind;
  const used = useUses(document.id, orders.mayView);
  const discounts = useDiscountsOf(document);
  const reasons = useReasons(document, discounts.data, used.data);
  const most = typeof document.maxApplications === 'number' ? document.maxApplications : undefined;
  const perCustomer = typeof document.maxApplicationsPerCustomer === 'number' ? document.maxApplicationsPerCustomer : undefined;
  return (
    <section className="discount-summary stack">
      {discounts.data &&
        (reasons.length > 0 ? (
          <Banner look="warning">
            <b>{t('doesNotApply')}</b> {reasons.join(' ')}
          </Banner>
        ) : (
          <Banner look="success">{t('applies')}</Banner>
        ))}
      <div className="figures">
        {orders.kind && orders.mayView && (
          <Link className="figure" href={`${paths.list(key, orders.kind)}?where=${encodeURIComponent(ordersOf(document.id))}`}>
            <span className="figure-label">{t('used')}</span>
            <span className="figure-value numbers">{used.data ?? '–'}</span>
            <span className="figure-hint">{t('orders')}</span>
          </Link>
        )}
        <div className="figure">
          <span className="figure-label">{t('limit')}</span>
          <span className="figure-value numbers">{most ?? '∞'}</span>
          <span className="figure-hint">
            {most === undefined
              ? t('noLimit')
              : used.data === undefined
                ? ''
                : t('left', { count: Math.max(0, most - used.data) })}
          </span>
        </div>
        <div className="figure">
          <span className="figure-label">{t('limitPerCustomer')}</span>
          <span className="figure-value numbers">{perCustomer ?? '∞'}</span>
          <span className="figure-hint">{perCustomer === undefined ? t('noLimit') : t('perCustomerHint')}</span>
        </div>
      </div>
      <div className="stack-small">
        <h2>{t('discounts')}</h2>
        {!discounts.data ? (
          <Skeleton lines={2} />
        ) : (
          <ul className="home-rows">
            {discounts.data.map((discount) => (
              <li key={discount.id} className="home-row code-discount">
                <span className="stack-tight grow">
                  {discountKind ? (
                    <Link href={paths.document(key, discountKind, discount.id)} className="cell-title">
                      <LocalizedText value={discount.name} />
                    </Link>
                  ) : (
                    <LocalizedText value={discount.name} />
                  )}
                  <span className="row wrap small order-words">
                    <ValueWords value={discount.value} />
                    <span className="muted dot">·</span> <TargetWords target={discount.target} />
                    <span className="muted dot">·</span> <PredicateWords text={discount.cartPredicate} dialect="cart" />
                  </span>
                </span>
                <StatusChip document={discount} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

const ordersOf = (id: string) => `discountCodes(discountCode(id = "${id}") and state = "MatchesCart")`;

/** In how many orders a code applies. */
function useUses(id: string, enabled: boolean) {
  const { client } = useProject();
  return useQuery({
    queryKey: [client.project, 'Order', 'list', 'uses', id],
    enabled,
    queryFn: async ({ signal }) =>
      (await client.request<Page>('orders', { signal, query: { where: ordersOf(id), limit: 0, withTotal: true } })).total ?? 0,
  });
}

function useDiscountsOf(document: Document) {
  const { client } = useProject();
  const ids = (Array.isArray(document.cartDiscounts) ? document.cartDiscounts : [])
    .filter(isObject)
    .map((reference) => String(reference.id));
  return useQuery({
    queryKey: [client.project, 'CartDiscount', 'list', 'of', ids],
    queryFn: async ({ signal }) => {
      const where = `id in (${ids.map((id) => JSON.stringify(id)).join(', ')})`;
      return (
        await client.request<Page>('cart-discounts', { signal, query: { where, sort: 'sortOrder desc', withTotal: false } })
      ).results;
    },
  });
}

/** Returns the reasons why a code cannot apply to any cart now. */
function useReasons(document: Document, discounts: Document[] | undefined, used: number | undefined): string[] {
  const t = useDiscountTexts();
  const { kind } = useKind('CartDiscount');
  const { language, zone } = usePreferences();
  const reasonOf = (one: JsonObject, name: string): string[] => {
    const time = (value: unknown) => formatDateTime(String(value), language, zone, 'short');
    switch (statusOf(one)) {
      case 'inactive':
        return [t('isInactive', { name })];
      case 'scheduled':
        return [t('isScheduled', { name, time: time(one.validFrom) })];
      case 'expired':
        return [t('isExpired', { name, time: time(one.validUntil) })];
      default:
        return [];
    }
  };
  const reasons = reasonOf(document, t('thisCode'));
  const most = document.maxApplications;
  if (typeof most === 'number' && used !== undefined && used >= most) reasons.push(t('isUsedUp', { count: most }));
  // A code applies as long as one of its Cart Discounts does.
  if (discounts && !discounts.some((discount) => statusOf(discount) === 'active'))
    reasons.push(...discounts.flatMap((discount) => reasonOf(discount, kind ? titleOf(kind, discount, language) : discount.id)));
  return reasons;
}
