import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKind, useUpdate } from '../../api/hooks';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import type { OrderEntry } from './OrderPage';
import { useOrderTexts } from './order-texts';

/** The update actions of a new order, one for each document that was moved. */
export function OrderReview(props: { entries: OrderEntry[]; onSaved: (id: string) => void; onClose: () => void }) {
  const discounts = useKind('CartDiscount').kind;
  const groups = useKind('DiscountGroup').kind;
  if (!discounts) return null;
  return <Review {...props} discountKind={discounts} groupKind={groups ?? discounts} />;
}

const actionOf = ({ kind, sortOrder }: OrderEntry) =>
  ({ action: kind.name === 'DiscountGroup' ? 'setSortOrder' : 'changeSortOrder', sortOrder }) as const;

function Review({
  entries,
  onSaved,
  onClose,
  discountKind,
  groupKind,
}: {
  entries: OrderEntry[];
  onSaved: (id: string) => void;
  onClose: () => void;
  discountKind: Kind;
  groupKind: Kind;
}) {
  const t = useOrderTexts();
  const words = useWords();
  const client = useClient();
  const cache = useQueryClient();
  const { language } = usePreferences();
  const discounts = useUpdate(discountKind);
  const groups = useUpdate(groupKind);
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    setError(undefined);
    const saved: string[] = [];
    try {
      for (const entry of entries) {
        const update = entry.kind === groupKind ? groups : discounts;
        await update.mutateAsync({ document: entry.document, actions: [actionOf(entry)] });
        saved.push(entry.document.id);
      }
      notify({ look: 'success', text: t('saved') });
    } catch (reason) {
      setError(reason);
    } finally {
      await cache.invalidateQueries({ queryKey: [client.project, discountKind.name, 'list', 'order'] });
      saved.forEach(onSaved);
      setSaving(false);
      if (saved.length === entries.length) onClose();
    }
  };
  return (
    <Panel
      title={t('reviewTitle')}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{words('back')}</Button>
          <Button look="primary" onPress={() => void save()} isPending={isSaving} isDisabled={entries.length === 0}>
            {t('save', { count: entries.length })}
          </Button>
        </>
      }
    >
      <div className="stack">
        {error !== undefined && <Banner look="danger">{error instanceof Error ? error.message : String(error)}</Banner>}
        <ol className="action-list">
          {entries.map((entry) => (
            <li key={entry.document.id} className="action-row">
              <b>{titleOf(entry.kind, entry.document, language)}</b>
              <code className="action-name">{actionOf(entry).action}</code>
              <dl className="action-field">
                <dt>sortOrder</dt>
                <dd>
                  <del>{String(entry.document.sortOrder)}</del>
                  <ins>{entry.sortOrder}</ins>
                </dd>
              </dl>
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  );
}
