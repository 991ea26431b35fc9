import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { CopyId } from '../../detail/CopyId';
import { Chip, Banner } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { NoAccess } from '../../ui/NoAccess';
import { Panel } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { DateTime } from '../../ui/values';
import { useRequests, type LoggedRequest } from './deliveries';
import { useRequestTexts } from './request-texts';
import { LogState } from './LogState';
import './developers.css';

const CLIENTS_MAX = 200;
const SLOW_MS = 500;

/** The last requests of the project: which client sent what, how long it took, and why it was refused. */
export default function RequestsPage() {
  const t = useRequestTexts();
  const { scopes } = useProject();
  usePageTitle(t('title'));
  if (!scopes.has('manage_project') && !scopes.has('view_audit_log')) return <NoAccess />;
  return <Requests />;
}

function Requests() {
  const t = useRequestTexts();
  const [location, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const { kind: clients, mayView } = useKind('ApiClient');
  const { data: page } = useList(clients!, { limit: CLIENTS_MAX, withTotal: false }, { enabled: !!clients && mayView });
  const [open, setOpen] = useState<LoggedRequest>();
  const filter = {
    status: search.get('status') ?? '',
    client: search.get('client') ?? '',
    path: search.get('path') ?? '',
  };
  const [path, setPath] = useState(filter.path);
  const log = useRequests({
    status: /^[1-5]xx$/.test(filter.status) ? filter.status : undefined,
    client: filter.client || undefined,
    path: filter.path || undefined,
  });
  const set = (name: keyof typeof filter, value: string) => {
    const next = new URLSearchParams(search);
    if (value) next.set(name, value);
    else next.delete(name);
    navigate(`${location}${next.size ? `?${next}` : ''}`, { replace: true });
  };
  const names = new Map((page?.results ?? []).map((client) => [client.id, String(client.name)]));
  const all = log.data ?? [];
  const shown =
    filter.status === 'refused'
      ? all.filter((request) => request.status >= 400)
      : filter.status === 'slow'
        ? all.filter((request) => request.durationMs >= SLOW_MS)
        : all;
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
      </header>
      {log.data !== null && (
        <form
          className="row wrap log-filters"
          onSubmit={(event) => {
            event.preventDefault();
            set('path', path.trim());
          }}
        >
          <div className="log-filter">
            <Select
              aria-label={t('status')}
              value={filter.status}
              options={[
                { id: '', label: t('allStatuses') },
                { id: 'refused', label: t('refused') },
                { id: '2xx', label: t('succeeded') },
                { id: '4xx', label: '4xx' },
                { id: '5xx', label: '5xx' },
                { id: 'slow', label: t('slow', { ms: SLOW_MS }) },
              ]}
              onChange={(value) => set('status', value)}
            />
          </div>
          {names.size > 0 && (
            <div className="log-filter">
              <Select
                aria-label={t('client')}
                value={filter.client}
                options={[{ id: '', label: t('allClients') }, ...[...names].map(([id, label]) => ({ id, label }))]}
                onChange={(value) => set('client', value)}
              />
            </div>
          )}
          <div className="log-filter grow">
            <TextField
              aria-label={t('path')}
              placeholder={t('path')}
              type="search"
              value={path}
              onChange={setPath}
              onBlur={() => path.trim() !== filter.path && set('path', path.trim())}
            />
          </div>
        </form>
      )}
      <LogState
        log={log}
        absent={{ title: t('noLog'), hint: t('noLogHint') }}
        empty={shown.length > 0 ? undefined : isFiltered ? { title: t('noMatch') } : { title: t('none'), hint: t('noneHint') }}
      >
        <ul className="log-rows">
          {shown.map((request, at) => (
            <li key={`${request.at} ${at}`}>
              <RequestRow request={request} name={nameOf(request, names)} onOpen={() => setOpen(request)} />
            </li>
          ))}
        </ul>
      </LogState>
      {open && <RequestPanel request={open} name={nameOf(open, names)} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

const nameOf = (request: LoggedRequest, names: Map<string, string>): string | undefined =>
  request.operator ?? (request.clientId === undefined ? undefined : (names.get(request.clientId) ?? request.clientId));

function StatusCode({ status }: { status: number }) {
  return <Chip look={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'success'}>{status}</Chip>;
}

function RequestRow({ request, name, onOpen }: { request: LoggedRequest; name?: string; onOpen: () => void }) {
  const t = useRequestTexts();
  const { language } = usePreferences();
  return (
    <button type="button" className="log-row" onClick={onOpen}>
      <span className="log-code">
        <StatusCode status={request.status} />
      </span>
      <span className="log-main">
        <span className="truncate mono" dir="ltr">
          <b className="log-method">{request.method}</b> {request.path}
        </span>
        {request.reason && (
          <span className="small log-reason truncate" title={request.reason}>
            {request.reason}
          </span>
        )}
      </span>
      <span className="log-end muted small numbers">
        {name && <span className="truncate log-client">{name}</span>}
        <span className="log-ms">{t('ms', { ms: duration(request.durationMs, language) })}</span>
        <DateTime value={request.at} />
      </span>
    </button>
  );
}

const duration = (ms: number, language: string) => ms.toLocaleString(language, { maximumFractionDigits: ms < 10 ? 1 : 0 });

function RequestPanel({ request, name, onClose }: { request: LoggedRequest; name?: string; onClose: () => void }) {
  const t = useRequestTexts();
  const { language } = usePreferences();
  return (
    <Panel title={`${request.method} ${request.status}`} isOpen onClose={onClose}>
      <div className="stack">
        {request.reason && (
          <Banner look={request.status >= 500 ? 'danger' : 'warning'}>
            <span className="pre-line">{request.reason}</span>
          </Banner>
        )}
        <dl className="facts">
          <dt>{t('path')}</dt>
          <dd>
            <code className="break">{request.path}</code>
          </dd>
          <dt>{t('status')}</dt>
          <dd>
            <StatusCode status={request.status} />
          </dd>
          <dt>{t('at')}</dt>
          <dd>
            <DateTime value={request.at} exact />
          </dd>
          <dt>{t('duration')}</dt>
          <dd className="numbers">{t('ms', { ms: request.durationMs.toLocaleString(language) })}</dd>
          {request.clientId && (
            <>
              <dt>{t('client')}</dt>
              <dd>
                <Reference value={{ typeId: 'api-client', id: request.clientId }} compact />
              </dd>
            </>
          )}
          {request.operator && (
            <>
              <dt>{t('operator')}</dt>
              <dd>{name}</dd>
            </>
          )}
          {request.correlationId && (
            <>
              <dt>{t('correlation')}</dt>
              <dd>
                <CopyId text={request.correlationId} />
              </dd>
            </>
          )}
        </dl>
      </div>
    </Panel>
  );
}
