import { useState } from 'react';
import { useOpenDocument } from '../../detail/editing';
import type { JsonObject } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Checkbox, TextField } from '../../ui/Field';
import { FormPanel } from './FormPanel';
import { itemsOf, numberOf, textOfField } from './documents';
import { ItemQuantities } from './ItemQuantities';
import { useOrderTexts } from './texts';

/** Adds a parcel to a delivery, or changes the tracking data of one. */
export default function ParcelPanel({
  delivery,
  parcel,
  onClose,
}: {
  delivery: JsonObject;
  parcel?: JsonObject;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const { editing, review } = useOpenDocument();
  const before = objectOf(parcel?.trackingData) ?? {};
  const [carrier, setCarrier] = useState(textOfField(before.carrier) ?? '');
  const [tracking, setTracking] = useState(textOfField(before.trackingId) ?? '');
  const [isReturn, setReturn] = useState(before.isReturn === true);
  const most = new Map(objectsOf(delivery.items).map((item) => [String(item.id), numberOf(item.quantity)]));
  const [quantities, setQuantities] = useState(new Map<string, number>());
  const apply = () => {
    const { carrier: _, trackingId: __, isReturn: ___, ...kept } = before;
    const trackingData: JsonObject = {
      ...kept,
      ...(carrier.trim() ? { carrier: carrier.trim() } : {}),
      ...(tracking.trim() ? { trackingId: tracking.trim() } : {}),
      ...(isReturn || before.isReturn !== undefined ? { isReturn } : {}),
    };
    const isEmpty = Object.keys(trackingData).length === 0;
    if (parcel)
      editing.queue({ action: 'setParcelTrackingData', parcelId: String(parcel.id), ...(isEmpty ? {} : { trackingData }) });
    else
      editing.queue({
        action: 'addParcelToDelivery',
        deliveryId: String(delivery.id),
        ...(isEmpty ? {} : { trackingData }),
        items: [...quantities].filter(([, quantity]) => quantity > 0).map(([id, quantity]) => ({ id, quantity })),
      });
    onClose();
    review();
  };
  return (
    <FormPanel title={t(parcel ? 'editTracking' : 'addParcel')} onClose={onClose} onReview={apply}>
      <div className="stack">
        <TextField label={t('carrier')} value={carrier} onChange={setCarrier} autoFocus autoComplete="off" />
        <TextField label={t('trackingId')} value={tracking} onChange={setTracking} autoComplete="off" />
        <Checkbox isSelected={isReturn} onChange={setReturn}>
          {t('isReturn')}
        </Checkbox>
        {!parcel && (
          <ItemQuantities
            items={itemsOf(editing.document).filter((item) => most.has(item.id))}
            quantities={quantities}
            most={(item) => most.get(item.id) ?? 0}
            onChange={setQuantities}
          />
        )}
      </div>
    </FormPanel>
  );
}
