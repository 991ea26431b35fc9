import { useEffect, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { useDocument } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { screensOf } from '../app/areas';
import { kindName } from '../app/navigation';
import { paths } from '../app/paths';
import { peek } from '../app/peek';
import { usePreferences } from '../app/preferences';
import { useStore } from '../app/store';
import { columnChoices, defaultColumns } from '../model/columns';
import { titleOf } from '../model/display';
import type { Kind } from '../model/types';
import { humanize, valueAt } from '../model/values';
import { ErrorState, Skeleton } from '../ui/Feedback';
import { Panel } from '../ui/Overlay';
import { ValueCell } from '../ui/ValueCell';
import { useWords } from '../ui/texts';
import { Facts } from './Facts';

/** The target of a reference at the side, so that the page stays visible. */
export default function PeekPanel() {
  const open = useStore(peek);
  const [location] = useLocation();
  useEffect(() => () => peek.set(undefined), [location]);
  return open ? <OnePeek key={open.id} kind={open.kind} id={open.id} /> : null;
}

function OnePeek({ kind, id }: { kind: Kind; id: string }) {
  const words = useWords();
  const model = useModel();
  const { key } = useProject();
  const { language } = usePreferences();
  const { data, error } = useDocument(kind, id);
  const choices = useMemo(() => new Map(columnChoices(model, kind).map((choice) => [choice.path, choice])), [model, kind]);
  const columns = screensOf(kind).columns ?? defaultColumns(model, kind);
  return (
    <Panel
      title={data ? titleOf(kind, data, language) : kindName(kind)}
      isOpen
      onClose={() => peek.set(undefined)}
      footer={
        <Link className="button button-primary" href={paths.document(key, kind, id)} onClick={() => peek.set(undefined)}>
          {words('openPage')}
        </Link>
      }
    >
      {error ? (
        <ErrorState error={error} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <div className="stack-large">
          <dl className="peek">
            {columns.map((path) => {
              const choice = choices.get(path);
              const value = valueAt(data, path);
              return (
                choice &&
                value !== undefined && (
                  <div key={path} className="field read-field">
                    <dt className="field-label">{humanize(path.split('.').at(-1)!)}</dt>
                    <dd className="read-value">
                      <ValueCell field={choice.field} value={value} />
                    </dd>
                  </div>
                )
              );
            })}
          </dl>
          <Facts kind={kind} document={data} />
        </div>
      )}
    </Panel>
  );
}
