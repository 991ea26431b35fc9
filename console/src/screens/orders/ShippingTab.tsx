import './orders.css';
import { lazy, Suspense, useState } from 'react';
import { useModel } from '../../api/project';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Menu } from '../../ui/Overlay';
import { IconButton } from '../../ui/Button';
import { EnumChip } from '../../ui/ValueCell';
import { DateTime } from '../../ui/values';
import { AddressText } from './AddressText';
import { deliveredOf, deliveriesOf, itemsOf, numberOf, returnable, returnsOf, textOfField, waysOf } from './documents';
import { useItemText } from './ItemQuantities';
import { useOrderTexts } from './texts';

const ParcelPanel = lazy(() => import('./ParcelPanel'));
const ShipPanel = lazy(() => import('./ShipPanel'));
const ReturnPanel = lazy(() => import('./ReturnPanel'));
const RefundPanel = lazy(() => import('./RefundPanel'));

/** Shows the deliveries and the returns. */
export default function ShippingTab({ kind, document }: { kind: Kind; document: Document }) {
  return (
    <div className="stack-large">
      <Deliveries document={document} />
      <Returns kind={kind} document={document} />
    </div>
  );
}

/** The names of items, by id: `2 × Oak chair`. */
function useNames(document: JsonObject): (list: unknown) => string {
  const nameOf = useItemText();
  const names = new Map(itemsOf(document).map((item) => [item.id, nameOf(item)]));
  return (list) =>
    objectsOf(list as JsonObject[])
      .map((one) => `${numberOf(one.quantity)} × ${names.get(String(one.id)) ?? String(one.id)}`)
      .join(', ');
}

function Deliveries({ document }: { document: Document }) {
  const t = useOrderTexts();
  const { mayUpdate } = useOpenDocument();
  const [isOpen, setOpen] = useState(false);
  const deliveries = deliveriesOf(document);
  const delivered = deliveredOf(document);
  const left = itemsOf(document).reduce((sum, item) => sum + Math.max(0, item.quantity - (delivered.get(item.id) ?? 0)), 0);
  const add = mayUpdate && left > 0 && waysOf(document).length > 0 && (
    <Button small icon="plus" onPress={() => setOpen(true)}>
      {t('addDelivery')}
    </Button>
  );
  return (
    <section className="stack">
      <div className="section-head">
        <h2>{t('deliveries')}</h2>
        {deliveries.length > 0 && (
          <Chip look={left === 0 ? 'success' : 'warning'}>{left === 0 ? t('allShipped') : t('leftToShip', { count: left })}</Chip>
        )}
        {deliveries.length > 0 && add}
      </div>
      {deliveries.length === 0 ? (
        <EmptyState icon="products" title={t('noDeliveries')} action={add}>
          {waysOf(document).length === 0 ? t('noShippingMethod') : t('noDeliveriesHint')}
        </EmptyState>
      ) : (
        <ul className="cards">
          {deliveries.map(({ way, delivery }) => (
            <DeliveryCard key={String(delivery.id)} document={document} delivery={delivery} shippingKey={way.key} />
          ))}
        </ul>
      )}
      {isOpen && (
        <Suspense>
          <ShipPanel onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}

function DeliveryCard({ document, delivery, shippingKey }: { document: Document; delivery: JsonObject; shippingKey?: string }) {
  const t = useOrderTexts();
  const { mayUpdate, editing, review } = useOpenDocument();
  const names = useNames(document);
  const [parcel, setParcel] = useState<JsonObject | 'new'>();
  const queue = (action: Parameters<typeof editing.queue>[0]) => {
    editing.queue(action);
    review();
  };
  const name = textOfField(delivery.key) ?? t('delivery');
  return (
    <li className="card">
      <div className="row wrap">
        <b dir="auto">{name}</b>
        <span className="muted small">
          <DateTime value={delivery.createdAt} />
        </span>
        {document.shippingMode === 'Multiple' && shippingKey && <Chip>{shippingKey}</Chip>}
        {mayUpdate && (
          <span className="push">
            <Menu
              label={name}
              trigger={<IconButton small icon="more" label={t('changeDelivery', { name })} />}
              entries={[
                { id: 'parcel', label: t('addParcel'), icon: 'plus', onAction: () => setParcel('new') },
                {
                  id: 'remove',
                  label: t('removeDelivery'),
                  icon: 'trash',
                  danger: true,
                  separated: true,
                  onAction: () => queue({ action: 'removeDelivery', deliveryId: String(delivery.id) }),
                },
              ]}
            />
          </span>
        )}
      </div>
      <p dir="auto">{names(delivery.items)}</p>
      {objectOf(delivery.address) && <AddressText address={objectOf(delivery.address)} />}
      <ul className="home-rows">
        {objectsOf(delivery.parcels).map((one) => {
          const tracking = objectOf(one.trackingData);
          return (
            <li key={String(one.id)} className="home-row">
              <span className="stack-tight grow">
                <span className="row wrap">
                  <b>{textOfField(tracking?.carrier) ?? t('parcel')}</b>
                  {textOfField(tracking?.trackingId) && <code>{textOfField(tracking?.trackingId)}</code>}
                  {tracking?.isReturn === true && <Chip look="warning">{t('return')}</Chip>}
                </span>
                <span className="muted small truncate">{names(one.items)}</span>
              </span>
              {mayUpdate && (
                <span className="row">
                  <IconButton small icon="edit" label={t('editTracking')} onPress={() => setParcel(one)} />
                  <IconButton
                    small
                    icon="trash"
                    label={t('removeParcel')}
                    onPress={() => queue({ action: 'removeParcelFromDelivery', parcelId: String(one.id) })}
                  />
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {parcel && (
        <Suspense>
          <ParcelPanel delivery={delivery} parcel={parcel === 'new' ? undefined : parcel} onClose={() => setParcel(undefined)} />
        </Suspense>
      )}
    </li>
  );
}

function Returns({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  const { mayUpdate } = useOpenDocument();
  const nameOf = useItemText();
  const [isOpen, setOpen] = useState(false);
  const [refunded, setRefunded] = useState<ReadonlyMap<string, number>>();
  const items = new Map(itemsOf(document).map((item) => [item.id, item]));
  const returns = returnsOf(document);
  const add = mayUpdate && [...items.values()].some((item) => returnable(document, item) > 0) && (
    <Button small icon="plus" onPress={() => setOpen(true)}>
      {t('addReturn')}
    </Button>
  );
  return (
    <section className="stack">
      <div className="section-head">
        <h2>{t('returns')}</h2>
        {add}
      </div>
      {returns.length === 0 ? (
        <p className="muted">{t('noReturns')}</p>
      ) : (
        <ul className="home-rows">
          {returns.map(({ info, item, itemId }) => {
            const bought = items.get(itemId);
            return (
              <li key={String(item.id)} className="home-row return-row">
                <span className="stack-tight grow">
                  <b dir="auto">
                    {numberOf(item.quantity)} × {bought ? nameOf(bought) : itemId}
                  </b>
                  <span className="muted small">
                    <DateTime value={info.returnDate} /> {textOfField(info.returnTrackingId)}
                  </span>
                  {textOfField(item.comment) && (
                    <span className="small" dir="auto">
                      {textOfField(item.comment)}
                    </span>
                  )}
                </span>
                <ReturnStates item={item} />
                {mayUpdate && item.paymentState === 'Initial' && (
                  <Button small icon="undo" onPress={() => setRefunded(new Map([[itemId, numberOf(item.quantity)]]))}>
                    {t('refundOne')}
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <Suspense>
        {isOpen && <ReturnPanel onClose={() => setOpen(false)} />}
        {refunded && <RefundPanel kind={kind} preset={refunded} onClose={() => setRefunded(undefined)} />}
      </Suspense>
    </section>
  );
}

/** The states of a return item. A change becomes an update action, which is shown before it is sent. */
function ReturnStates({ item }: { item: JsonObject }) {
  const t = useOrderTexts();
  const model = useModel();
  const { mayUpdate, editing, review } = useOpenDocument();
  const id = String(item.id);
  const [shipment, payment] = [String(item.shipmentState), String(item.paymentState)];
  const next = shipment === 'Returned' ? ['Returned', 'BackInStock', 'Unusable'] : [shipment];
  const set = (action: string, field: string) => (value: string) => {
    if (value === item[field]) return;
    editing.queue({ action, returnItemId: id, [field]: value });
    review();
  };
  if (!mayUpdate)
    return (
      <span className="row wrap">
        <EnumChip value={shipment} />
        <EnumChip value={payment} />
      </span>
    );
  const payments = (model.enumOf('ReturnPaymentState') ?? []).filter((one) => payment !== 'NonRefundable' || one === payment);
  return (
    <span className="return-states">
      {next.length > 1 ? (
        <Select
          small
          aria-label={t('shipmentState')}
          value={shipment}
          options={next.map((value) => ({ id: value, label: value }))}
          onChange={set('setReturnShipmentState', 'shipmentState')}
        />
      ) : (
        <EnumChip value={shipment} />
      )}
      {payments.length > 1 ? (
        <Select
          small
          aria-label={t('paymentState')}
          value={payment}
          options={payments.map((value) => ({ id: value, label: value }))}
          onChange={set('setReturnPaymentState', 'paymentState')}
        />
      ) : (
        <EnumChip value={payment} />
      )}
    </span>
  );
}
