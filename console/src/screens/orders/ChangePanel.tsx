import { useState, type ReactNode } from 'react';
import { ApiError } from '../../api/errors';
import { documentKey, documentPath, useUpdate } from '../../api/hooks';
import { queryClient } from '../../api/hooks';
import { useClient } from '../../api/project';
import { kindName } from '../../app/navigation';
import { usePreferences } from '../../app/preferences';
import { ActionRow } from '../../detail/ReviewPanel';
import { titleOf } from '../../model/display';
import type { Document, Kind, UpdateAction } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, Chip, notify } from '../../ui/Feedback';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { useOrderTexts } from './texts';

/** Update actions of one document. */
export interface Step {
  kind: Kind;
  document: Document;
  actions: UpdateAction[];
  /** In one sentence, what the actions do. */
  text: string;
}

/**
 * Shows the update actions of several documents, and sends them one after the other. After a failure it shows which steps are
 * done, and can continue with the rest.
 */
export function ChangePanel({
  title,
  steps,
  success,
  onBack,
  onClose,
}: {
  title: string;
  steps: Step[];
  /** The message when all is done. */
  success: string;
  onBack: () => void;
  onClose: () => void;
}) {
  const t = useOrderTexts();
  const words = useWords();
  const run = useSteps(steps);
  const count = steps.slice(run.done).reduce((sum, step) => sum + step.actions.length, 0);
  const send = () =>
    void run.send().then((finished) => {
      if (!finished) return;
      notify({ look: 'success', text: success });
      onClose();
    });
  return (
    <Panel
      title={title}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          {run.done === 0 && <Button onPress={onBack}>{words('back')}</Button>}
          {run.done > 0 && <Button onPress={onClose}>{words('close')}</Button>}
          <Button look="primary" onPress={send} isPending={run.isSending}>
            {run.error ? t('sendAgain', { count }) : t('sendActions', { count })}
          </Button>
        </>
      }
    >
      <div className="stack-large">
        {run.error !== undefined && (
          <Banner look="danger">
            <b>{run.done > 0 ? t('partlyDone') : t('nothingDone')}</b>
            {'\n'}
            {run.error instanceof Error ? run.error.message : String(run.error)}
            {run.isRefreshed && `\n${t('versionRefreshed')}`}
          </Banner>
        )}
        {steps.map((step, at) => (
          <StepPart
            key={`${step.kind.name} ${step.document.id}`}
            step={step}
            look={at < run.done ? 'done' : at === run.done && run.error ? 'failed' : 'open'}
          />
        ))}
      </div>
    </Panel>
  );
}

function StepPart({ step, look }: { step: Step; look: 'open' | 'done' | 'failed' }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const chips: Record<typeof look, ReactNode> = {
    open: null,
    done: (
      <Chip look="success" icon="check">
        {t('stepDone')}
      </Chip>
    ),
    failed: (
      <Chip look="danger" icon="warning">
        {t('stepFailed')}
      </Chip>
    ),
  };
  return (
    <section className="stack">
      <div className="row wrap">
        <h3>
          {kindName(step.kind)} <span className="muted">{titleOf(step.kind, step.document, language)}</span>
        </h3>
        {chips[look]}
      </div>
      <p>{step.text}</p>
      <ol className="action-list step-actions">
        {step.actions.map((action, at) => (
          <ActionRow key={at} action={action} document={step.document} />
        ))}
      </ol>
    </section>
  );
}

/** Sends steps in order. `done` counts those that succeeded; they are not sent again. */
function useSteps(steps: Step[]) {
  const client = useClient();
  const [done, setDone] = useState(0);
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const [fresh, setFresh] = useState<Document>();
  // A step is of one of two kinds at most; each kind has a mutation that shows the new document.
  const first = useUpdate(steps[0]!.kind);
  const last = useUpdate(steps.at(-1)!.kind);
  const send = async (): Promise<boolean> => {
    setSending(true);
    setError(undefined);
    let at = done;
    try {
      for (; at < steps.length; at += 1) {
        const step = steps[at]!;
        const document = fresh?.id === step.document.id ? fresh : step.document;
        const update = step.kind === steps[0]!.kind ? first : last;
        await update.mutateAsync({ document, actions: step.actions });
        setDone(at + 1);
      }
      return true;
    } catch (reason) {
      setError(reason);
      const step = steps[at]!;
      const path = documentPath(step.kind, step.document);
      if (reason instanceof ApiError && reason.code === 'ConcurrentModification' && path) {
        const current = await client.find<Document>(path, { service: step.kind.service });
        if (current) {
          queryClient.setQueryData(documentKey(client.project, step.kind, current.id), current);
          setFresh(current);
        }
      }
      return false;
    } finally {
      setSending(false);
    }
  };
  return { done, error, isSending, send, isRefreshed: fresh !== undefined && fresh.id === steps[done]?.document.id };
}
