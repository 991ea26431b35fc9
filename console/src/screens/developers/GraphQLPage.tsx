import { useMutation } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { useApp, useClient } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { JsonEditor } from '../../editor';
import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, Chip, EmptyState } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { useApiTexts } from './api-texts';
import './developers.css';

const EXAMPLE = `query {
  products(limit: 5) {
    total
    results {
      key
      masterData {
        current {
          name(acceptLanguage: ["en", "de"])
          masterVariant { sku }
        }
      }
    }
  }
}`;
const ROWS = 18;

/** GraphQL queries with the rights of the operator, and the way to the editor of the server. */
export default function GraphQLPage() {
  const t = useApiTexts();
  const client = useClient();
  const { configuration } = useApp();
  const [query, setQuery] = useState(EXAMPLE);
  const [variables, setVariables] = useState('{}');
  usePageTitle('GraphQL');
  const run = useMutation({
    mutationFn: async () => {
      const began = performance.now();
      const sent: unknown = JSON.parse(variables || '{}');
      if (!isObject(sent)) throw new Error(t('noObject'));
      const body = await client.request<JsonObject>('graphql', { method: 'POST', body: { query, variables: sent } });
      return { body, durationMs: Math.round(performance.now() - began) };
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      run.mutate();
    }
  };
  const errors = Array.isArray(run.data?.body.errors) ? run.data.body.errors.length : 0;
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small grow">
          <h1>GraphQL</h1>
          <p className="muted">{t('graphqlHint')}</p>
        </div>
        <div className="page-actions">
          {configuration.mode === 'embedded' && (
            <a
              className="button button-normal"
              href={`/${encodeURIComponent(client.project)}/graphql`}
              target="_blank"
              rel="noreferrer"
            >
              <Icon name="external" />
              {t('graphiql')}
            </a>
          )}
          <Button look="primary" icon="bolt" onPress={() => run.mutate()} isPending={run.isPending}>
            {t('run')}
          </Button>
        </div>
      </header>
      <div className="try" onKeyDownCapture={onKeyDown}>
        <div className="try-query">
          <TextField label={t('query')} multiline rows={ROWS} mono value={query} onChange={setQuery} dir="ltr" />
          <span className="field-label">{t('variables')}</span>
          <JsonEditor value={variables} onChange={setVariables} label={t('variables')} />
          <p className="field-hint">{t('runHint')}</p>
        </div>
        <div className="try-result" aria-live="polite">
          {run.error ? (
            <Banner look="danger">
              <span className="pre-line">{run.error.message}</span>
            </Banner>
          ) : run.data ? (
            <>
              <p className="row wrap">
                <Chip look={errors ? 'danger' : 'success'} icon={errors ? 'warning' : 'check'}>
                  {errors ? t('errors', { count: errors }) : t('ok')}
                </Chip>
                <Chip>{t('duration', { ms: run.data.durationMs })}</Chip>
              </p>
              <JsonEditor value={JSON.stringify(run.data.body, null, 2)} readOnly label={t('response')} />
            </>
          ) : (
            <EmptyState icon="bolt" title={t('nothingYet')}>
              {t('nothingYetHint')}
            </EmptyState>
          )}
        </div>
      </div>
    </div>
  );
}
