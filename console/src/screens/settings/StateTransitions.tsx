import { useLocation } from 'wouter';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Skeleton } from '../../ui/Feedback';
import { StateGraph } from './StateGraph';
import { useStates, withChanges } from './states';
import { TransitionsField } from './TransitionsField';

/** A tab of a State: the graph of its type, and what may follow it. */
export default function StateTransitions({ kind, document }: { kind: Kind; document: Document }) {
  const { key } = useProject();
  const [, navigate] = useLocation();
  const { editing } = useOpenDocument();
  const { data } = useStates(kind);
  if (!data) return <Skeleton lines={6} />;
  const states = data.results.filter((state) => state.type === document.type);
  const shown = states.map((state) =>
    state.id === document.id
      ? withChanges(state, { transitions: editing.edited.transitions, initial: editing.edited.initial })
      : state,
  );
  return (
    <div className="stack">
      <StateGraph
        states={shown}
        selected={document.id}
        onSelect={(state) => state.id !== document.id && navigate(paths.document(key, kind, state.id))}
      />
      <div className="setting-narrow">
        <TransitionsField states={states} />
      </div>
    </div>
  );
}
