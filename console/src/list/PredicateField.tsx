import type { CompletionContext } from '@codemirror/autocomplete';
import { useCallback, useEffect, useState } from 'react';
import { positionOf } from '../api/errors';
import { useProjectSettings } from '../api/hooks';
import { useModel } from '../api/project';
import { PredicateEditor } from '../editor';
import { placeOf, suggest } from '../editor/predicates';
import { isLocalized } from '../model/model';
import type { Kind } from '../model/types';
import { IconButton } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { useWords } from '../ui/texts';
import { useCount } from './list-data';
import { useListTexts } from './texts';

/** The count is requested after a pause of this length in typing. */
const PAUSE_MS = 350;

/** Returns an example of a predicate for a kind, with the first field that names its documents. */
function exampleOf(kind: Kind, localized: boolean): string {
  const path = kind.display[0];
  if (!path) return 'version > 1';
  const names = path.split('.');
  const leaf = localized ? `${names.at(-1)}(en = "…")` : `${names.at(-1)} = "…"`;
  return names.slice(0, -1).reduceRight((inner, name) => `${name}(${inner})`, leaf);
}

/**
 * Edits a predicate with completion. While the operator types, it shows how many documents match, or the position of an error.
 */
export function PredicateField({ kind, value, onApply }: { kind: Kind; value: string; onApply: (value: string) => void }) {
  const t = useListTexts();
  const words = useWords();
  const model = useModel();
  const { languages } = useProjectSettings();
  const [text, setText] = useState(value);
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    setText(value);
    setSettled(value);
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const count = useCount(kind, settled, settled !== '');
  const apply = useCallback(() => setSettled(text.trim()), [text]);
  useEffect(() => {
    if (settled !== value && (settled === '' || (count.isSuccess && !count.isFetching))) onApply(settled);
    // The list follows the text as soon as it is a valid predicate.
  }, [settled, count.isSuccess, count.isFetching]);
  const complete = useCallback(
    (context: CompletionContext) => {
      const before = context.state.sliceDoc(0, context.pos);
      const place = placeOf(before);
      const options = suggest(model, kind.type, place, languages);
      if (options.length === 0) return null;
      return {
        from: place.from,
        options: options.map((option) => ({
          label: option.label,
          apply: option.apply,
          detail: option.detail,
          info: option.info,
        })),
        validFor: /^["\w-]*$/,
      };
    },
    [model, kind, languages],
  );
  const first = kind.display[0] ? model.fieldAt(kind.type, kind.display[0]) : undefined;
  const position = positionOf(count.error);
  const message =
    count.error instanceof Error
      ? count.error.message
          .split('\n')[0]!
          .replace(/^Malformed parameter: where: (Syntax error while parsing 'where'\. )?/, '')
          .replace(/ \(line.*\)?:?$/, '')
      : undefined;
  return (
    <div className="filter-predicate">
      <div className="control" data-invalid={message ? true : undefined} id="list-filter">
        <span className="control-addon filter-icon">
          <Icon name="filter" size={14} />
        </span>
        <PredicateEditor
          value={text}
          onChange={setText}
          onEnter={apply}
          complete={complete}
          label={t('predicateLabel')}
          placeholder={t('predicate', { example: exampleOf(kind, !!first && isLocalized(first)) })}
        />
        {text && (
          <IconButton
            small
            icon="close"
            label={words('clear')}
            onPress={() => {
              setText('');
              onApply('');
            }}
          />
        )}
      </div>
      {settled && (
        <p className="predicate-status" data-error={message ? true : undefined} role="status">
          {message ? (
            <>
              {position && <b>{t('wrongAt', { column: position.column })}</b>}
              <span>{message}</span>
            </>
          ) : count.data !== undefined ? (
            t('hits', { count: count.data })
          ) : (
            t('checking')
          )}
        </p>
      )}
    </div>
  );
}
