import { useState, type ReactNode } from 'react';
import type { Document, Kind, UpdateAction } from '../../model/types';
import { objectOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { FormPanel } from './FormPanel';
import { itemsOf } from './documents';
import { EditPreview, StagedActions } from './EditPreview';
import { stagedActions, useApply, useStoredEdit, type NewItem } from './edits';
import { ItemQuantities } from './ItemQuantities';
import { QuantityField } from './QuantityField';
import { useOrderTexts } from './texts';

/** Changes what was bought: an Order Edit with a preview, which is applied, kept as a draft, or deleted again. */
export default function EditPanel({
  kind,
  orderKind,
  order: current,
  onClose,
}: {
  kind: Kind;
  orderKind: Kind;
  order: Document;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const [order, setOrder] = useState(current);
  const items = itemsOf(order);
  const [quantities, setQuantities] = useState(() => new Map(items.map((item) => [item.id, item.quantity])));
  const [added, setAdded] = useState<NewItem[]>([]);
  const [code, setCode] = useState('');
  const [comment, setComment] = useState('');
  const actions = stagedActions(order, quantities, added, code);
  const edit = useStoredEdit(kind, order);
  const apply = useApply(kind, orderKind);
  const [isReview, setReview] = useState(false);
  const [isApplying, setApplying] = useState(false);
  const [error, setError] = useState<unknown>();
  const fail = (reason: unknown) => setError(reason);
  const cancel = () => {
    edit.discard();
    onClose();
  };
  const preview = () => {
    setError(undefined);
    setOrder(current);
    edit.store(actions, comment.trim()).then(() => setReview(true), fail);
  };
  const keep = () => {
    notify({ look: 'success', text: t('editStored') });
    onClose();
  };
  const send = () => {
    if (!edit.stored) return;
    setError(undefined);
    setApplying(true);
    apply(edit.stored, order)
      .then(() => {
        notify({ look: 'success', text: t('editApplied') });
        onClose();
      }, fail)
      .finally(() => setApplying(false));
  };
  const problem = error !== undefined && <Banner look="danger">{error instanceof Error ? error.message : String(error)}</Banner>;
  if (isReview)
    return (
      <EditReview
        actions={actions}
        order={order}
        edit={edit.stored}
        problem={problem}
        isApplying={isApplying}
        onBack={() => setReview(false)}
        onKeep={keep}
        onApply={send}
        onClose={cancel}
      />
    );
  return (
    <FormPanel
      title={t('editItems')}
      onClose={cancel}
      wide
      onReview={preview}
      isPending={edit.isStoring}
      isDisabled={actions.length === 0}
      review={t('preview')}
    >
      <div className="stack-large">
        {problem}
        <p className="muted">{t('previewHint')}</p>
        <ItemQuantities items={items} quantities={quantities} onChange={setQuantities} />
        <NewItems added={added} onChange={setAdded} />
        <div className="address-row">
          <div className="grow">
            <TextField label={t('discountCode')} value={code} onChange={setCode} autoComplete="off" />
          </div>
          <div className="grow">
            <TextField label={t('comment')} value={comment} onChange={setComment} dir="auto" />
          </div>
        </div>
      </div>
    </FormPanel>
  );
}

/** Shows the staged actions of the edit and their effect on the Order, before the edit is applied. */
function EditReview({
  actions,
  order,
  edit,
  problem,
  isApplying,
  onBack,
  onKeep,
  onApply,
  onClose,
}: {
  actions: UpdateAction[];
  order: Document;
  edit?: Document;
  problem: ReactNode;
  isApplying: boolean;
  onBack: () => void;
  onKeep: () => void;
  onApply: () => void;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const words = useWords();
  const result = objectOf(edit?.result);
  return (
    <Panel
      title={t('editReview')}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onBack}>{words('back')}</Button>
          <Button onPress={onKeep} isDisabled={isApplying}>
            {t('storeEdit')}
          </Button>
          <Button look="primary" onPress={onApply} isPending={isApplying} isDisabled={result?.type !== 'PreviewSuccess'}>
            {t('applyNow')}
          </Button>
        </>
      }
    >
      <div className="stack-large">
        {problem}
        <StagedActions actions={actions} order={order} />
        <EditPreview result={result} order={order} />
      </div>
    </Panel>
  );
}

function NewItems({ added, onChange }: { added: NewItem[]; onChange: (added: NewItem[]) => void }) {
  const t = useOrderTexts();
  const words = useWords();
  const [sku, setSku] = useState('');
  const add = () => {
    if (!sku.trim()) return;
    onChange([...added, { sku: sku.trim(), quantity: 1 }]);
    setSku('');
  };
  return (
    <section className="stack">
      {added.map((item, at) => (
        <div key={at} className="row">
          <span className="mono grow truncate">{item.sku}</span>
          <QuantityField
            name={item.sku}
            value={item.quantity}
            onChange={(quantity) =>
              onChange(added.map((one, index) => (index === at ? { ...one, quantity: Math.max(1, quantity) } : one)))
            }
          />
          <IconButton
            small
            icon="trash"
            label={t('removeItem', { name: item.sku })}
            onPress={() => onChange(added.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <form
        className="row add-sku"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <div className="grow">
          <TextField label={t('addSku')} value={sku} onChange={setSku} mono autoComplete="off" />
        </div>
        <Button type="submit" icon="plus" isDisabled={!sku.trim()}>
          {words('add')}
        </Button>
      </form>
    </section>
  );
}
