import { Suspense, useCallback, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useDocument, useKind, useRemove } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { pageTitleOf, screensOf } from '../app/areas';
import { usePageTitle } from '../app/breadcrumbs';
import { useShortcuts } from '../app/keyboard';
import { kindName } from '../app/navigation';
import { usePreferences } from '../app/preferences';
import { paths } from '../app/paths';
import { FieldEditor, isLongText, isWide } from '../form/FieldEditor';
import { subtitleOf } from '../model/display';
import { effectsOf } from '../model/effects';
import { isLocalized } from '../model/model';
import type { Document, Field, Kind } from '../model/types';
import { humanize, withValueAt } from '../model/values';
import { Button } from '../ui/Button';
import { Banner, Chip, ErrorState, notify, notifyError, Skeleton } from '../ui/Feedback';
import { Confirm, Menu, type MenuEntry } from '../ui/Overlay';
import { Tabs } from '../ui/Tabs';
import { EnumChip } from '../ui/ValueCell';
import { useWords } from '../ui/texts';
import { ActionPanel } from './ActionPanel';
import { ChangedElsewhere } from './ChangedElsewhere';
import { ConflictDialog } from './ConflictDialog';
import { isReplaced, OpenDocumentProvider, useEditing, type Editing } from './editing';
import { Facts } from './Facts';
import { JsonTab } from './JsonTab';
import { ReviewPanel } from './ReviewPanel';
import { SaveBar } from './SaveBar';
import { useDetailTexts } from './texts';
import { Timeline, type Restoration } from './Timeline';

/** The detail of any kind. */
export default function DetailPage({ kind, id }: { kind: Kind; id: string }) {
  const { data, error, refetch } = useDocument(kind, id, { live: true });
  if (data) return <OneDocument key={data.id} kind={kind} document={data} />;
  return (
    <div className="page">{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}</div>
  );
}

/** Focuses the first field, on the tab of all fields if the open one has none. */
function focusForm() {
  const field = () => globalThis.document.querySelector<HTMLElement>('.detail-main input, .detail-main textarea');
  if (!field()) globalThis.document.querySelector<HTMLElement>('.detail-main [role="tab"][data-key="details"]')?.click();
  requestAnimationFrame(() => field()?.focus());
}

function OneDocument({ kind, document }: { kind: Kind; document: Document }) {
  const t = useDetailTexts();
  const { language } = usePreferences();
  const { mayManage } = useKind(kind.name);
  const [open, setOpen] = useState<'review' | 'action' | 'delete'>();
  const name = useCallback((one: Document) => pageTitleOf(kind, one, language), [kind, language]);
  const editing = useEditing(kind, document, name);
  const mayUpdate = mayManage && ((kind.operations.includes('update') && kind.actions.length > 0) || isReplaced(kind));
  const title = name(editing.document);
  const screens = screensOf(kind);
  const Summary = screens.summary;
  usePageTitle(title);
  useShortcuts(
    useMemo(
      () => ({
        'mod+s': () => {
          if (editing.isDirty) setOpen('review');
        },
        e: focusForm,
      }),
      [editing.isDirty],
    ),
  );
  const restore = (restoration: Restoration) => {
    if ('path' in restoration) editing.set(withValueAt(editing.edited, restoration.path, restoration.value));
    else editing.queue(restoration.action);
  };
  const opened = useMemo(() => ({ editing, mayUpdate, review: () => setOpen('review') }), [editing, mayUpdate]);
  return (
    <OpenDocumentProvider value={opened}>
      <div className="page">
        <DetailHead kind={kind} editing={editing} title={title} mayUpdate={mayUpdate} mayManage={mayManage} onOpen={setOpen} />
        {!mayUpdate && kind.operations.includes('update') && <Banner>{t('readOnly')}</Banner>}
        <ChangedElsewhere editing={editing} />
        <div className="detail">
          <div className="detail-main">
            {Summary && (
              <Suspense fallback={<Skeleton />}>
                <Summary kind={kind} document={editing.document} />
              </Suspense>
            )}
            <Tabs
              label={title}
              tabs={[
                ...(screens.tabs ?? []).map((tab) => ({
                  id: tab.id,
                  label: tab.label[language],
                  content: (
                    <Suspense fallback={<Skeleton />}>
                      <tab.content kind={kind} document={editing.document} />
                    </Suspense>
                  ),
                })),
                {
                  id: 'details',
                  label: screens.tabs?.length ? t('allFields') : t('details'),
                  content: <Sections kind={kind} editing={editing} mayUpdate={mayUpdate} />,
                },
                { id: 'json', label: t('json'), content: <JsonTab editing={editing} mayUpdate={mayUpdate} /> },
              ]}
            />
          </div>
          <aside className="detail-side" aria-label={t('facts')}>
            <Facts kind={kind} document={editing.document} />
            {!kind.singleton && <Timeline kind={kind} document={editing.document} onRestore={mayUpdate ? restore : undefined} />}
          </aside>
        </div>
        {editing.isDirty && <SaveBar editing={editing} onReview={() => setOpen('review')} />}
        <ReviewPanel kind={kind} editing={editing} isOpen={open === 'review'} onClose={() => setOpen(undefined)} />
        {open === 'action' && (
          <ActionPanel
            kind={kind}
            document={editing.document}
            onClose={() => setOpen(undefined)}
            onAdd={(action) => {
              editing.queue(action);
              setOpen('review');
            }}
          />
        )}
        {editing.conflict && <ConflictDialog kind={kind} editing={editing} conflict={editing.conflict} />}
        <DeleteDialog
          kind={kind}
          document={editing.document}
          title={title}
          isOpen={open === 'delete'}
          onClose={() => setOpen(undefined)}
        />
      </div>
    </OpenDocumentProvider>
  );
}

function DetailHead({
  kind,
  editing,
  title,
  mayUpdate,
  mayManage,
  onOpen,
}: {
  kind: Kind;
  editing: Editing;
  title: string;
  mayUpdate: boolean;
  mayManage: boolean;
  onOpen: (what: 'review' | 'action' | 'delete') => void;
}) {
  const t = useDetailTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { key } = useProject();
  const model = useModel();
  const [, navigate] = useLocation();
  const { document } = editing;
  const subtitle = subtitleOf(kind, document, language);
  const Actions = screensOf(kind).actions;
  const states = model
    .fieldsOf(kind.type)
    .filter(
      (field) =>
        field.list === 0 &&
        model.enumOf(field.type) &&
        /(state|status)$/i.test(field.name) &&
        typeof document[field.name] === 'string',
    );
  const entries: MenuEntry[] = [
    ...(mayUpdate && kind.actions.length > 0
      ? [{ id: 'action', label: t('runAction'), icon: 'bolt' as const, onAction: () => onOpen('action') }]
      : []),
    ...(mayManage && kind.operations.includes('create') && kind.draft
      ? [
          {
            id: 'duplicate',
            label: t('duplicate'),
            icon: 'copy' as const,
            onAction: () => navigate(`${paths.create(key, kind)}?from=${encodeURIComponent(document.id)}`),
          },
        ]
      : []),
    ...(mayManage && kind.operations.includes('delete') && !kind.singleton
      ? [
          {
            id: 'delete',
            label: words('delete'),
            icon: 'trash' as const,
            danger: true,
            separated: true,
            onAction: () => onOpen('delete'),
          },
        ]
      : []),
  ];
  return (
    <header className="page-head">
      <div className="stack-small grow">
        <h1 dir="auto">{title}</h1>
        <p className="row wrap muted small">
          {!kind.singleton && <Link href={paths.list(key, kind)}>{kindName(kind)}</Link>}
          {subtitle && <span className="mono">{subtitle}</span>}
          {states.map((field) => (
            <span key={field.name} className="row" title={humanize(field.name)}>
              {states.length > 1 && <span>{humanize(field.name).replace(/ (state|status)$/, '')}</span>}
              <EnumChip value={String(document[field.name])} />
            </span>
          ))}
          {document.version !== undefined && <Chip>v{document.version}</Chip>}
        </p>
      </div>
      <div className="page-actions">
        {Actions && (
          <Suspense>
            <Actions kind={kind} document={document} />
          </Suspense>
        )}
        {entries.length > 0 && (
          <Menu label={t('moreActions')} entries={entries} trigger={<Button icon="more" aria-label={t('moreActions')} />} />
        )}
      </div>
    </header>
  );
}

const OF_FACTS = new Set(['id', 'version', 'createdAt', 'lastModifiedAt', 'createdBy', 'lastModifiedBy']);

/** All fields of a document: short ones in two columns, objects and lists below. */
function Sections({ kind, editing, mayUpdate }: { kind: Kind; editing: Editing; mayUpdate: boolean }) {
  const model = useModel();
  const effects = effectsOf(model, kind);
  const mayEdit = useCallback(
    (path: string) => {
      if (!mayUpdate) return false;
      const [name] = path.split('.');
      if (isReplaced(kind))
        return !kind.address?.includes(name!) && model.fieldsOf(kind.draft!).some((field) => field.name === name);
      return effects.mayEdit(path);
    },
    [mayUpdate, effects, kind, model],
  );
  const mayArrange = useCallback(
    (path: string) => effects.lists.get(path)?.arrange !== undefined || effects.setters.has(path),
    [effects],
  );
  const { document, edited } = editing;
  const fields = model
    .fieldsOf(kind.type)
    .filter(
      (field) =>
        !OF_FACTS.has(field.name) &&
        (mayEdit(field.name) || edited[field.name] !== undefined) &&
        !(field.deprecated && edited[field.name] === undefined),
    );
  const isSection = (field: Field) => isWide(field, model) && !isLocalized(field) && !isLongText(field);
  const render = (field: Field) => (
    <div key={field.name} className={isWide(field, model) ? 'fields-wide' : undefined} id={`field-${field.name}`}>
      <FieldEditor
        field={field}
        value={edited[field.name]}
        stored={document[field.name]}
        onChange={(value) => editing.setField(field.name, value)}
        path={field.name}
        mayEdit={mayEdit}
        mayArrange={mayArrange}
        document={edited}
        owner={model.customOwner(kind.type)}
      />
    </div>
  );
  const simple = fields.filter((field) => !isSection(field));
  const fixed = simple.filter((field) => !mayEdit(field.name) && !isWide(field, model));
  return (
    <div className="sections">
      <div className="fields">{simple.filter((field) => !fixed.includes(field)).map(render)}</div>
      {fixed.length > 0 && <div className="fields fields-fixed">{fixed.map(render)}</div>}
      {fields.filter(isSection).map((field) => (
        <section key={field.name} className="section">
          {render(field)}
        </section>
      ))}
    </div>
  );
}

function DeleteDialog({
  kind,
  document,
  title,
  isOpen,
  onClose,
}: {
  kind: Kind;
  document: Document;
  title: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const t = useDetailTexts();
  const words = useWords();
  const { key } = useProject();
  const [, navigate] = useLocation();
  const remove = useRemove(kind);
  const run = () => {
    remove.mutateAsync(document).then(
      () => {
        notify({ look: 'success', text: t('deleted', { name: title }) });
        navigate(paths.list(key, kind));
      },
      (error: unknown) => {
        onClose();
        notifyError(error);
      },
    );
  };
  return (
    <Confirm
      title={t('deleteTitle', { name: title })}
      isOpen={isOpen}
      onClose={onClose}
      confirm={words('delete')}
      onConfirm={run}
      isPending={remove.isPending}
    >
      {t('deleteHint')}
    </Confirm>
  );
}
