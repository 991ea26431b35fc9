import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Reference } from '../../ui/Reference';
import { useUnitTexts } from './unit-texts';
import './customers.css';

export const ofUnit = (unit: Document) => `businessUnit(key = ${JSON.stringify(unit.key)})`;
const DEPTH_MAX = 10;

/** Shows the place of a unit in its company, its stores and its settings. */
export default function UnitSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useUnitTexts();
  const { key } = useProject();
  const divisions = useDivisions(document);
  const stores = [document.stores, document.inheritedStores].flatMap((list) => (Array.isArray(list) ? list : []));
  const rows: [string, ReactNode][] = [
    [t('type'), document.unitType === 'Company' ? t('company') : t('division')],
    ...(document.parentUnit ? ([[t('path'), <UnitPath unit={document} />]] as [string, ReactNode][]) : []),
    [
      t('divisions'),
      divisions.data && divisions.data.results.length > 0 ? (
        <span className="row wrap">
          {divisions.data.results.map((unit) => (
            <Link key={unit.id} href={paths.document(key, kind, unit.id)}>
              {String(unit.name)}
            </Link>
          ))}
        </span>
      ) : (
        <span className="muted">{t('noDivisions')}</span>
      ),
    ],
    [t('email'), typeof document.contactEmail === 'string' ? document.contactEmail : ''],
    [
      t('stores'),
      stores.length > 0 && (
        <span className="row wrap">
          {stores.map((store, at) => isObject(store) && <Reference key={at} value={{ typeId: 'store', ...store }} compact />)}
          {document.storeMode === 'FromParent' && <span className="muted small">{t('fromParent')}</span>}
        </span>
      ),
    ],
    [t('approvalRules'), document.approvalRuleMode === 'Explicit' ? t('own') : t('ownAndParent')],
  ];
  return (
    <section className="stack customer-summary">
      <Figures unit={document} />
      <dl className="profile-rows">
        {rows.map(
          ([label, value]) =>
            value !== '' &&
            value !== false && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

function useDivisions(unit: Document) {
  const { client } = useProject();
  return useQuery({
    queryKey: [client.project, 'BusinessUnit', 'list', 'below', unit.key],
    queryFn: ({ signal }) =>
      client.request<Page>('business-units', {
        signal,
        query: { where: `parentUnit(key = ${JSON.stringify(unit.key)})`, sort: 'name asc', limit: 50, withTotal: false },
      }),
  });
}

/** The units above, from the company down. */
function UnitPath({ unit }: { unit: Document }) {
  const { client, key } = useProject();
  const { kind } = useKind('BusinessUnit');
  const above = useQuery({
    queryKey: [client.project, 'BusinessUnit', 'list', 'above', unit.id, unit.parentUnit],
    queryFn: async ({ signal }) => {
      const units: Document[] = [];
      for (let at = unit; units.length < DEPTH_MAX && isObject(at.parentUnit);) {
        const next = await client.find<Document>(`business-units/key=${encodeURIComponent(String(at.parentUnit.key))}`, {
          signal,
        });
        if (!next) break;
        units.unshift(next);
        at = next;
      }
      return units;
    },
  });
  if (!kind || !above.data || above.data.length === 0) return <span className="muted">–</span>;
  return (
    <span className="row wrap">
      {above.data.map((one, at) => (
        <Fragment key={one.id}>
          {at > 0 && <span className="muted">›</span>}
          <Link href={paths.document(key, kind, one.id)}>{String(one.name)}</Link>
        </Fragment>
      ))}
    </span>
  );
}

function Figures({ unit }: { unit: Document }) {
  const t = useUnitTexts();
  const orders = useKind('Order');
  const quotes = useKind('Quote');
  const own = Array.isArray(unit.associates) ? unit.associates.length : 0;
  const inherited = Array.isArray(unit.inheritedAssociates) ? unit.inheritedAssociates.length : 0;
  return (
    <div className="figures">
      <div className="figure">
        <span className="figure-label">{t('associates')}</span>
        <span className="figure-value numbers">{own + inherited}</span>
      </div>
      {orders.mayView && <CountFigure label={t('orders')} kind={orders.kind} unit={unit} />}
      {quotes.mayView && <CountFigure label={t('quotes')} kind={quotes.kind} unit={unit} />}
    </div>
  );
}

function CountFigure({ label, kind, unit }: { label: string; kind: Kind | undefined; unit: Document }) {
  const { client, key } = useProject();
  const where = ofUnit(unit);
  const count = useQuery({
    queryKey: [client.project, kind?.name, 'list', 'count', where],
    enabled: !!kind,
    queryFn: async ({ signal }) =>
      (await client.request<Page>(kind!.path, { signal, query: { where, limit: 0, withTotal: true } })).total ?? 0,
  });
  if (!kind) return null;
  return (
    <Link className="figure" href={`${paths.list(key, kind)}?where=${encodeURIComponent(where)}`}>
      <span className="figure-label">{label}</span>
      <span className="figure-value numbers">{count.data ?? '–'}</span>
    </Link>
  );
}
