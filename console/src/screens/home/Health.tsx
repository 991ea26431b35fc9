import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Status } from '../../api/console';
import { ApiError } from '../../api/errors';
import { useKind, useList } from '../../api/hooks';
import { useClient, useProject } from '../../api/project';
import { callSignedIn } from '../../api/session';
import { usePreferences } from '../../app/preferences';
import type { Kind } from '../../model/types';
import { Chip, Skeleton } from '../../ui/Feedback';
import { Part } from './Part';
import { useHomeTexts } from './texts';

const REFRESH_MS = 15_000;
const SUBSCRIPTIONS_MAX = 50;
/** Older Import Containers are rarely in work. */
const CONTAINERS_MAX = 10;

const SEARCH_NAMES = {
  orders: 'orderSearch',
  products: 'productSearch',
  'product-projections': 'projectionSearch',
  'product-projections-staged': 'stagedSearch',
  customers: 'customerSearch',
  'business-units': 'companySearch',
} as const;

const bytes = (value: number, language: string) => `${(value / 1e9).toLocaleString(language, { maximumFractionDigits: 1 })} GB`;

/** Requests the status of the server; `null` if the project is on another server. */
function useStatus() {
  const { key } = useProject();
  return useQuery({
    queryKey: [key, 'status'],
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<Status | null> => {
      try {
        return await callSignedIn<Status>('GET', `status?project=${encodeURIComponent(key)}`);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** Searches, deliveries, imports and the disk, each with a link to where it is put right. */
export function Health() {
  const t = useHomeTexts();
  const { scopes } = useProject();
  const { kind: subscriptions, mayView } = useKind('Subscription');
  const { data, error } = useStatus();
  const sees = (...names: string[]) => scopes.has('manage_project') || names.some((name) => scopes.has(name));
  const seesImports = sees('view_import_containers', 'manage_import_containers');
  if (data === null && !mayView && !seesImports) return null;
  return (
    <Part title={t('health')}>
      {error ? (
        <p className="muted">{t('unknownHealth')}</p>
      ) : data === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <dl className="health">
          {data && <ServerRows status={data} linksSearches={sees('view_project_settings', 'manage_project_settings')} />}
          {mayView && subscriptions && <SubscriptionRow kind={subscriptions} />}
          {seesImports && <ImportRow />}
          {data?.disk && <DiskRow disk={data.disk} />}
        </dl>
      )}
    </Part>
  );
}

function ServerRows({ status, linksSearches }: { status: Status; linksSearches: boolean }) {
  const t = useHomeTexts();
  const isOk = status.health === undefined || status.health === 'ok';
  return (
    <>
      <HealthRow label={isOk ? t('ok') : t('notOk')} look={isOk ? 'success' : 'danger'} value={status.health ?? 'ok'} />
      {status.reasons?.map((reason) => (
        <p key={reason} className="small health-reason">
          {reason}
        </p>
      ))}
      {status.search?.map(({ index, lag, state }) => {
        const name = SEARCH_NAMES[index as keyof typeof SEARCH_NAMES];
        const isBuilding = state !== undefined && state !== 'Ready';
        return (
          <HealthRow
            key={index}
            label={name ? t(name) : t('search', { name: index })}
            href={linksSearches ? 'developers/searches' : undefined}
            look={lag || isBuilding ? 'warning' : 'success'}
            value={lag ? t('behind', { count: lag }) : isBuilding ? t('building') : t('upToDate')}
          />
        );
      })}
      {status.deliveries && (
        <HealthRow
          label={t('deliveries')}
          look={status.deliveries.failed ? 'danger' : 'success'}
          value={
            status.deliveries.failed
              ? t('failed', { count: status.deliveries.failed })
              : status.deliveries.waiting
                ? t('waiting', { count: status.deliveries.waiting })
                : t('none')
          }
        />
      )}
    </>
  );
}

function DiskRow({ disk }: { disk: NonNullable<Status['disk']> }) {
  const t = useHomeTexts();
  const { language } = usePreferences();
  if (!disk.totalBytes) return null;
  return (
    <HealthRow
      label={t('disk')}
      look={disk.full ? 'danger' : 'success'}
      value={t('free', { free: bytes(disk.freeBytes, language), total: bytes(disk.totalBytes, language) })}
    />
  );
}

function SubscriptionRow({ kind }: { kind: Kind }) {
  const t = useHomeTexts();
  const { data } = useList(kind, { limit: SUBSCRIPTIONS_MAX, withTotal: false }, { live: true });
  const all = data?.results ?? [];
  if (all.length === 0) return null;
  const broken = all.filter((one) => one.status !== undefined && one.status !== 'Healthy').length;
  return (
    <HealthRow
      label={t('subscriptions')}
      href="developers/deliveries"
      look={broken > 0 ? 'danger' : 'success'}
      value={broken > 0 ? t('someBroken', { count: broken, all: all.length }) : t('allHealthy', { count: all.length })}
    />
  );
}

interface ImportStates {
  processing: number;
  validationFailed: number;
  unresolved: number;
  waitForMasterVariant: number;
  rejected: number;
  partiallyImported: number;
}

/** Requests the states of the Import Operations of the newest containers. */
function useImports() {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'imports', 'health'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const service = 'import';
      const page = await client.find<{ results: { key: string }[] }>('import-containers', {
        service,
        signal,
        query: { limit: CONTAINERS_MAX, sort: 'lastModifiedAt desc' },
      });
      const summaries = await Promise.all(
        (page?.results ?? []).map(({ key }) =>
          client.find<{ states: ImportStates; total: number }>(`import-containers/${encodeURIComponent(key)}/import-summaries`, {
            service,
            signal,
          }),
        ),
      );
      const sum = { total: 0, open: 0, failed: 0 };
      for (const summary of summaries) {
        if (!summary) continue;
        const { states } = summary;
        sum.total += summary.total;
        sum.open += states.processing + states.unresolved + states.waitForMasterVariant;
        sum.failed += states.rejected + states.validationFailed + states.partiallyImported;
      }
      return sum;
    },
  });
}

function ImportRow() {
  const t = useHomeTexts();
  const { data } = useImports();
  if (!data || data.total === 0) return null;
  return (
    <HealthRow
      label={t('imports')}
      href="developers/imports"
      look={data.failed > 0 ? 'danger' : data.open > 0 ? 'warning' : 'success'}
      value={
        data.failed > 0
          ? t('importsFailed', { count: data.failed })
          : data.open > 0
            ? t('importsOpen', { count: data.open })
            : t('importsDone')
      }
    />
  );
}

function HealthRow({
  label,
  value,
  look,
  href,
}: {
  label: string;
  value: string;
  look: 'success' | 'warning' | 'danger';
  href?: string;
}) {
  const { key } = useProject();
  return (
    <div className="health-row">
      <dt className="truncate">{href ? <Link href={`/${encodeURIComponent(key)}/${href}`}>{label}</Link> : label}</dt>
      <dd>
        <Chip look={look} icon={look === 'success' ? 'check' : 'warning'}>
          {value}
        </Chip>
      </dd>
    </div>
  );
}
