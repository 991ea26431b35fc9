import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDocument, useKind } from '../../api/hooks';
import { useClient, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { EditableDocument } from '../../detail/EditableDocument';
import { useOpenDocument } from '../../detail/editing';
import { Button } from '../../ui/Button';
import { Chip, ErrorState, Skeleton } from '../../ui/Feedback';
import { NoAccess } from '../../ui/NoAccess';
import { DateTime } from '../../ui/values';
import { useServerStatus } from './server-status';
import { SearchTry } from './SearchTry';
import { SEARCHES, settingOf, type SearchDefinition, type SearchId } from './searches';
import { useSearchTexts } from './search-texts';
import './developers.css';

/** The searches of the project: which are on, how far they are, and a place to try queries. */
export default function SearchesPage() {
  const t = useSearchTexts();
  const { kind, mayView } = useKind('Project');
  const { data, error, refetch } = useDocument(kind, mayView ? '' : undefined, { live: true });
  usePageTitle(t('title'));
  if (!kind || !mayView) return <NoAccess />;
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
      </header>
      {data ? (
        <EditableDocument kind={kind} document={data}>
          <Searches />
        </EditableDocument>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </div>
  );
}

function Searches() {
  const t = useSearchTexts();
  const [location, navigate] = useLocation();
  const { scopes } = useProject();
  const wanted = new URLSearchParams(useSearch()).get('try');
  const may = (search: SearchDefinition) => scopes.has('manage_project') || search.scopes.some((scope) => scopes.has(scope));
  const tried = SEARCHES.find((search) => search.id === wanted && may(search)) ?? SEARCHES.find(may);
  const open = (id: SearchId) => {
    navigate(`${location}?try=${id}`, { replace: true });
    document.getElementById('try-search')?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <ul className="searches">
        {SEARCHES.map((search) => (
          <SearchRow
            key={search.id}
            search={search}
            isTried={search.id === tried?.id}
            onTry={may(search) ? () => open(search.id) : undefined}
          />
        ))}
      </ul>
      {tried && (
        <section id="try-search" className="try-search" aria-label={t('tryTitle')}>
          <SearchTry key={tried.id} search={tried} all={SEARCHES.filter(may)} onChoose={open} />
        </section>
      )}
    </>
  );
}

interface IndexingStatus {
  status: string;
  startedAt?: string;
}

/** Requests the progress of an index: from the search itself, and more exactly from the server's status if there is one. */
function useProgress(search: SearchDefinition, isOn: boolean) {
  const client = useClient();
  const server = useServerStatus();
  const own = useQuery({
    queryKey: [client.project, 'search-status', search.id],
    enabled: isOn && search.statusPath !== undefined,
    refetchInterval: 5000,
    queryFn: () => client.find<IndexingStatus>(search.statusPath!),
  });
  const indexes = server.data?.search?.filter((one) => search.indexes.includes(one.index)) ?? [];
  const lag = indexes.reduce((sum, one) => sum + (one.lag ?? 0), 0);
  const failed = indexes.reduce((sum, one) => sum + (one.failed ?? 0), 0);
  const state = indexes.find((one) => one.state !== 'Ready')?.state ?? own.data?.status ?? indexes[0]?.state;
  return { lag, failed, state };
}

function SearchRow({ search, isTried, onTry }: { search: SearchDefinition; isTried: boolean; onTry?: () => void }) {
  const t = useSearchTexts();
  const { language } = usePreferences();
  const { editing, mayUpdate, review } = useOpenDocument();
  const { status, since } = settingOf(editing.document, search);
  const isOn = status !== 'Deactivated';
  const { lag, failed, state } = useProgress(search, isOn);
  const [isAsked, setAsked] = useState(false);
  const action = search.toggle(!isOn);
  const isQueued = editing.queued.some((one) => JSON.stringify(one) === JSON.stringify(action));
  const toggle = () => {
    if (!isQueued) editing.queue(action);
    setAsked(true);
    review();
  };
  const isBuilding = isOn && (status === 'Indexing' || (state !== undefined && state !== 'Ready'));
  return (
    <li className="search-row" data-current={isTried || undefined}>
      <div className="search-about">
        <span className="row wrap">
          <b>{t(search.id)}</b>
          {!isOn ? (
            <Chip>{t('off')}</Chip>
          ) : isBuilding ? (
            <Chip look="warning" icon="clock">
              {t('building')}
            </Chip>
          ) : (
            <Chip look="success" icon="check">
              {t('on')}
            </Chip>
          )}
          {isOn && lag > 0 && <Chip look="warning">{t('behind', { count: lag })}</Chip>}
          {failed > 0 && <Chip look="danger">{t('failed', { count: failed })}</Chip>}
        </span>
        <span className="muted small">
          {t(`${search.id}Hint`)}
          {since && (
            <>
              {' · '}
              {isOn ? t('since') : t('offSince')} <DateTime value={since} />
            </>
          )}
        </span>
        <code className="muted small truncate" lang={language}>
          {search.byParameters ? 'GET' : 'POST'} /{search.path}
        </code>
      </div>
      <div className="row push">
        {onTry && isOn && (
          <Button small onPress={onTry} aria-label={`${t('try')}: ${t(search.id)}`}>
            {t('try')}
          </Button>
        )}
        {mayUpdate && (
          <Button
            small
            look={isOn ? 'normal' : 'primary'}
            onPress={toggle}
            aria-label={`${isOn ? t('switchOff') : t('switchOn')}: ${t(search.id)}`}
          >
            {isQueued && isAsked ? t('reviewIt') : isOn ? t('switchOff') : t('switchOn')}
          </Button>
        )}
      </div>
    </li>
  );
}
