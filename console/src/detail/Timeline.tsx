import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { asInput } from '../model/draft';
import { effectsOf } from '../model/effects';
import { may, type ModelIndex } from '../model/model';
import type { ActionDefinition, Document, Field, Json, JsonObject, Kind, UpdateAction } from '../model/types';
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
  changes: { name: string; from?: Json; to?: Json; record: JsonObject }[];
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
  changes: (Array.isArray(record.changes) ? record.changes : []).filter(isObject).map((change) => ({
    name: String(change.change ?? change.type),
    from: change.previousValue,
    to: change.nextValue,
    record: change,
  })),
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

/** The means of restoring an earlier value: a path of the form with the value, or an update action. */
export type Restoration = { path: string; value: Json | undefined } | { action: UpdateAction };

/**
 * Returns the restoration for a change of Change History: `setDescription` sets the path `description` of the form; `changePrice`
 * is sent again.
 */
function restorationOf(model: ModelIndex, kind: Kind, { name, from, record }: Event['changes'][number]): Restoration | undefined {
  if (!/^(set|change)/.test(name)) return undefined;
  const effects = effectsOf(model, kind);
  const tail = name.replace(/^(set|change)/, '');
  const field = tail.charAt(0).toLowerCase() + tail.slice(1);
  const path = effects.pathSetBy(name) ?? (effects.isEditable(field) ? field : undefined);
  if (path) return { path, value: from };
  const definition = kind.actions.find((action) => action.name === name);
  return definition && oppositeOf(model, definition, record);
}

/** The arguments that name a part of the document, as a record has them under other names. */
const NAMED_OTHERWISE: Record<string, string> = { sku: 'variant' };

/** The action of a record again, with the value before; `undefined` if the record does not say all of its arguments. */
function oppositeOf(model: ModelIndex, definition: ActionDefinition, record: JsonObject): Restoration | undefined {
  const { previousValue: from, nextValue: to } = record;
  const action: UpdateAction = { action: definition.name };
  const open: Field[] = [];
  let isNamed = record.variant === undefined;
  let isInside = false;
  for (const field of definition.fields.filter((one) => one.name !== 'staged')) {
    const named = record[field.name] ?? record[NAMED_OTHERWISE[field.name] ?? ''];
    const [before, after] = [from, to].map((value) => (isObject(value) ? value[field.name] : undefined));
    if (named !== undefined) {
      action[field.name] = named;
      isNamed = true;
    } else if (before !== undefined || after !== undefined) {
      isInside = true;
      const value = before ?? (field.required ? after : undefined);
      if (value !== undefined) action[field.name] = value;
    } else if (field.required || !/^(Long|Int)$/.test(field.type)) open.push(field);
  }
  if (!isNamed || (isInside && open.some((field) => field.required))) return undefined;
  if (isInside) return { action };
  const [argument] = open;
  const value = argument && asInput(model, from, argument);
  if (!argument || open.length > 1 || (value === undefined && argument.required)) return undefined;
  if (/^(Long|Int)$/.test(argument.type) && typeof value !== 'number') return undefined;
  return { action: value === undefined ? action : { ...action, [argument.name]: value } };
}

export function Timeline({
  kind,
  document,
  onRestore,
}: {
  kind: Kind;
  document: Document;
  onRestore?: (restoration: Restoration) => void;
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
          {events.data.map((event, at) => (
            <TimelineEvent key={`${event.id} ${at}`} event={event} kind={kind} onRestore={onRestore} />
          ))}
        </ol>
      ) : (
        <p className="muted small">{t('noTimeline')}</p>
      )}
    </section>
  );
}

const CHANGES_AT_FIRST = 3;

function TimelineEvent({ event, kind, onRestore }: { event: Event; kind: Kind; onRestore?: (restoration: Restoration) => void }) {
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
        const restoration = onRestore && restorationOf(model, kind, change);
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
            {restoration && (
              <Button small icon="undo" onPress={() => onRestore?.(restoration)}>
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
