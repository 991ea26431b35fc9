import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useKind, useList, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Chip } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { DateTime, Money } from '../../ui/values';
import { ordersOf, SUMMED_MAX, useTotals } from './customer-orders';
import { useCustomerTexts } from './texts';
import './customers.css';

/** Shows the profile of a customer and the totals of the customer's orders. */
export default function CustomerSummary({ kind, document }: { kind: Kind; document: Document }) {
  return (
    <section className="stack customer-summary">
      <Figures kind={kind} document={document} />
      <Profile document={document} />
    </section>
  );
}

function Figures({ kind, document }: { kind: Kind; document: Document }) {
  const t = useCustomerTexts();
  const { key } = useProject();
  const orders = useKind('Order');
  const carts = useKind('Cart');
  const totals = useTotals(document.id, !!orders.kind && orders.mayView);
  const activeWhere = `${ordersOf(document.id)} and cartState = "Active"`;
  const active = useList(carts.kind ?? kind, { where: activeWhere, limit: 0 }, { enabled: !!carts.kind && carts.mayView });
  const [first, ...others] = totals.data?.revenue ?? [];
  return (
    <div className="figures">
      {orders.kind && orders.mayView && (
        <>
          <Link className="figure" href={`${paths.list(key, orders.kind)}?where=${encodeURIComponent(ordersOf(document.id))}`}>
            <span className="figure-label">{t('orders')}</span>
            <span className="figure-value numbers">{totals.data?.count ?? '–'}</span>
            <span className="figure-hint">{totals.data?.lastAt && <DateTime value={totals.data.lastAt} />}</span>
          </Link>
          <div className="figure">
            <span className="figure-label">{t('revenue')}</span>
            <span className="figure-value numbers">{first ? <Money value={first} /> : '–'}</span>
            <span className="figure-hint row wrap">
              {others.map((one) => (
                <Money key={String(one.currencyCode)} value={one} />
              ))}
              {(totals.data?.count ?? 0) > SUMMED_MAX && t('moreRevenue', { count: SUMMED_MAX })}
            </span>
          </div>
        </>
      )}
      {carts.kind && carts.mayView && (
        <Link className="figure" href={`${paths.list(key, carts.kind)}?where=${encodeURIComponent(activeWhere)}`}>
          <span className="figure-label">{t('carts')}</span>
          <span className="figure-value numbers">{active.data?.total ?? '–'}</span>
          <span className="figure-hint" />
        </Link>
      )}
      <div className="figure">
        <span className="figure-label">{t('since')}</span>
        <span className="figure-value figure-time">
          <DateTime value={document.createdAt} />
        </span>
      </div>
    </div>
  );
}

function Profile({ document }: { document: Document }) {
  const t = useCustomerTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const groups = useKind('CustomerGroup');
  const text = (name: string) => (typeof document[name] === 'string' ? (document[name] as string) : '');
  const name = ['salutation', 'title', 'firstName', 'middleName', 'lastName'].map(text).filter(Boolean).join(' ');
  const stores = Array.isArray(document.stores) ? document.stores : [];
  const rows: [string, ReactNode][] = [
    [t('name'), name],
    [
      t('email'),
      <span className="row wrap">
        <a href={`mailto:${text('email')}`}>{text('email')}</a>
        {document.isEmailVerified ? (
          <Chip look="success" icon="check">
            {t('verified')}
          </Chip>
        ) : (
          <Chip look="warning">{t('notVerified')}</Chip>
        )}
      </span>,
    ],
    [t('number'), text('customerNumber')],
    [t('company'), text('companyName')],
    [
      t('stores'),
      stores.length === 0
        ? t('everywhere')
        : stores.map((store, at) => (
            <Reference key={at} value={isObject(store) ? { typeId: 'store', ...store } : null} compact />
          )),
    ],
    [t('signIn'), t(document.authenticationMode === 'ExternalAuth' ? 'ExternalAuth' : 'Password')],
    [t('units'), <Units customerId={document.id} />],
  ];
  return (
    <div className="customer-profile">
      <dl className="profile-rows">
        {rows.map(
          ([label, value]) =>
            value !== '' && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {groups.kind && groups.mayView && (
        <div className="profile-group">
          <ReferencePicker
            label={t('group')}
            kinds={[groups.kind]}
            value={editing.edited.customerGroup}
            onChange={(group: JsonObject | undefined) => editing.setField('customerGroup', group)}
            isDisabled={!mayUpdate}
            changed={editing.edited.customerGroup !== document.customerGroup}
          />
        </div>
      )}
    </div>
  );
}

/** The Business Units for which a customer acts. */
function Units({ customerId }: { customerId: string }) {
  const { client } = useProject();
  const { kind, mayView } = useKind('BusinessUnit');
  const units = useQuery({
    queryKey: [client.project, 'BusinessUnit', 'list', 'of', customerId],
    enabled: !!kind && mayView,
    queryFn: ({ signal }) =>
      client.request<Page>('business-units', {
        signal,
        query: { where: `associates(customer(id = "${customerId}"))`, limit: 10, withTotal: false },
      }),
  });
  if (!units.data || units.data.results.length === 0) return <span className="muted">–</span>;
  return (
    <span className="row wrap">
      {units.data.results.map((unit) => (
        <Reference key={unit.id} value={{ typeId: 'business-unit', id: unit.id, obj: unit }} compact />
      ))}
    </span>
  );
}
