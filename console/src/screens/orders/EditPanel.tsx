import { useState } from 'react';
import { useCreate } from '../../api/hooks';
import type { Document, Kind } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Banner, ErrorState, notify, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { itemsOf, objectOf } from './documents';
import { EditPreview, StagedActions } from './EditPreview';
import { stagedActions, useApply, useDryRun, type NewItem } from './edits';
import { ItemQuantities } from './ItemQuantities';
import { QuantityField } from './QuantityField';
import { useOrderTexts } from './texts';

/** Changes what was bought: staged actions with a preview, stored as an Order Edit, and applied on request. */
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
  const words = useWords();
  const [order] = useState(current);
  const items = itemsOf(order);
  const [quantities, setQuantities] = useState(() => new Map(items.map((item) => [item.id, item.quantity])));
  const [added, setAdded] = useState<NewItem[]>([]);
  const [code, setCode] = useState('');
  const [comment, setComment] = useState('');
  const actions = stagedActions(order, quantities, added, code);
  const preview = useDryRun(kind, order, actions);
  const result = objectOf(preview.data?.result);
  const [isReview, setReview] = useState(false);
  const send = useSend(kind, orderKind, order, onClose);
  const draft = {
    resource: { typeId: 'order', id: order.id },
    stagedActions: actions,
    ...(comment.trim() ? { comment: comment.trim() } : {}),
  };
  const isPossible = actions.length > 0 && preview.isCurrent && result?.type === 'PreviewSuccess';
  const shownPreview =
    actions.length === 0 ? (
      <p className="muted">{t('previewHint')}</p>
    ) : preview.error ? (
      <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
    ) : preview.data && preview.isCurrent ? (
      <EditPreview result={result} order={order} />
    ) : (
      <Skeleton lines={2} />
    );
  if (isReview)
    return (
      <Panel
        title={t('editReview')}
        isOpen
        onClose={onClose}
        wide
        footer={
          <>
            {!send.stored && <Button onPress={() => setReview(false)}>{words('back')}</Button>}
            {!send.stored && (
              <Button onPress={() => void send.store(draft)} isDisabled={send.isSending}>
                {t('storeEdit')}
              </Button>
            )}
            <Button look="primary" onPress={() => void send.apply(draft)} isPending={send.isSending}>
              {t('applyNow')}
            </Button>
          </>
        }
      >
        <div className="stack-large">
          {send.error !== undefined && (
            <Banner look="danger">
              <b>{send.stored ? t('editStoredOnly') : t('nothingDone')}</b>
              {'\n'}
              {send.error instanceof Error ? send.error.message : String(send.error)}
            </Banner>
          )}
          <StagedActions actions={actions} order={order} />
          {shownPreview}
        </div>
      </Panel>
    );
  return (
    <Panel
      title={t('editItems')}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" onPress={() => setReview(true)} isDisabled={!isPossible}>
            {t('reviewChange')}
          </Button>
        </>
      }
    >
      <div className="stack-large">
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
        <section className="stack" aria-live="polite">
          <h3>{t('preview')}</h3>
          {shownPreview}
        </section>
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

/** Stores an Order Edit, and applies it. An edit that is stored is not stored twice. */
function useSend(kind: Kind, orderKind: Kind, order: Document, onClose: () => void) {
  const t = useOrderTexts();
  const create = useCreate(kind);
  const applyTo = useApply(kind, orderKind);
  const [stored, setStored] = useState<Document>();
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const run = async (draft: Parameters<typeof create.mutateAsync>[0], isApplied: boolean) => {
    setSending(true);
    setError(undefined);
    try {
      const edit = stored ?? (await create.mutateAsync(draft));
      setStored(edit);
      if (isApplied) await applyTo(edit, order);
      notify({ look: 'success', text: t(isApplied ? 'editApplied' : 'editStored') });
      onClose();
    } catch (reason) {
      setError(reason);
    } finally {
      setSending(false);
    }
  };
  return {
    stored,
    error,
    isSending,
    store: (draft: Parameters<typeof run>[0]) => run(draft, false),
    apply: (draft: Parameters<typeof run>[0]) => run(draft, true),
  };
}
