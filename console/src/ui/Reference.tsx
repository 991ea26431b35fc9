import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import { useModel, useProject } from '../api/project';
import { useTarget } from '../api/references';
import { kindName } from '../app/navigation';
import { paths } from '../app/paths';
import { peek } from '../app/peek';
import { usePreferences } from '../app/preferences';
import { titleOf } from '../model/display';
import { may } from '../model/model';
import type { Json, Kind } from '../model/types';
import { isObject } from '../model/values';
import { useWords } from './texts';

/** A reference as a link with the name of its target. It opens at the side; with Ctrl, as a page. `plain`: only the name, e.g. in a button. */
export function Reference({
  value,
  kind: given,
  compact,
  plain,
}: {
  value: Json | undefined;
  kind?: Kind;
  compact?: boolean;
  plain?: boolean;
}) {
  const words = useWords();
  const model = useModel();
  const { key: project, scopes } = useProject();
  const { language } = usePreferences();
  const reference = isObject(value) ? value : undefined;
  const kind = (typeof reference?.typeId === 'string' ? model.kindOfType(reference.typeId) : undefined) ?? given;
  const id = typeof reference?.id === 'string' ? reference.id : undefined;
  const key = typeof reference?.key === 'string' ? reference.key : undefined;
  const readable = !!kind && may.view(kind, scopes);
  const expanded = isObject(reference?.obj) ? reference.obj : undefined;
  const { data, isLoading } = useTarget(kind, { id, key }, readable && !expanded);
  const target = expanded ?? data ?? undefined;
  if (!reference) return null;
  const show = (event: MouseEvent) => {
    event.stopPropagation();
    if (!kind || event.ctrlKey || event.metaKey || event.shiftKey || !(id ?? key)) return;
    event.preventDefault();
    peek.set({ kind, id: id ?? `key=${key}` });
  };
  const text = (kind && target && titleOf(kind, target, language)) ?? key ?? (isLoading ? '…' : id ? `…${id.slice(-8)}` : '');
  if (plain || !kind || !readable || kind.hidden || !(id ?? key))
    return <span title={readable ? undefined : words('unreadable')}>{text}</span>;
  return (
    <span className="row">
      <Link className="reference" href={paths.document(project, kind, id ?? `key=${key}`)} title={key ?? id} onClick={show}>
        <span className="truncate" dir="auto">
          {text}
        </span>
      </Link>
      {!compact && <span className="reference-type">{kindName(kind)}</span>}
    </span>
  );
}
