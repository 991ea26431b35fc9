import { useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { kindName } from '../../app/navigation';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { Select, Switch } from '../../ui/Field';
import { NoAccess } from '../../ui/NoAccess';
import { EnumChip } from '../../ui/ValueCell';
import { hasFailed, LOG_MAX, useDeliveries, type Receiver } from './deliveries';
import { DeliveryList } from './DeliveryList';
import { destinationText } from './destination';
import { useDeliveryTexts } from './delivery-texts';
import { LogState } from './LogState';
import './developers.css';

const RECEIVERS_MAX = 100;

/** Why does a webhook not arrive? The status of each receiver, and the last deliveries with their errors and bodies. */
export default function DeliveriesPage() {
  const t = useDeliveryTexts();
  const { kind: subscriptions, mayView: seesSubscriptions } = useKind('Subscription');
  const { kind: extensions, mayView: seesExtensions } = useKind('Extension');
  usePageTitle(t('title'));
  if (!seesSubscriptions && !seesExtensions) return <NoAccess />;
  return (
    <Deliveries
      subscriptions={seesSubscriptions ? subscriptions : undefined}
      extensions={seesExtensions ? extensions : undefined}
    />
  );
}

const nameOf = (document: Document) =>
  typeof document.key === 'string' ? document.key : destinationText(document.destination).place || `…${document.id.slice(-8)}`;

function Deliveries({ subscriptions, extensions }: { subscriptions?: Kind; extensions?: Kind }) {
  const t = useDeliveryTexts();
  const [location, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const first = useList((subscriptions ?? extensions)!, { limit: RECEIVERS_MAX, withTotal: false }, { live: true });
  const second = useList((extensions ?? subscriptions)!, { limit: RECEIVERS_MAX, withTotal: false }, { live: true });
  const all = useMemo(
    () => [
      ...(subscriptions ? (first.data?.results ?? []) : []).map((document) => ({ kind: 'subscription' as const, document })),
      ...(extensions ? (second.data?.results ?? []) : []).map((document) => ({ kind: 'extension' as const, document })),
    ],
    [subscriptions, extensions, first.data, second.data],
  );
  const names = useMemo(() => new Map(all.map(({ document }) => [document.id, nameOf(document)])), [all]);
  const chosen = search.get('receiver') ?? '';
  const [kind, id] = chosen.split('/') as [Receiver['kind'], string?];
  const receiver: Receiver | undefined = id ? { kind, id } : undefined;
  const onlyFailed = search.get('failed') === 'true';
  const log = useDeliveries(receiver, LOG_MAX, onlyFailed);
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value) next.set(name, value);
    else next.delete(name);
    navigate(`${location}${next.size ? `?${next}` : ''}`, { replace: true });
  };
  const deliveries = log.data ?? [];
  const failed = deliveries.filter(hasFailed);
  const shown = onlyFailed ? failed : [...failed, ...deliveries.filter((one) => !hasFailed(one))];
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
      </header>
      <Receivers kinds={{ subscription: subscriptions, extension: extensions }} all={all} />
      {log.data !== null && (
        <div className="row wrap log-filters">
          <div className="log-filter">
            <Select
              aria-label={t('receiver')}
              value={chosen}
              options={[
                { id: '', label: t('allReceivers') },
                ...all.map((one) => ({ id: `${one.kind}/${one.document.id}`, label: nameOf(one.document), hint: one.kind })),
              ]}
              onChange={(next) => set('receiver', next)}
            />
          </div>
          <Switch isSelected={onlyFailed} onChange={(on) => set('failed', on ? 'true' : '')}>
            {t('onlyFailed')}
          </Switch>
          {deliveries.length > 0 && !onlyFailed && (
            <span className="muted small push numbers">{t('failedCount', { count: failed.length, all: deliveries.length })}</span>
          )}
        </div>
      )}
      <LogState
        log={log}
        absent={{ title: t('noLog'), hint: t('noLogHint') }}
        empty={shown.length > 0 ? undefined : onlyFailed ? { title: t('noneFailed') } : { title: t('none'), hint: t('noneHint') }}
      >
        <DeliveryList deliveries={shown} names={names} />
      </LogState>
    </div>
  );
}

/** The receivers with their status; a broken one is first. */
function Receivers({
  kinds,
  all,
}: {
  kinds: Record<Receiver['kind'], Kind | undefined>;
  all: { kind: Receiver['kind']; document: Document }[];
}) {
  const { key } = useProject();
  if (all.length === 0) return null;
  const isBroken = (document: Document) => document.status !== undefined && document.status !== 'Healthy';
  const sorted = [...all].sort((a, b) => Number(isBroken(b.document)) - Number(isBroken(a.document)));
  return (
    <ul className="receivers">
      {sorted.map(({ kind: name, document }) => {
        const kind = kinds[name];
        const { service, place } = destinationText(document.destination);
        return (
          <li key={document.id} className="receiver">
            <span className="log-main">
              <span className="row wrap">
                {kind && (
                  <Link className="cell-title truncate" href={paths.document(key, kind, document.id)}>
                    {nameOf(document)}
                  </Link>
                )}
                {kind && <span className="muted small">{kindName(kind)}</span>}
              </span>
              <span className="muted small truncate" title={place}>
                {service} · {place}
              </span>
            </span>
            {typeof document.status === 'string' && <EnumChip value={document.status} />}
          </li>
        );
      })}
    </ul>
  );
}
