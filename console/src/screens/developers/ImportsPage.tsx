import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useModel, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { humanize } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { DateTime } from '../../ui/values';
import {
  IMPORT,
  lookOf,
  STATES,
  openCount,
  useContainers,
  useSummaries,
  type ImportContainer,
  type ImportSummary,
} from './imports';
import { useImportTexts } from './import-texts';
import './developers.css';

/** The Import Containers of the project with their progress. */
export default function ImportsPage() {
  const t = useImportTexts();
  const { key, scopes } = useProject();
  const { data, error, refetch } = useContainers();
  const summaries = useSummaries(data?.results.map((container) => container.key) ?? []);
  const [isNew, setNew] = useState(false);
  usePageTitle(t('title'));
  const mayManage = scopes.has('manage_project') || scopes.has('manage_import_containers');
  const add = mayManage && data !== null && (
    <Button look="primary" icon="plus" onPress={() => setNew(true)}>
      {t('add')}
    </Button>
  );
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
        {data && data.results.length > 0 && <div className="page-actions">{add}</div>}
      </header>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={5} />
      ) : data === null ? (
        <EmptyState icon="info" title={t('noApi')} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="upload" title={t('none')} action={add}>
          {t('noneHint')}
        </EmptyState>
      ) : (
        <ul className="searches">
          {data.results.map((container) => (
            <ContainerRow
              key={container.key}
              container={container}
              summary={summaries.data?.[container.key]}
              href={`/${encodeURIComponent(key)}/developers/imports/${encodeURIComponent(container.key)}`}
            />
          ))}
        </ul>
      )}
      {isNew && <NewContainer onClose={() => setNew(false)} />}
    </div>
  );
}

function ContainerRow({ container, summary, href }: { container: ImportContainer; summary?: ImportSummary; href: string }) {
  const t = useImportTexts();
  return (
    <li className="search-row">
      <div className="search-about">
        <span className="row wrap">
          <Link className="cell-title truncate" href={href}>
            {container.key}
          </Link>
          {container.resourceType && <Chip>{humanize(container.resourceType.replaceAll('-', ' '))}</Chip>}
        </span>
        <span className="muted small">
          {t('lastChange')} <DateTime value={container.lastModifiedAt} />
          {container.expiresAt && (
            <>
              {' · '}
              {t('expires')} <DateTime value={container.expiresAt} />
            </>
          )}
        </span>
      </div>
      <div className="search-about">{summary ? <ImportProgress summary={summary} /> : <Skeleton lines={1} />}</div>
    </li>
  );
}

/** Shows the number of operations in each state as one bar. */
export function ImportProgress({ summary }: { summary: ImportSummary }) {
  const t = useImportTexts();
  const { language } = usePreferences();
  const { states, total } = summary;
  if (total === 0) return <span className="muted small">{t('empty')}</span>;
  const parts = [...STATES].reverse().filter((state) => states[state] > 0);
  const open = openCount(summary);
  const about = t('progress', { done: (total - open).toLocaleString(language), all: total.toLocaleString(language) });
  return (
    <>
      <span className="row wrap small">
        <span className="numbers">{about}</span>
        {parts
          .filter((state) => state !== 'imported')
          .map((state) => (
            <Chip key={state} look={lookOf(state)}>
              {`${states[state].toLocaleString(language)} ${t(state)}`}
            </Chip>
          ))}
      </span>
      <div
        className="import-progress"
        role="progressbar"
        aria-label={about}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={total - open}
      >
        {parts.map((state) => (
          <span
            key={state}
            className="import-part"
            data-look={lookOf(state)}
            title={`${t(state)}: ${states[state]}`}
            style={{ flexGrow: states[state] }}
          />
        ))}
      </div>
    </>
  );
}

const KEY = /^[A-Za-z0-9_-]{2,256}$/;

function NewContainer({ onClose }: { onClose: () => void }) {
  const t = useImportTexts();
  const words = useWords();
  const client = useClient();
  const cache = useQueryClient();
  const model = useModel();
  const { key: project } = useProject();
  const [, navigate] = useLocation();
  const [key, setKey] = useState('');
  const [type, setType] = useState('');
  const create = useMutation({
    mutationFn: () =>
      client.request<ImportContainer>('import-containers', {
        method: 'POST',
        service: IMPORT,
        body: { key, ...(type ? { resourceType: type } : {}) },
      }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: [client.project, 'imports'] });
      navigate(`/${encodeURIComponent(project)}/developers/imports/${encodeURIComponent(key)}`);
    },
  });
  const types = model.enumOf('ImportResourceType') ?? TYPES;
  const isValid = KEY.test(key);
  return (
    <Panel
      title={t('add')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={!isValid} isPending={create.isPending} onPress={() => create.mutate()}>
            {t('create')}
          </Button>
        </>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) create.mutate();
        }}
      >
        {create.error && <Banner look="danger">{create.error.message}</Banner>}
        <TextField label={t('key')} hint={t('keyHint')} required autoFocus mono value={key} onChange={setKey} />
        <Select
          label={t('type')}
          value={type}
          options={[{ id: '', label: t('anyType') }, ...types.map((id) => ({ id, label: humanize(id.replaceAll('-', ' ')) }))]}
          onChange={setType}
        />
        <button type="submit" hidden />
      </form>
    </Panel>
  );
}

/** The types that imports have. */
export const TYPES = [
  'business-unit',
  'category',
  'customer',
  'discount-code',
  'inventory',
  'order',
  'order-patch',
  'price',
  'product',
  'product-draft',
  'product-selection',
  'product-tailoring',
  'product-type',
  'product-variant',
  'product-variant-patch',
  'standalone-price',
  'variant',
  'type',
];
