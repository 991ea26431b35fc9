import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors';
import { useClient, useProject } from '../../api/project';
import type { Document, Json, Kind } from '../../model/types';
import { humanize, isObject, objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, Chip, notify, notifyError, Skeleton } from '../../ui/Feedback';
import { DeliveryList } from './DeliveryList';
import { hasFailed, useDeliveries, type Receiver } from './deliveries';
import { destinationText } from './destination';
import { useDeliveryTexts } from './delivery-texts';
import './developers.css';

const LAST = 8;
const textsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
const resourceName = (value: Json | undefined) => humanize(String(value ?? '').replaceAll('-', ' '));

/** A tab of a Subscription: whether deliveries arrive, where they go, and what it listens to. */
export function SubscriptionOverview({ document }: { kind: Kind; document: Document }) {
  const t = useDeliveryTexts();
  const status = typeof document.status === 'string' ? document.status : undefined;
  const client = useClient();
  const check = useMutation({
    mutationFn: async () => {
      try {
        return (await client.request<{ status: string }>(`subscriptions/${document.id}/health`)).status;
      } catch (error) {
        // The API responds with 400 or 503 for a broken destination, with the status as the message.
        if (error instanceof ApiError && [400, 503].includes(error.status)) return error.message;
        throw error;
      }
    },
    onSuccess: (found) => notify({ look: found === 'Healthy' ? 'success' : 'danger', text: t('checked', { status: found }) }),
    onError: notifyError,
  });
  return (
    <div className="stack-large">
      {status && (
        <Banner
          look={
            status === 'Healthy'
              ? 'success'
              : status === 'TemporaryError' || status === 'ManuallySuspended'
                ? 'warning'
                : 'danger'
          }
          action={
            <Button small onPress={() => check.mutate()} isPending={check.isPending}>
              {t('checkNow')}
            </Button>
          }
        >
          <b>{status}</b>: {status in STATUSES ? t(STATUSES[status as keyof typeof STATUSES]) : ''}
        </Banner>
      )}
      <dl className="facts about-receiver">
        <Destination value={document.destination} />
        <dt>{t('listensTo')}</dt>
        <dd>
          <ul className="stack-small">
            {objectsOf(document.messages).map((one, at) => (
              <Listened key={at} name={resourceName(one.resourceTypeId)} types={textsOf(one.types)} all={t('allMessages')} />
            ))}
            {objectsOf(document.changes).map((one, at) => (
              <Listened key={at} name={resourceName(one.resourceTypeId)} types={[]} all={t('changesOf')} />
            ))}
            {objectsOf(document.events).map((one, at) => (
              <Listened key={at} name={resourceName(one.resourceTypeId)} types={textsOf(one.types)} all={t('allEvents')} />
            ))}
          </ul>
        </dd>
        <dt>{t('format')}</dt>
        <dd>{isObject(document.format) ? String(document.format.type) : 'Platform'}</dd>
      </dl>
      <LastDeliveries receiver={{ kind: 'subscription', id: document.id }} />
    </div>
  );
}

const STATUSES = {
  Healthy: 'Healthy',
  ConfigurationError: 'ConfigurationError',
  ConfigurationErrorDeliveryStopped: 'ConfigurationErrorDeliveryStopped',
  TemporaryError: 'TemporaryError',
  ManuallySuspended: 'ManuallySuspended',
} as const;

function Listened({ name, types, all }: { name: string; types: string[]; all: string }) {
  return (
    <li className="row wrap">
      <b>{name}</b>
      {types.length === 0 ? <span className="muted">{all}</span> : types.map((type) => <Chip key={type}>{type}</Chip>)}
    </li>
  );
}

function Destination({ value }: { value: Json | undefined }) {
  const t = useDeliveryTexts();
  const { service, place } = destinationText(value);
  const secured = isObject(value) && (value.authentication !== undefined || value.secret !== undefined);
  return (
    <>
      <dt>{t('destination')}</dt>
      <dd className="stack-small">
        <span className="row wrap">
          <b>{service}</b>
          {secured && <Chip icon="key">{t('authentication')}</Chip>}
        </span>
        <code className="break">{place}</code>
      </dd>
    </>
  );
}

/** A tab of an Extension: where it is, and before which changes it is called. */
export function ExtensionOverview({ document }: { kind: Kind; document: Document }) {
  const t = useDeliveryTexts();
  const action = (name: string) => (name === 'Create' ? t('create') : name === 'Update' ? t('update') : name);
  return (
    <div className="stack-large">
      <dl className="facts about-receiver">
        <Destination value={document.destination} />
        <dt>{t('calledBefore')}</dt>
        <dd>
          <ul className="stack-small">
            {objectsOf(document.triggers).map((one, at) => (
              <li key={at} className="stack-small">
                <span className="row wrap">
                  <b>{resourceName(one.resourceTypeId)}</b>
                  {textsOf(one.actions).map((name) => (
                    <Chip key={name}>{action(name)}</Chip>
                  ))}
                </span>
                {typeof one.condition === 'string' && one.condition && (
                  <span className="muted small">
                    {t('ifTrue')} <code className="break">{one.condition}</code>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </dd>
        <dt>{t('timeout')}</dt>
        <dd className="numbers">{t('ms', { ms: Number(document.timeoutInMs ?? 2000) })}</dd>
      </dl>
      <LastDeliveries receiver={{ kind: 'extension', id: document.id }} />
    </div>
  );
}

function LastDeliveries({ receiver }: { receiver: Receiver }) {
  const t = useDeliveryTexts();
  const { key } = useProject();
  const log = useDeliveries(receiver, LAST);
  const more = `/${encodeURIComponent(key)}/developers/deliveries?receiver=${receiver.kind}/${receiver.id}`;
  const section = (content: ReactNode) => (
    <section className="stack-small">
      <div className="row">
        <h2>{t('last')}</h2>
        {log.data && (
          <Link className="push small" href={more}>
            {t('all')}
          </Link>
        )}
      </div>
      {content}
    </section>
  );
  if (log.error) return section(<p className="muted small">{log.error.message}</p>);
  if (log.data === undefined) return section(<Skeleton />);
  if (log.data === null) return section(<p className="muted small">{t('noLog')}</p>);
  if (log.data.length === 0) return section(<p className="muted small">{t('none')}</p>);
  const sorted = [...log.data].sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)));
  return section(<DeliveryList deliveries={sorted} />);
}
