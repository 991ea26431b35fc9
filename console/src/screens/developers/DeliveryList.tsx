import { useState } from 'react';
import { usePreferences } from '../../app/preferences';
import { Snippet } from '../../detail/ReviewPanel';
import { humanize } from '../../model/values';
import { Banner, Chip } from '../../ui/Feedback';
import { Icon } from '../../ui/Icon';
import { Panel } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { DateTime } from '../../ui/values';
import { bodyText, hasFailed, type Delivery } from './deliveries';
import { useDeliveryTexts } from './delivery-texts';

/** Whether it is about another resource than its receiver, which gets a test when it is made. */
const isAbout = (delivery: Delivery): delivery is Delivery & { resource: { typeId: string; id: string } } =>
  delivery.resource !== undefined && delivery.resource.id !== delivery.receiver?.id;

const resourceName = (typeId: string) => humanize(typeId.replaceAll('-', ' '));

/** Deliveries in lines; each opens with its error and its bodies. */
export function DeliveryList({ deliveries, names }: { deliveries: Delivery[]; names?: Map<string, string> }) {
  const t = useDeliveryTexts();
  const { language } = usePreferences();
  const [open, setOpen] = useState<Delivery>();
  return (
    <>
      <ul className="log-rows">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <button type="button" className="log-row" onClick={() => setOpen(delivery)}>
              <span className="log-status">
                <StatusChip delivery={delivery} />
              </span>
              <span className="log-main">
                <span className="truncate" dir="ltr">
                  {names && <b>{names.get(delivery.receiver?.id ?? '') ?? delivery.kind} </b>}
                  {isAbout(delivery) && <span>{resourceName(delivery.resource.typeId)} </span>}
                  <span className="muted">{delivery.destination}</span>
                </span>
                {delivery.error && (
                  <span className="small log-reason truncate" title={delivery.error}>
                    {delivery.error}
                  </span>
                )}
              </span>
              <span className="log-end muted small numbers">
                {(delivery.attempts ?? 1) > 1 && <span>{t('attempt', { count: delivery.attempts! })}</span>}
                {delivery.durationMs !== undefined && (
                  <span className="log-ms">{t('ms', { ms: Math.round(delivery.durationMs).toLocaleString(language) })}</span>
                )}
                <DateTime value={delivery.at} />
                <Icon name="right" size={14} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {open && <DeliveryPanel delivery={open} withReceiver={names !== undefined} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function StatusChip({ delivery }: { delivery: Delivery }) {
  const t = useDeliveryTexts();
  const failed = hasFailed(delivery);
  const code = delivery.httpStatus === undefined ? '' : ` · ${delivery.httpStatus}`;
  return (
    <Chip look={failed ? 'danger' : 'success'} icon={failed ? 'warning' : 'check'}>
      {`${failed ? t('failed') : t('delivered')}${code}`}
    </Chip>
  );
}

function DeliveryPanel({ delivery, withReceiver, onClose }: { delivery: Delivery; withReceiver?: boolean; onClose: () => void }) {
  const t = useDeliveryTexts();
  const { language } = usePreferences();
  const request = bodyText(delivery.requestBody);
  const response = bodyText(delivery.responseBody);
  return (
    <Panel title={t('details')} isOpen onClose={onClose} wide>
      <div className="stack">
        {delivery.error && (
          <Banner look="danger">
            <span className="pre-line">{delivery.error}</span>
          </Banner>
        )}
        <dl className="facts">
          <dt>{t('status')}</dt>
          <dd>
            <StatusChip delivery={delivery} />
          </dd>
          <dt>{t('to')}</dt>
          <dd className="break">{delivery.destination}</dd>
          {withReceiver && delivery.receiver && (
            <>
              <dt>{t('receiver')}</dt>
              <dd>
                <Reference value={{ ...delivery.receiver }} />
              </dd>
            </>
          )}
          {isAbout(delivery) && (
            <>
              <dt>{t('resource')}</dt>
              <dd>
                <Reference value={{ ...delivery.resource }} />
              </dd>
            </>
          )}
          <dt>{t('at')}</dt>
          <dd>
            <DateTime value={delivery.at} exact />
            {(delivery.attempts ?? 1) > 1 && <span className="muted"> · {t('attempt', { count: delivery.attempts! })}</span>}
          </dd>
          {delivery.durationMs !== undefined && (
            <>
              <dt>{t('duration')}</dt>
              <dd className="numbers">
                {t('ms', { ms: delivery.durationMs.toLocaleString(language, { maximumFractionDigits: 1 }) })}
              </dd>
            </>
          )}
        </dl>
        <Body title={t('response')} text={response} />
        <Body title={t('request')} text={request} />
      </div>
    </Panel>
  );
}

function Body({ title, text }: { title: string; text: string | undefined }) {
  const t = useDeliveryTexts();
  if (text === undefined)
    return (
      <p className="muted small">
        {title}: {t('noBody')}
      </p>
    );
  return <Snippet text={text} hint={title} />;
}
