import { useMutation } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { useDocument, useKind } from '../../api/hooks';
import { useClient } from '../../api/project';
import { CopyButton } from '../../detail/CopyButton';
import { JsonEditor } from '../../editor';
import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { Select } from '../../ui/Field';
import { Banner, Chip, EmptyState } from '../../ui/Feedback';
import { Menu } from '../../ui/Overlay';
import { SearchResult } from './SearchResult';
import { readFound, settingOf, type SearchDefinition, type SearchId } from './searches';
import { useSearchTexts } from './search-texts';

/** Parses the body; a text that is no JSON object is an error that says so. */
function bodyOf(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('{ … }');
  return value as JsonObject;
}

/** Sends queries to one search, and shows hits, facets, the duration and the response. */
export function SearchTry({
  search,
  all,
  onChoose,
}: {
  search: SearchDefinition;
  all: SearchDefinition[];
  onChoose: (id: SearchId) => void;
}) {
  const t = useSearchTexts();
  const client = useClient();
  const { kind: projectKind } = useKind('Project');
  const project = useDocument(projectKind, '');
  const [text, setText] = useState(() => JSON.stringify(search.examples[0]!.body, null, 2));
  const isOn = !project.data || settingOf(project.data, search).status !== 'Deactivated';
  const run = useMutation({
    mutationFn: async (body: JsonObject) => {
      const began = performance.now();
      const response = search.byParameters
        ? await client.request<JsonObject>(search.path, { query: body as Record<string, string | string[]> })
        : await client.request<JsonObject>(search.path, { method: 'POST', body });
      return readFound(response, performance.now() - began);
    },
  });
  const [problem, setProblem] = useState<string>();
  const send = (value = text) => {
    try {
      setProblem(undefined);
      run.mutate(bodyOf(value));
    } catch (error) {
      setProblem(`${t('noJson')} ${error instanceof Error ? error.message : ''}`);
    }
  };
  const use = (body: JsonObject) => {
    const next = JSON.stringify(body, null, 2);
    setText(next);
    send(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      send();
    }
  };
  return (
    <div className="stack">
      <div className="row wrap">
        <h2>{t('tryTitle')}</h2>
        <div className="search-choice">
          <Select
            small
            aria-label={t('search')}
            value={search.id}
            options={all.map(({ id }) => ({ id, label: t(id) }))}
            onChange={(id) => onChoose(id as SearchId)}
          />
        </div>
        <span className="row push">
          <Menu
            label={t('examples')}
            trigger={
              <Button small icon="down">
                {t('examples')}
              </Button>
            }
            entries={search.examples.map((example) => ({
              id: example.id,
              label: t(example.id),
              onAction: () => use(example.body),
            }))}
          />
          <CopyButton text={text} />
          <Button small look="primary" icon="search" onPress={() => send()} isPending={run.isPending}>
            {t('run')}
          </Button>
        </span>
      </div>
      {!isOn && <Banner look="warning">{t('isOff')}</Banner>}
      <div className="try">
        <div className="try-query" onKeyDownCapture={onKeyDown}>
          <JsonEditor value={text} onChange={setText} label={search.byParameters ? t('parameters') : t('query')} />
          <p className="field-hint">{search.byParameters ? t('parametersHint') : t('runHint')}</p>
        </div>
        <div className="try-result" aria-live="polite">
          {problem !== undefined ? (
            <Banner look="danger">{problem}</Banner>
          ) : run.error ? (
            <Banner look="danger">
              <span className="pre-line">{run.error.message}</span>
            </Banner>
          ) : run.data ? (
            <>
              <p className="row wrap">
                <b className="numbers">{t('found', { count: run.data.total ?? run.data.hits.length })}</b>
                <Chip>{t('duration', { ms: Math.round(run.data.durationMs) })}</Chip>
              </p>
              <SearchResult search={search} found={run.data} />
            </>
          ) : (
            <EmptyState icon="search" title={t('nothingYet')}>
              {t('nothingYetHint')}
            </EmptyState>
          )}
        </div>
      </div>
    </div>
  );
}
