import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useKind } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { runEach } from '../../api/run-each';
import { Snippet } from '../../detail/ReviewPanel';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, notify, Progress, Skeleton } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { asVariant, embeddedVariants, priceUpdates, readStandalonePrices, sendUpdate, type PriceUpdate } from './bulk-prices';
import { countPrices, PricePreview, usePriceChange } from './PriceChangePanel';
import { useBulkTexts } from './bulk-texts';
import { useProductTexts } from './texts';
import './products.css';

const REQUESTS_AT_ONCE = 4;
const ACTIONS_SHOWN_MAX = 20;

/** A button that changes the prices of the selected Products. */
export default function BulkPrices({ kind, documents, onDone }: { kind: Kind; documents: Document[]; onDone: () => void }) {
  const t = useProductTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small icon="discounts" onPress={() => setOpen(true)}>
        {t('changePrices')}
      </Button>
      {isOpen && (
        <BulkPricesPanel
          kind={kind}
          documents={documents}
          onClose={(changed) => {
            setOpen(false);
            if (changed) onDone();
          }}
        />
      )}
    </>
  );
}

function BulkPricesPanel({
  kind,
  documents,
  onClose,
}: {
  kind: Kind;
  documents: Document[];
  onClose: (changed: boolean) => void;
}) {
  const t = useBulkTexts();
  const words = useWords();
  const model = useModel();
  const { client } = useProject();
  const ofStandalone = useKind('StandalonePrice');
  const [side, setSide] = useState<'staged' | 'both'>('staged');
  const standalone = useQuery({
    queryKey: [client.project, 'StandalonePrice', 'list', 'of products', documents.map((one) => `${one.id} ${one.version}`)],
    queryFn: () => readStandalonePrices(client, ofStandalone.mayManage ? ofStandalone.kind : undefined, documents),
  });
  const prices = standalone.data ?? NONE;
  const variants = useMemo(() => [...embeddedVariants(documents), ...prices.map(asVariant)], [documents, prices]);
  const { form, change } = usePriceChange(variants);
  const updates = useMemo(
    () =>
      change
        ? priceUpdates(model, { product: kind, standalone: ofStandalone.kind }, documents, prices, change, side === 'both')
        : [],
    [change?.currency, change?.percent, change?.rounding, model, kind, ofStandalone.kind, documents, prices, side],
  );
  const run = useRun(updates, onClose);
  const count = change ? countPrices(variants, change.currency) : 0;
  return (
    <Panel
      title={t('title', { count: documents.length })}
      isOpen
      wide
      onClose={() => !run.isRunning && onClose(run.failed.length > 0)}
      footer={
        <>
          {run.isRunning ? (
            <Button onPress={run.stop}>{t('stop')}</Button>
          ) : (
            <Button onPress={() => onClose(run.failed.length > 0)}>{words(run.failed.length > 0 ? 'close' : 'cancel')}</Button>
          )}
          {run.failed.length === 0 && (
            <Button look="primary" isPending={run.isRunning} isDisabled={updates.length === 0} onPress={() => void run.start()}>
              {t('apply', { count })}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {form}
        <Select
          label={t('side')}
          value={side}
          options={[
            { id: 'staged', label: t('stagedOnly') },
            { id: 'both', label: t('atOnce') },
          ]}
          onChange={(id) => setSide(id as 'staged' | 'both')}
        />
        {standalone.isPending && <Skeleton />}
        {run.progress !== undefined && (
          <Progress value={run.progress} max={updates.length} label={t('progress', { done: run.progress, of: updates.length })} />
        )}
        {run.failed.length > 0 && (
          <Banner look="danger">
            <p>{t('failed', { count: run.failed.length })}</p>
            <ul className="small">
              {run.failed.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Banner>
        )}
        {change && count > 0 && (
          <>
            <p className="muted">{t('what', { prices: count, documents: updates.length })}</p>
            <PricePreview variants={variants} change={change} />
            <details>
              <summary>{t('actions')}</summary>
              <Snippet text={snippetOf(updates)} hint={t('actionsHint')} />
            </details>
          </>
        )}
      </div>
    </Panel>
  );
}

const NONE: Document[] = [];

const snippetOf = (updates: PriceUpdate[]) =>
  updates
    .slice(0, ACTIONS_SHOWN_MAX)
    .map(({ kind, document, actions }) => {
      const body = JSON.stringify({ version: document.version, actions }, null, 1);
      return `POST ${kind.path}/${document.id}\n${body}`;
    })
    .join('\n\n')
    .concat(updates.length > ACTIONS_SHOWN_MAX ? '\n…' : '');

/** Sends the updates, some at a time, and offers to take them back. */
function useRun(updates: PriceUpdate[], onClose: (changed: boolean) => void) {
  const t = useBulkTexts();
  const { client } = useProject();
  const cache = useQueryClient();
  const [progress, setProgress] = useState<number>();
  const [failed, setFailed] = useState<string[]>([]);
  const signal = useRef({ stopped: false });
  const refresh = () => {
    for (const name of new Set(updates.map((update) => update.kind.name)))
      void cache.invalidateQueries({ queryKey: [client.project, name] });
  };
  const undo = async (done: { update: PriceUpdate; version: number }[]) => {
    const problems: string[] = [];
    await runEach(
      done,
      REQUESTS_AT_ONCE,
      ({ update, version }) =>
        sendUpdate(client, update, update.back, version).then(
          () => undefined,
          (error: unknown) => void problems.push(`${update.name}: ${messageOf(error)}`),
        ),
      { stopped: false },
      () => undefined,
    );
    refresh();
    notify(
      problems.length > 0
        ? { look: 'danger', text: t('failed', { count: problems.length }), detail: problems.join('\n') }
        : { look: 'success', text: t('undone') },
    );
  };
  const start = async () => {
    const done: { update: PriceUpdate; version: number }[] = [];
    const problems: string[] = [];
    signal.current = { stopped: false };
    setProgress(0);
    await runEach(
      updates,
      REQUESTS_AT_ONCE,
      async (update) => {
        try {
          const after = await sendUpdate(client, update, update.actions, update.document.version);
          done.push({ update, version: after.version });
        } catch (error) {
          problems.push(`${update.name}: ${messageOf(error)}`);
        }
      },
      signal.current,
      setProgress,
    );
    setProgress(undefined);
    refresh();
    if (done.length > 0)
      notify({
        look: 'success',
        text: t('done', { count: done.reduce((sum, { update }) => sum + update.actions.length, 0) }),
        action: { label: t('undo'), run: () => void undo(done) },
      });
    if (problems.length > 0) setFailed(problems);
    else onClose(true);
  };
  return { start, failed, progress, isRunning: progress !== undefined, stop: () => (signal.current.stopped = true) };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
