import { useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useKind } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { EditableDocument } from '../../detail/EditableDocument';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Json, Kind } from '../../model/types';
import { EmptyState, ErrorState, notify, Skeleton } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { NoAccess } from '../../ui/NoAccess';
import { StateGraph } from './StateGraph';
import { stateName, useStates, withChanges } from './states';
import { useStateTexts } from './state-texts';
import { TransitionsField } from './TransitionsField';
import './settings.css';

export default function WorkflowPage() {
  const { kind, mayView } = useKind('State');
  if (!kind || !mayView) return <NoAccess />;
  return <Workflows kind={kind} />;
}

/** The unsaved changes of the chosen State: the graph shows them. */
interface Unsaved {
  id: string;
  transitions: Json | undefined;
  initial: Json | undefined;
  isDirty: boolean;
}

type StateType = 'OrderState';

function Workflows({ kind }: { kind: Kind }) {
  const t = useStateTexts();
  const model = useModel();
  const { key } = useProject();
  const { language } = usePreferences();
  const { mayManage } = useKind('State');
  const [location, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const { data, error, refetch } = useStates(kind);
  const [unsaved, setUnsaved] = useState<Unsaved>();
  usePageTitle(t('title'));
  const states = data?.results ?? [];
  const types = model.enumOf('StateTypeEnum') ?? [];
  const countOf = (type: string) => states.filter((state) => state.type === type).length;
  const type = search.get('type') ?? [...types].sort((a, b) => countOf(b) - countOf(a))[0] ?? types[0] ?? '';
  const shown = states
    .filter((state) => state.type === type)
    .map((state) => (state.id === unsaved?.id ? withChanges(state, unsaved) : state));
  const selected = states.find((state) => state.id === search.get('state') && state.type === type);
  const open = (next: { type: string; state?: string }) => {
    if (unsaved?.isDirty && selected && next.state !== selected.id)
      return notify({ look: 'info', text: t('saveFirst', { name: stateName(selected, language) }) });
    navigate(`${location}?${new URLSearchParams({ ...next })}`, { replace: true });
  };
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small grow">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
        {mayManage && (
          <div className="page-actions">
            <Link className="button button-primary" href={paths.create(key, kind)}>
              <Icon name="plus" />
              {t('add')}
            </Link>
          </div>
        )}
      </header>
      <div className="setting-narrow">
        <Select
          label={t('type')}
          value={type}
          options={types.map((id) => ({ id, label: `${t(id as StateType)}${countOf(id) ? ` (${countOf(id)})` : ''}` }))}
          onChange={(id) => open({ type: id })}
        />
      </div>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} />
      ) : shown.length === 0 ? (
        <EmptyState icon="bolt" title={t('empty')}>
          {t('emptyHint')}
        </EmptyState>
      ) : (
        <div className="workflow">
          <StateGraph
            states={shown}
            selected={selected?.id}
            onSelect={(state) => open({ type, ...(state.id === selected?.id ? {} : { state: state.id }) })}
          />
          {selected ? (
            <aside className="workflow-side">
              <EditableDocument key={selected.id} kind={kind} document={selected}>
                <StateEditor kind={kind} states={states} onChange={setUnsaved} />
              </EditableDocument>
            </aside>
          ) : (
            <p className="muted">{t('choose')}</p>
          )}
        </div>
      )}
    </div>
  );
}

function StateEditor({
  kind,
  states,
  onChange,
}: {
  kind: Kind;
  states: Document[];
  onChange: (unsaved: Unsaved | undefined) => void;
}) {
  const t = useStateTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const { editing } = useOpenDocument();
  const { document, edited, isDirty } = editing;
  const { transitions, initial } = edited;
  useEffect(() => {
    onChange({ id: document.id, transitions, initial, isDirty });
    return () => onChange(undefined);
  }, [document.id, transitions, initial, isDirty, onChange]);
  return (
    <>
      <div className="stack-small">
        <div className="row">
          <h2 className="truncate" dir="auto">
            {stateName(document, language)}
          </h2>
          <Link className="push small no-wrap" href={paths.document(key, kind, document.id)}>
            {t('page')}
          </Link>
        </div>
        <span className="mono muted truncate">{String(document.key)}</span>
      </div>
      <TransitionsField states={states} />
    </>
  );
}
