import { useState } from 'react';
import { useOpenDocument } from '../../detail/editing';
import { Select, TextField } from '../../ui/Field';
import type { JsonObject } from '../../model/types';
import { FormPanel } from './FormPanel';
import { deliveredOf, itemsOf, waysOf, type Item } from './documents';
import { ItemQuantities } from './ItemQuantities';
import { useOrderTexts } from './texts';

const UNCHANGED = '';

/** Adds a delivery with the chosen items in one parcel. */
export default function ShipPanel({ onClose }: { onClose: () => void }) {
  const t = useOrderTexts();
  const { editing, review } = useOpenDocument();
  const { document } = editing;
  const delivered = deliveredOf(document);
  const items = itemsOf(document);
  const open = (item: Item) => Math.max(0, item.quantity - (delivered.get(item.id) ?? 0));
  const [quantities, setQuantities] = useState(() => new Map(items.map((item) => [item.id, open(item)])));
  const [carrier, setCarrier] = useState('');
  const [tracking, setTracking] = useState('');
  const keys = waysOf(document).flatMap((way) => (way.key && document.shippingMode === 'Multiple' ? [way.key] : []));
  const [way, setWay] = useState(keys[0]);
  const isAll = items.every((item) => (quantities.get(item.id) ?? 0) >= open(item));
  const [chosenState, setState] = useState<string>();
  const state = chosenState ?? (isAll ? 'Shipped' : 'Partial');
  const chosen = [...quantities].filter(([, quantity]) => quantity > 0).map(([id, quantity]): JsonObject => ({ id, quantity }));
  const apply = () => {
    const trackingData = {
      ...(carrier.trim() ? { carrier: carrier.trim() } : {}),
      ...(tracking.trim() ? { trackingId: tracking.trim() } : {}),
    };
    editing.queue({
      action: 'addDelivery',
      ...(way ? { shippingKey: way } : {}),
      items: chosen,
      parcels: [{ items: chosen, ...(Object.keys(trackingData).length > 0 ? { trackingData } : {}) }],
    });
    if (state !== UNCHANGED && state !== document.shipmentState) editing.setField('shipmentState', state);
    onClose();
    review();
  };
  return (
    <FormPanel title={t('shipTitle')} onClose={onClose} onReview={apply} isDisabled={chosen.length === 0}>
      <div className="stack-large">
        <ItemQuantities items={items} quantities={quantities} most={open} onChange={setQuantities} />
        {keys.length > 1 && (
          <Select
            label={t('shippingMethod')}
            value={way ?? null}
            options={keys.map((id) => ({ id, label: id }))}
            onChange={setWay}
          />
        )}
        <div className="address-row">
          <div className="grow">
            <TextField label={t('carrier')} value={carrier} onChange={setCarrier} autoComplete="off" />
          </div>
          <div className="grow">
            <TextField label={t('trackingId')} value={tracking} onChange={setTracking} autoComplete="off" />
          </div>
        </div>
        <Select
          label={t('shipmentState')}
          value={state}
          options={[
            { id: UNCHANGED, label: t('unchanged', { value: String(document.shipmentState ?? '–') }) },
            ...['Partial', 'Shipped', 'Delivered'].map((id) => ({ id, label: id })),
          ]}
          onChange={setState}
        />
      </div>
    </FormPanel>
  );
}
