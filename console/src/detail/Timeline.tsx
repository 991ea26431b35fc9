import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { effectsOf } from '../model/effects';
import { may, type ModelIndex } from '../model/model';
import type { Document, Json, JsonObject, Kind } from '../model/types';
import { humanize, isObject } from '../model/values';
import { Button } from '../ui/Button';
import { Skeleton } from '../ui/Feedback';
import { DateTime } from '../ui/values';
import { Author } from './Facts';
import { useDetailTexts } from './texts';

interface Event {
  id: string;
  at: string;
  title: string;
  author?: Json;
  changes: { name: string; from?: Json; to?: Json }[];
  data?: JsonObject;
}

const EVENTS_MAX = 20;
const OF_MESSAGES = new Set([
  'id',
  'version',
  'createdAt',
  'lastModifiedAt',
  'createdBy',
  'lastModifiedBy',
  'sequenceNumber',
  'resource',
  'resourceVersion',
  'type',
  'resourceUserProvidedIdentifiers',
]);

const toEvent = (record: JsonObject): Event => ({
  id: `record-${String(record.version)}`,
  at: String(record.modifiedAt),
  title: String(record.type),
  author: record.modifiedBy,
  changes: (Array.isArray(record.changes) ? record.changes : [])
    .filter(isObject)
    .map((change) => ({ name: String(change.change ?? change.type), from: change.previousValue, to: change.nextValue })),
});

const messageEvent = (message: JsonObject): Event => {
  const data = Object.fromEntries(Object.entries(message).filter(([name]) => !OF_MESSAGES.has(name)));
  return {
    id: String(message.id),
    at: String(message.createdAt),
    title: String(message.type),
    author: message.lastModifiedBy,
    changes: [],
    data,
  };
};

/** Records of Change History and Messages of a document, newest first. */
function useTimeline(document: Document) {
  const model = useModel();
  const { client, scopes } = useProject();
  const messages = model.kinds.find((kind) => kind.typeId === 'message');
  return useQuery({
    queryKey: [client.project, 'timeline', document.id, document.version],
    queryFn: async ({ signal }) => {
      const [records, sent] = await Promise.all([
        scopes.has('view_audit_log') || scopes.has('manage_project')
          ? client
              .request<{ results: JsonObject[] }>('', {
                service: 'history',
                signal,
                query: { resourceId: document.id, limit: EVENTS_MAX },
              })
              .catch(() => undefined)
          : undefined,
        messages && may.view(messages, scopes)
          ? client
              .request<Page>(messages.path, {
                signal,
                query: {
                  where: `resource(id = ${JSON.stringify(document.id)})`,
                  sort: 'createdAt desc',
                  limit: EVENTS_MAX,
                  withTotal: false,
                },
              })
              .catch(() => undefined)
          : undefined,
      ]);
      return [...(records?.results ?? []).map(toEvent), ...(sent?.results ?? []).map(messageEvent)].sort((a, b) =>
        b.at.localeCompare(a.at),
      );
    },
  });
}

/** The path that an action of Change History changed: `setDescription` → `description`. */
function pathOf(model: ModelIndex, change: string, document: Document, kind: Kind): string | undefined {
  const path = effectsOf(model, kind).pathSetBy(change);
  if (path) return path;
  const name = change.replace(/^(set|change|add|remove|transition)/, '');
  const field = name.charAt(0).toLowerCase() + name.slice(1);
  return field in document ||
    kind.actions.some((action) => action.name === change && action.fields.some((one) => one.name === field))
    ? field
    : undefined;
}

export function Timeline({
  kind,
  document,
  onRestore,
}: {
  kind: Kind;
  document: Document;
  onRestore?: (path: string, value: Json | undefined) => void;
}) {
  const t = useDetailTexts();
  const events = useTimeline(document);
  return (
    <section className="side-section">
      <h2>{t('timeline')}</h2>
      {events.isPending ? (
        <Skeleton />
      ) : events.data?.length ? (
        <ol className="timeline">
          {events.data.map((event) => (
            <TimelineEvent key={event.id} event={event} kind={kind} document={document} onRestore={onRestore} />
          ))}
        </ol>
      ) : (
        <p className="muted small">{t('noTimeline')}</p>
      )}
    </section>
  );
}

const CHANGES_AT_FIRST = 3;

function TimelineEvent({
  event,
  kind,
  document,
  onRestore,
}: {
  event: Event;
  kind: Kind;
  document: Document;
  onRestore?: (path: string, value: Json | undefined) => void;
}) {
  const t = useDetailTexts();
  const model = useModel();
  const [all, setAll] = useState(false);
  const changes = all ? event.changes : event.changes.slice(0, CHANGES_AT_FIRST);
  return (
    <li className="timeline-event">
      <p className="row wrap">
        <b>{humanize(event.title)}</b>
      </p>
      <p className="row wrap muted small">
        <DateTime value={event.at} />
        <Author value={event.author} />
      </p>
      {changes.map((change, at) => {
        const path = pathOf(model, change.name, document, kind);
        const restorable = onRestore !== undefined && path !== undefined && /^(set|change)/.test(change.name);
        return (
          <details key={at} className="timeline-change">
            <summary>{humanize(change.name)}</summary>
            {change.from !== undefined && (
              <del>
                <pre dir="auto">{show(change.from)}</pre>
              </del>
            )}
            {change.to !== undefined && (
              <ins>
                <pre dir="auto">{show(change.to)}</pre>
              </ins>
            )}
            {restorable && (
              <Button small icon="undo" onPress={() => onRestore?.(path!, change.from)}>
                {t('restore')}
              </Button>
            )}
          </details>
        );
      })}
      {event.changes.length > changes.length && (
        <Button small look="plain" onPress={() => setAll(true)}>
          +{event.changes.length - changes.length}
        </Button>
      )}
      {event.data && Object.keys(event.data).length > 0 && (
        <details className="timeline-change">
          <summary>{t('json')}</summary>
          <pre dir="auto">{show(event.data)}</pre>
        </details>
      )}
    </li>
  );
}

const show = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1)).slice(0, 4000);
