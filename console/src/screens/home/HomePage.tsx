import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { paths } from '../../app/paths';
import { queryOf } from '../../list/list-state';
import type { Document, Kind } from '../../model/types';
import { Chip, EmptyState, Skeleton } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Reference } from '../../ui/Reference';
import { EnumChip } from '../../ui/ValueCell';
import { DateTime, formatMoney, Money } from '../../ui/values';
import { Health } from './Health';
import { Part } from './Part';
import { useHomeTexts } from './texts';
import { DAYS, ORDERS_MAX, useSales, type Sales } from './sales';

const Chart = lazy(() => import('../../ui/Chart'));

const REFILL_BELOW = 5;
const ROWS = 7;

export default function HomePage() {
  const project = useProject();
  const { kind: orders, mayView: seesOrders } = useKind('Order');
  const { kind: carts, mayView: seesCarts } = useKind('Cart');
  const { kind: stock, mayView: seesStock } = useKind('InventoryEntry');
  usePageTitle(undefined);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{project.name}</h1>
      </div>
      {seesOrders && orders && (
        <SalesPart orders={orders} carts={seesCarts ? carts : undefined} stock={seesStock ? stock : undefined} />
      )}
      <div className="home-columns">
        {seesOrders && orders && <LatestOrders kind={orders} />}
        {seesStock && stock && <Refill kind={stock} />}
        <Health />
      </div>
    </div>
  );
}

function Figure({ label, value, hint, href }: { label: string; value: ReactNode; hint?: ReactNode; href?: string }) {
  const content = (
    <>
      <span className="figure-label">{label}</span>
      <span className="figure-value numbers">{value}</span>
      <span className="figure-hint">{hint ?? ' '}</span>
    </>
  );
  return href ? (
    <Link className="figure" href={href}>
      {content}
    </Link>
  ) : (
    <div className="figure">{content}</div>
  );
}

const dayAgo = () => new Date(Math.floor(Date.now() / 60_000) * 60_000 - 86_400_000).toISOString();

function SalesPart({ orders, carts, stock }: { orders: Kind; carts?: Kind; stock?: Kind }) {
  const t = useHomeTexts();
  const { key } = useProject();
  const { language, zone } = usePreferences();
  const sales = useSales(zone, true);
  const [chosen, setChosen] = useState<string>();
  const since = useMemo(dayAgo, []);
  const cartsWhere = `cartState = "Active" and lastModifiedAt > "${since}"`;
  const openCarts = useList(carts ?? orders, { where: cartsWhere, limit: 0 }, { enabled: !!carts, live: true });
  const refill = useList(
    stock ?? orders,
    { where: `availableQuantity < ${REFILL_BELOW}`, limit: 0 },
    { enabled: !!stock, live: true },
  );
  const currency = chosen ?? sales.data?.currencies[0];
  const today = sales.data?.days.at(-1);
  const average = sales.data ? Math.round((sales.data.days.reduce((count, day) => count + day.orders, 0) / DAYS) * 10) / 10 : 0;
  const money = (cents: number) =>
    currency
      ? formatMoney({ currencyCode: currency, centAmount: cents, fractionDigits: sales.data?.digits[currency] }, language)
      : '–';
  return (
    <>
      <div className="figures">
        <Figure
          label={t('ordersToday')}
          value={today?.orders.toLocaleString(language) ?? '–'}
          hint={sales.data && t('perDay', { count: average })}
          href={paths.list(key, orders)}
        />
        <Figure
          label={t('revenueToday')}
          value={today && currency ? money(today.revenue[currency] ?? 0) : '–'}
          hint={
            sales.data && sales.data.currencies.length > 1
              ? sales.data.currencies
                  .slice(1, 3)
                  .map((one) =>
                    formatMoney(
                      { currencyCode: one, centAmount: today?.revenue[one] ?? 0, fractionDigits: sales.data.digits[one] },
                      language,
                    ),
                  )
                  .join(' · ')
              : undefined
          }
        />
        {carts && (
          <Figure
            label={t('openCarts')}
            value={openCarts.data?.total?.toLocaleString(language) ?? '–'}
            hint={t('since24h')}
            href={`${paths.list(key, carts)}${queryOf({ where: cartsWhere })}`}
          />
        )}
        {stock && (
          <Figure
            label={t('refill')}
            value={refill.data?.total?.toLocaleString(language) ?? '–'}
            hint={t('stockHint', { count: REFILL_BELOW })}
            href={`${paths.list(key, stock)}${queryOf({ where: `availableQuantity < ${REFILL_BELOW}`, sort: 'availableQuantity asc' })}`}
          />
        )}
      </div>
      <section className="home-section">
        <div className="section-head">
          <h2>{t('days', { count: DAYS })}</h2>
          {sales.data && sales.data.currencies.length > 1 && currency && (
            <div className="push home-currency">
              <Select
                small
                aria-label={t('currency')}
                value={currency}
                options={sales.data.currencies.map((id) => ({ id, label: id }))}
                onChange={setChosen}
              />
            </div>
          )}
        </div>
        {!sales.data ? (
          <Skeleton lines={5} />
        ) : sales.data.currencies.length === 0 || !currency ? (
          <EmptyState icon="orders" title={t('noOrders')}>
            {t('noOrdersHint')}
          </EmptyState>
        ) : (
          <SalesChart sales={sales.data} currency={currency} />
        )}
        {sales.data?.isCapped && <p className="muted small">{t('capped', { count: ORDERS_MAX })}</p>}
      </section>
    </>
  );
}

function SalesChart({ sales, currency }: { sales: Sales; currency: string }) {
  const t = useHomeTexts();
  const { language } = usePreferences();
  const dates = useMemo(() => sales.days.map((day) => day.date), [sales]);
  const series = useMemo(() => {
    const digits = sales.digits[currency] ?? 2;
    const whole = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 });
    return [
      {
        label: t('revenue'),
        look: 'bars' as const,
        values: sales.days.map((day) => (day.revenue[currency] ?? 0) / 10 ** digits),
        format: (value: number) => whole.format(value),
      },
      {
        label: t('orders'),
        look: 'tip' as const,
        values: sales.days.map((day) => day.orders),
        format: (value: number) => value.toLocaleString(language),
      },
    ];
  }, [sales, currency, language, t]);
  return (
    <Suspense fallback={<Skeleton lines={5} />}>
      <Chart label={t('chart')} dates={dates} series={series} />
    </Suspense>
  );
}

function Rows({ documents, row }: { documents: Document[] | undefined; row: (document: Document) => ReactNode }) {
  if (!documents) return <Skeleton lines={5} />;
  return (
    <ul className="home-rows">
      {documents.map((document) => (
        <li key={document.id} className="home-row">
          {row(document)}
        </li>
      ))}
    </ul>
  );
}

function LatestOrders({ kind }: { kind: Kind }) {
  const t = useHomeTexts();
  const { key } = useProject();
  const { data } = useList(kind, { sort: ['createdAt desc'], limit: ROWS, withTotal: false }, { live: true });
  return (
    <Part title={t('latest')} more={paths.list(key, kind)}>
      <Rows
        documents={data?.results}
        row={(order) => (
          <>
            <span className="stack-tight grow">
              <Link href={paths.document(key, kind, order.id)} className="cell-title truncate">
                {String(order.orderNumber ?? `…${order.id.slice(-8)}`)}
              </Link>
              <span className="muted small truncate">
                {String(order.customerEmail ?? '')} · <DateTime value={order.createdAt} />
              </span>
            </span>
            <EnumChip value={String(order.orderState)} />
            <span className="home-amount">
              <Money value={order.totalPrice} />
            </span>
          </>
        )}
      />
    </Part>
  );
}

function Refill({ kind }: { kind: Kind }) {
  const t = useHomeTexts();
  const { key } = useProject();
  const where = `availableQuantity < ${REFILL_BELOW}`;
  const { data } = useList(kind, { where, sort: ['availableQuantity asc'], limit: ROWS, withTotal: false }, { live: true });
  return (
    <Part title={t('stock')} more={`${paths.list(key, kind)}${queryOf({ where, sort: 'availableQuantity asc' })}`}>
      {data?.results.length === 0 ? (
        <p className="muted">{t('enough')}</p>
      ) : (
        <Rows
          documents={data?.results}
          row={(entry) => (
            <>
              <span className="stack-tight grow">
                <Link href={paths.document(key, kind, entry.id)} className="cell-title truncate">
                  {String(entry.sku)}
                </Link>
                <span className="small muted">
                  <Reference value={entry.supplyChannel} compact />
                </span>
              </span>
              <Chip look={Number(entry.availableQuantity) <= 0 ? 'danger' : 'warning'}>{Number(entry.availableQuantity)}</Chip>
            </>
          )}
        />
      )}
    </Part>
  );
}
