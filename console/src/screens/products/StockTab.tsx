import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { readBy } from '../../api/read-by';
import { usePreferences } from '../../app/preferences';
import { useLeaveGuard } from '../../app/leave-guard';
import { Snippet } from '../../detail/ReviewPanel';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, EmptyState, ErrorState, notify, Skeleton } from '../../ui/Feedback';
import { Panel } from '../../ui/Overlay';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import { Sheet } from './Sheet';
import { cellRange, type Range, type SheetColumn, type Write } from './sheet-state';
import { changesOf, sendChange, stockKey, type StockChange } from './stock';
import { useStockTexts } from './stock-texts';
import { sideOf, STAGED, textIn, variantsOf } from './variants';
import './products.css';

/** The stock of variants and the names of its Channels. */
function useStock(skus: string[], added: string[], enabled: boolean) {
  const { client } = useProject();
  const { kind: channelKind } = useKind('Channel');
  const { language } = usePreferences();
  return useQuery({
    queryKey: [client.project, 'InventoryEntry', 'list', 'of', skus, added],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const entries = await readBy(client, 'inventory', 'sku', skus);
      const ids = [...entries.map((entry) => channelOf(entry)), ...added].filter(Boolean);
      const channels = await readBy(client, 'channels', 'id', ids).catch(() => []);
      const name = (channel: Document) => (channelKind ? titleOf(channelKind, channel, language) : channel.id);
      return { entries, names: new Map(channels.map((channel) => [channel.id, name(channel)])) };
    },
  });
}

const channelOf = (entry: JsonObject): string => textIn(sideOf(entry, 'supplyChannel').id) ?? '';

/** Amounts that are not saved yet, by Product: they outlive a look at another tab. */
const unsaved = new Map<string, ReadonlyMap<string, number>>();

type Amounts = ReadonlyMap<string, number>;

/** The amounts of a Product that are not saved, with steps back and forth. */
function useAmounts(id: string) {
  const [edited, setEdited] = useState<Amounts>(() => unsaved.get(id) ?? new Map());
  const steps = useRef<{ past: Amounts[]; future: Amounts[] }>({ past: [], future: [] });
  const keep = (next: Amounts) => {
    if (next.size > 0) unsaved.set(id, next);
    else unsaved.delete(id);
    setEdited(next);
  };
  const step = (from: 'past' | 'future', to: 'past' | 'future') => () => {
    const next = steps.current[from].pop();
    if (!next) return;
    steps.current[to].push(edited);
    keep(next);
  };
  return {
    edited,
    change: (next: Amounts) => {
      steps.current.past.push(edited);
      steps.current.future = [];
      keep(next);
    },
    undo: step('past', 'future'),
    redo: step('future', 'past'),
    forget: () => {
      steps.current = { past: [], future: [] };
      keep(new Map());
    },
  };
}

/** The stock of the variants of a Product: a row for each SKU, a column for each supply Channel. */
export default function StockTab({ document }: { kind: Kind; document: Document }) {
  const t = useStockTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { kind, mayView, mayManage } = useKind('InventoryEntry');
  const channelKind = useKind('Channel').kind;
  const variants = useMemo(
    () => variantsOf(sideOf(document, STAGED)).filter((variant) => typeof variant.sku === 'string'),
    [document],
  );
  const { edited, change, undo, redo, forget } = useAmounts(document.id);
  const [added, setAdded] = useState<string[]>([]);
  const stock = useStock(
    variants.map((variant) => String(variant.sku)),
    added,
    mayView,
  );
  const [range, setRange] = useState<Range>(cellRange({ row: 0, column: 1 }));
  const [note, setNote] = useState<string>();
  const [isReviewed, setReviewed] = useState(false);
  const entries = useMemo(
    () => new Map((stock.data?.entries ?? []).map((entry) => [stockKey(String(entry.sku), channelOf(entry)), entry])),
    [stock.data],
  );
  const changes = useMemo(() => changesOf(edited, entries), [edited, entries]);
  useLeaveGuard(changes.length > 0);
  const names = stock.data?.names;
  const columns = useMemo(
    () => stockColumns([...[...entries.values()].map(channelOf), ...added], names, entries, edited, t),
    [entries, edited, added, names, t],
  );
  const write = (writes: Write[]) => {
    const next = new Map(edited);
    for (const { row, column, value } of writes) {
      const key = stockKey(String(variants[row]!.sku), column);
      const stored = entries.get(key)?.quantityOnStock;
      if (typeof value !== 'number' || value === stored) next.delete(key);
      else next.set(key, value);
    }
    change(next);
  };
  if (!mayView || !kind) return <EmptyState icon="key" title={words('noAccess')} />;
  if (stock.error && !stock.data) return <ErrorState error={stock.error} onRetry={() => void stock.refetch()} />;
  if (variants.length === 0) return <EmptyState icon="products" title={t('noSkus')} />;
  if (!stock.data) return <Skeleton lines={4} />;
  return (
    <div className="stack">
      <Sheet
        label={t('title')}
        rows={variants}
        columns={columns}
        rowId={(variant) => String(variant.id)}
        rowHead={(variant) => <span className="numbers">{String(variant.id)}</span>}
        range={range.focus.column < columns.length ? range : cellRange({ row: 0, column: 0 })}
        onRange={setRange}
        onWrite={mayManage ? write : undefined}
        onUndo={undo}
        onRedo={redo}
        onNote={setNote}
      />
      <div className="sheet-foot">
        <span role="status" className={note ? 'sheet-note' : undefined}>
          {note ?? t('hint')}
        </span>
        {changes.length > 0 && (
          <span className="row push">
            <Button small onPress={() => change(new Map())}>
              {words('discard')}
            </Button>
            <Button small look="primary" onPress={() => setReviewed(true)}>
              {t('review', { count: changes.length })}
            </Button>
          </span>
        )}
      </div>
      {mayManage && channelKind && (
        <div className="stock-channel">
          <ReferencePicker
            label={t('addChannel')}
            kinds={[channelKind]}
            value={undefined}
            filter='roles contains any ("InventorySupply")'
            onChange={(channel) => channel && setAdded((now) => [...now, String(channel.id)])}
          />
        </div>
      )}
      {isReviewed && (
        <StockReview
          changes={changes}
          nameOf={(channel) => (channel ? (stock.data.names.get(channel) ?? channel) : t('noChannel'))}
          language={language}
          onClose={() => setReviewed(false)}
          onSaved={() => {
            forget();
            setReviewed(false);
          }}
        />
      )}
    </div>
  );
}

/** The SKU, and a column for each Channel. */
function stockColumns(
  channels: string[],
  names: ReadonlyMap<string, string> | undefined,
  entries: ReadonlyMap<string, Document>,
  edited: Amounts,
  t: ReturnType<typeof useStockTexts>,
): SheetColumn<JsonObject>[] {
  const each = new Set(channels.length > 0 ? channels : ['']);
  const sku: SheetColumn<JsonObject> = {
    id: 'sku',
    label: 'SKU',
    width: 190,
    isFixed: true,
    isReadOnly: true,
    text: (variant) => String(variant.sku),
  };
  const numbers = [...each].sort().map((channel) => {
    const keyOf = (variant: JsonObject) => stockKey(String(variant.sku), channel);
    return stockColumn(
      channel,
      channel === '' ? t('noChannel') : (names?.get(channel) ?? channel),
      (variant) => edited.get(keyOf(variant)) ?? entries.get(keyOf(variant))?.quantityOnStock,
      (variant) => edited.has(keyOf(variant)),
      (text) => t('notWhole', { text }),
      t('onStock'),
    );
  });
  return [sku, ...numbers];
}

function stockColumn(
  channel: string,
  label: string,
  read: (variant: JsonObject) => unknown,
  isChanged: (variant: JsonObject) => boolean,
  refuse: (text: string) => string,
  hint: string,
): SheetColumn<JsonObject> {
  return {
    id: channel,
    label,
    hint,
    width: 130,
    end: true,
    text: (variant) => {
      const amount = read(variant);
      return typeof amount === 'number' ? String(amount) : '';
    },
    isChanged,
    parse: (text) =>
      text === '' ? { value: undefined } : /^-?\d{1,15}$/.test(text) ? { value: Number(text) } : { error: refuse(text) },
  };
}

/** Shows the requests that a save of stock sends: one for each entry. */
function StockReview({
  changes,
  nameOf,
  language,
  onClose,
  onSaved,
}: {
  changes: StockChange[];
  nameOf: (channel: string) => string;
  language: string;
  onClose: () => void;
  onSaved: () => void;
}) {
  const t = useStockTexts();
  const words = useWords();
  const { client } = useProject();
  const cache = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<string[]>([]);
  const save = async () => {
    setSaving(true);
    const problems: string[] = [];
    for (const change of changes)
      await sendChange(client, change).catch((error: unknown) =>
        problems.push(`${change.sku}: ${error instanceof Error ? error.message : String(error)}`),
      );
    await cache.invalidateQueries({ queryKey: [client.project, 'InventoryEntry'] });
    setSaving(false);
    setFailed(problems);
    if (problems.length > 0) return;
    notify({ look: 'success', text: t('saved', { count: changes.length }) });
    onSaved();
  };
  const requests = changes.map(({ path, body }) => `POST ${path}\n${JSON.stringify(body, null, 1)}`).join('\n\n');
  return (
    <Panel
      title={t('reviewTitle')}
      isOpen
      wide
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('back')}</Button>
          <Button look="primary" isPending={isSaving} isDisabled={changes.length === 0} onPress={() => void save()}>
            {t('save', { count: changes.length })}
          </Button>
        </>
      }
    >
      <div className="stack">
        {failed.length > 0 && <Banner look="danger">{failed.join('\n')}</Banner>}
        <div className="preview-scroll" tabIndex={0} role="region" aria-label={t('reviewTitle')}>
          <table className="preview">
            <thead>
              <tr>
                <th scope="col">SKU</th>
                <th scope="col">{t('channel')}</th>
                <th scope="col" className="preview-end">
                  {t('before')}
                </th>
                <th scope="col" className="preview-end">
                  {t('after')}
                </th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr key={stockKey(change.sku, change.channel)}>
                  <td>{change.sku}</td>
                  <td className="muted">{nameOf(change.channel)}</td>
                  <td className="preview-end muted">{change.before?.toLocaleString(language) ?? '–'}</td>
                  <td className="preview-end">{change.after.toLocaleString(language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <details>
          <summary>{t('requests')}</summary>
          <Snippet text={requests} hint={t('requestsHint')} />
        </details>
      </div>
    </Panel>
  );
}
