import { useState } from 'react';
import { useOpenDocument } from '../../detail/editing';
import { Select, TextField } from '../../ui/Field';
import { FormPanel } from './FormPanel';
import { itemsOf, returnable } from './documents';
import { ItemQuantities } from './ItemQuantities';
import { useOrderTexts } from './texts';

/** Records items that come back. */
export default function ReturnPanel({ onClose }: { onClose: () => void }) {
  const t = useOrderTexts();
  const { editing, review } = useOpenDocument();
  const { document } = editing;
  const items = itemsOf(document);
  const [quantities, setQuantities] = useState(new Map<string, number>());
  const [tracking, setTracking] = useState('');
  const [comment, setComment] = useState('');
  const [state, setState] = useState('Returned');
  const chosen = items.filter((item) => (quantities.get(item.id) ?? 0) > 0);
  const apply = () => {
    editing.queue({
      action: 'addReturnInfo',
      ...(tracking.trim() ? { returnTrackingId: tracking.trim() } : {}),
      items: chosen.map((item) => ({
        quantity: quantities.get(item.id)!,
        [item.isCustom ? 'customLineItemId' : 'lineItemId']: item.id,
        shipmentState: state,
        ...(comment.trim() ? { comment: comment.trim() } : {}),
      })),
    });
    onClose();
    review();
  };
  return (
    <FormPanel title={t('returnTitle')} onClose={onClose} onReview={apply} isDisabled={chosen.length === 0}>
      <div className="stack-large">
        <ItemQuantities
          items={items}
          quantities={quantities}
          most={(item) => returnable(document, item)}
          onChange={setQuantities}
        />
        <Select
          label={t('returnState')}
          hint={t(state === 'Returned' ? 'returnedHint' : 'advisedHint')}
          value={state}
          options={[
            { id: 'Returned', label: t('stateReturned') },
            { id: 'Advised', label: t('stateAdvised') },
          ]}
          onChange={setState}
        />
        <TextField label={t('returnTracking')} value={tracking} onChange={setTracking} autoComplete="off" />
        <TextField label={t('comment')} value={comment} onChange={setComment} placeholder={t('commentExample')} dir="auto" />
      </div>
    </FormPanel>
  );
}
