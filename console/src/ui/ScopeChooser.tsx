import { useMemo, useState } from 'react';
import { humanize } from '../model/values';
import { defineTexts } from '../i18n/texts';
import { Checkbox, TextField } from './Field';

const useTexts = defineTexts(
  { find: 'Find a scope', read: 'Read', write: 'Write', all: 'All of {name}' },
  { find: 'Scope suchen', read: 'Lesen', write: 'Schreiben', all: 'Alles von {name}' },
);

/** Chooses scopes: one row for what they are about, with reading and writing. */
export function ScopeChooser({
  scopes,
  chosen,
  onChange,
  isDisabled,
}: {
  scopes: string[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: Set<string>) => void;
  isDisabled?: boolean;
}) {
  const t = useTexts();
  const [text, setText] = useState('');
  const rows = useMemo(() => {
    const subjects = new Map<string, { view?: string; manage?: string; other?: string }>();
    for (const scope of scopes) {
      const [, verb, subject] = scope.match(/^(view|manage)_(.+)$/) ?? [];
      const row = subjects.get(subject ?? scope) ?? {};
      subjects.set(subject ?? scope, { ...row, [verb ?? 'other']: scope });
    }
    return [...subjects].sort(([a], [b]) => (a === 'project' ? -1 : b === 'project' ? 1 : a.localeCompare(b)));
  }, [scopes]);
  const toggle = (scope: string) => (on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  const box = (scope: string | undefined, label: string, subject: string) =>
    scope ? (
      <Checkbox
        aria-label={`${humanize(subject)}: ${label}`}
        isSelected={chosen.has(scope)}
        onChange={toggle(scope)}
        isDisabled={isDisabled}
      >
        <span className="small">{label}</span>
      </Checkbox>
    ) : (
      <span />
    );
  return (
    <div className="scopes">
      <TextField aria-label={t('find')} placeholder={t('find')} type="search" value={text} onChange={setText} />
      <ul className="scope-list">
        {rows
          .filter(
            ([subject]) => humanize(subject).toLowerCase().includes(text.toLowerCase()) || subject.includes(text.toLowerCase()),
          )
          .map(([subject, row]) => (
            <li key={subject} className="scope-row">
              <span className="truncate" title={[row.view, row.manage, row.other].filter(Boolean).join(', ')}>
                {humanize(subject)}
              </span>
              {box(row.view, t('read'), subject)}
              {box(row.manage ?? row.other, t('write'), subject)}
            </li>
          ))}
      </ul>
    </div>
  );
}
