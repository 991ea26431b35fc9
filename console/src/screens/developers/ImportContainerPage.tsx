import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useClient, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { humanize } from '../../model/values';
import { Button } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, notifyError, Skeleton } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Confirm } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { DateTime } from '../../ui/values';
import { ImportProgress } from './ImportsPage';
import { SendPanel } from './SendPanel';
import {
  IMPORT,
  lookOf,
  STATES,
  useContainer,
  useOperations,
  useSummary,
  type ImportOperation,
  type ImportState,
} from './imports';
import { useImportTexts } from './import-texts';
import './developers.css';

/** One Import Container: progress, and its Import Operations with their errors; failed ones first. */
export default function ImportContainerPage({ container: encoded = '' }: { container?: string }) {
  const key = decodeURIComponent(encoded);
  const t = useImportTexts();
  const { language } = usePreferences();
  const { scopes } = useProject();
  const container = useContainer(key);
  const summary = useSummary(key);
  const [state, setState] = useState<ImportState>();
  const operations = useOperations(key, state);
  const [open, setOpen] = useState<'remove' | 'send'>();
  usePageTitle(key);
  const mayManage = scopes.has('manage_project') || scopes.has('manage_import_containers');
  if (container.error && !container.data)
    return (
      <div className="page">
        <ErrorState error={container.error} onRetry={() => void container.refetch()} />
      </div>
    );
  const sorted = [...(operations.data?.results ?? [])].sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
  const total = operations.data?.total ?? 0;
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small grow">
          <h1 dir="auto">{key}</h1>
          {container.data && (
            <p className="row wrap muted small">
              <Chip>
                {container.data.resourceType ? humanize(container.data.resourceType.replaceAll('-', ' ')) : t('anyType')}
              </Chip>
              <span>
                {t('lastChange')} <DateTime value={container.data.lastModifiedAt} />
              </span>
            </p>
          )}
        </div>
        {mayManage && (
          <div className="page-actions">
            <Button icon="trash" compact onPress={() => setOpen('remove')}>
              {t('remove')}
            </Button>
            <Button look="primary" icon="upload" onPress={() => setOpen('send')}>
              {t('send')}
            </Button>
          </div>
        )}
      </header>
      {summary.data && (
        <div className="stack-small">
          <ImportProgress summary={summary.data} />
        </div>
      )}
      <section className="section" aria-label={t('operations')}>
        <div className="row wrap">
          <h2>{t('operations')}</h2>
          <div className="push log-filter">
            <Select
              small
              aria-label={t('state')}
              value={state ?? ''}
              options={[
                { id: '', label: t('allStates') },
                ...STATES.map((id) => ({
                  id,
                  label: `${t(id)}${summary.data?.states[id] ? ` (${summary.data.states[id].toLocaleString(language)})` : ''}`,
                })),
              ]}
              onChange={(next) => setState(next ? (next as ImportState) : undefined)}
            />
          </div>
        </div>
        {operations.error && !operations.data ? (
          <ErrorState error={operations.error} />
        ) : !operations.data ? (
          <Skeleton lines={5} />
        ) : sorted.length === 0 ? (
          <EmptyState icon="check" title={state ? t('noMatch') : t('empty')}>
            {state ? undefined : t('noOperations')}
          </EmptyState>
        ) : (
          <>
            <ul className="log-rows">
              {sorted.map((operation) => (
                <OperationRow key={operation.id} operation={operation} />
              ))}
            </ul>
            {total > sorted.length && (
              <p className="muted small">
                {t('showing', { count: sorted.length.toLocaleString(language), all: total.toLocaleString(language) })}
              </p>
            )}
          </>
        )}
      </section>
      <RemoveContainer
        containerKey={key}
        isOpen={open === 'remove'}
        onClose={() => setOpen(undefined)}
        version={container.data?.version}
      />
      {open === 'send' && <SendPanel containerKey={key} type={container.data?.resourceType} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function OperationRow({ operation }: { operation: ImportOperation }) {
  const t = useImportTexts();
  const errors = operation.errors ?? [];
  return (
    <li className="log-row operation">
      <span className="operation-state">
        <Chip look={lookOf(operation.state)}>{t(operation.state)}</Chip>
      </span>
      <span className="log-main">
        <span className="mono truncate" dir="auto">
          {operation.resourceKey}
        </span>
        {errors.map((error, at) => (
          <span key={at} className="small log-reason">
            {error.code && <b>{error.code}: </b>}
            {error.message}
          </span>
        ))}
        {operation.unresolvedReferences?.map((one) => (
          <span key={`${one.typeId} ${one.key}`} className="small operation-waits">
            {t('waitsFor', { type: humanize(one.typeId.replaceAll('-', ' ')), key: one.key })}
          </span>
        ))}
      </span>
      <span className="log-end muted small numbers">
        {operation.resourceVersion !== undefined && <span>{t('version', { version: operation.resourceVersion })}</span>}
        <DateTime value={operation.lastModifiedAt} />
      </span>
    </li>
  );
}

function RemoveContainer({
  containerKey,
  version,
  isOpen,
  onClose,
}: {
  containerKey: string;
  version?: number;
  isOpen: boolean;
  onClose: () => void;
}) {
  const t = useImportTexts();
  const words = useWords();
  const client = useClient();
  const cache = useQueryClient();
  const { key: project } = useProject();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () =>
      client.request(`import-containers/${encodeURIComponent(containerKey)}`, {
        method: 'DELETE',
        service: IMPORT,
        query: { version },
      }),
    onSuccess: () => {
      navigate(`/${encodeURIComponent(project)}/developers/imports`);
      void cache.invalidateQueries({ queryKey: [client.project, 'imports', 'containers'] });
    },
    onError: notifyError,
  });
  return (
    <Confirm
      title={t('removeTitle', { key: containerKey })}
      isOpen={isOpen}
      onClose={onClose}
      confirm={words('delete')}
      onConfirm={() => remove.mutate()}
      isPending={remove.isPending}
    >
      {t('removeHint')}
    </Confirm>
  );
}
