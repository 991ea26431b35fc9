import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useCreate, useDocument } from '../api/hooks';
import { useApiOrigin, useModel, useProject } from '../api/project';
import { pageTitleOf } from '../app/areas';
import { usePageTitle } from '../app/breadcrumbs';
import { useShortcuts } from '../app/keyboard';
import { useLeaveGuard } from '../app/leave-guard';
import { kindName } from '../app/navigation';
import { usePreferences } from '../app/preferences';
import { paths } from '../app/paths';
import { JsonEditor } from '../editor';
import { FieldsEditor } from '../form/FieldEditor';
import { asInput, draftFrom, emptyValue } from '../model/draft';
import type { ModelIndex } from '../model/model';
import { curlOf } from '../model/snippets';
import type { Field, JsonObject, Kind } from '../model/types';
import { isObject } from '../model/values';
import { Button } from '../ui/Button';
import { Banner, notify, Skeleton } from '../ui/Feedback';
import { Tabs } from '../ui/Tabs';
import { useWords } from '../ui/texts';
import { useFormTexts } from '../form/texts';
import { CreatedOnce } from './CreatedOnce';
import { CopyButton } from './CopyButton';
import { useDetailTexts } from './texts';

/** The members of a draft in an address, as JSON. */
function readMembers(text: string | null): JsonObject {
  try {
    const value: unknown = text ? JSON.parse(text) : {};
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Creates a document of any kind from its draft; with `?from=id`, like another document; with `?with={…}`, these members are set. */
export default function CreatePage({ kind }: { kind: Kind }) {
  const model = useModel();
  const search = new URLSearchParams(useSearch());
  const from = search.get('from') ?? undefined;
  const members = search.get('with');
  const source = useDocument(kind, from);
  const start = useMemo(
    () =>
      source.data
        ? draftFrom(model, kind, source.data)
        : from
          ? undefined
          : { ...emptyValue(model, kind.draft!), ...readMembers(members) },
    [source.data, from, members, model, kind],
  );
  if (!start)
    return (
      <div className="page">
        <Skeleton lines={8} />
      </div>
    );
  return <CreateForm key={from ?? ''} kind={kind} start={start} />;
}

/** Required fields, and those by which people name a document, are first. */
function split(model: ModelIndex, kind: Kind, draft: JsonObject): [Field[], Field[]] {
  const fields = model.fieldsOf(kind.draft!, draft).filter((field) => !field.readOnly && !field.deprecated);
  const first = new Set([...kind.display.map((path) => path.split('.').at(-1)), 'key', 'description']);
  const isFirst = (field: Field) => field.required || first.has(field.name);
  return [fields.filter(isFirst), fields.filter((field) => !isFirst(field))];
}

/** Returns the messages of an API error by the field that they concern. */
function fieldErrors(error: unknown): Record<string, string> {
  const errors = (error as { errors?: { field?: string; message: string }[] } | undefined)?.errors ?? [];
  return Object.fromEntries(
    errors.flatMap((one) => {
      const name =
        one.field ?? one.message.match(/^(?:Request body does not contain valid JSON\. )?([a-zA-Z]+)(?:\.[\w.[\]]+)?: /)?.[1];
      return name ? [[name, one.message]] : [];
    }),
  );
}

function CreateForm({ kind, start }: { kind: Kind; start: JsonObject }) {
  const t = useDetailTexts();
  const words = useWords();
  const model = useModel();
  const origin = useApiOrigin();
  const { key } = useProject();
  const { language } = usePreferences();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(start);
  const [created, setCreated] = useState<JsonObject>();
  const create = useCreate(kind);
  const title = t('createTitle', { name: kindName(kind) });
  usePageTitle(title);
  const isDirty = draft !== start && !created && !create.isSuccess;
  useLeaveGuard(isDirty);
  const body = useMemo(() => asInput(model, draft, { type: kind.draft!, list: 0 }) as JsonObject, [model, draft, kind]);
  const save = () => {
    create.mutateAsync(body).then(
      (document) => {
        notify({ look: 'success', text: t('createdNote', { name: pageTitleOf(kind, document, language) }) });
        if (typeof document.secret === 'string') setCreated(document);
      },
      () => undefined,
    );
  };
  useEffect(() => {
    const made = create.data;
    if (made && typeof made.secret !== 'string')
      navigate(kind.operations.includes('get') ? paths.document(key, kind, made.id) : paths.list(key, kind), { replace: true });
  }, [create.data, navigate, key, kind]);
  useShortcuts(useMemo(() => ({ 'mod+s': () => save() }), [body]));
  if (created) return <CreatedOnce kind={kind} document={created} />;
  const [first, more] = split(model, kind, draft);
  const errors = fieldErrors(create.error);
  const form = (
    <div className="sections">
      <FieldsEditor
        fields={first}
        value={draft}
        onChange={setDraft}
        path=""
        document={draft}
        owner={model.customOwner(kind.type)}
        {...{ errors }}
      />
      {more.length > 0 && (
        <section className="section">
          <h2>{t('optional')}</h2>
          <FieldsEditor
            fields={more}
            value={draft}
            onChange={setDraft}
            path=""
            document={draft}
            owner={model.customOwner(kind.type)}
            {...{ errors }}
          />
        </section>
      )}
    </div>
  );
  const curl = curlOf({ origin, project: key, path: kind.path, service: kind.service, body });
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <div className="stack-small grow">
          <h1>{title}</h1>
          {kind.description && <p className="muted">{kind.description.split('\n').join(' ')}</p>}
        </div>
      </div>
      {create.error && <Banner look="danger">{create.error.message}</Banner>}
      <Tabs
        label={title}
        tabs={[
          { id: 'form', label: t('asForm'), content: form },
          { id: 'json', label: t('json'), content: <DraftJson draft={body} onChange={setDraft} /> },
        ]}
      />
      <div className="save-bar">
        <CopyButton text={curl} label={t('copyDraft')} />
        <span className="row push">
          <Button onPress={() => navigate(paths.list(key, kind))}>{words('cancel')}</Button>
          <Button look="primary" onPress={save} isPending={create.isPending}>
            {t('create')}
          </Button>
        </span>
      </div>
    </div>
  );
}

function DraftJson({ draft, onChange }: { draft: JsonObject; onChange: (draft: JsonObject) => void }) {
  const t = useDetailTexts();
  const form = useFormTexts();
  const [text, setText] = useState(() => JSON.stringify(draft, null, 2));
  const [bad, setBad] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = JSON.parse(next);
      setBad(!isObject(parsed));
      if (isObject(parsed)) onChange(parsed);
    } catch {
      setBad(true);
    }
  };
  return (
    <div className="stack-small">
      <JsonEditor value={text} onChange={change} label={t('json')} />
      {bad && (
        <p className="field-error" role="alert">
          {form('invalidJson')}
        </p>
      )}
    </div>
  );
}
