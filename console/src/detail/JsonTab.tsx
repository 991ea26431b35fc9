import { useEffect, useState } from 'react';
import { JsonEditor } from '../editor';
import type { JsonObject } from '../model/types';
import { equal, isObject } from '../model/values';
import { useFormTexts } from '../form/texts';
import { CopyButton } from './CopyButton';
import type { Editing } from './editing';
import { useDetailTexts } from './texts';

/** The document as JSON. */
export function JsonTab({ editing, mayUpdate }: { editing: Editing; mayUpdate: boolean }) {
  const t = useDetailTexts();
  const form = useFormTexts();
  const { edited, set } = editing;
  const [text, setText] = useState(() => JSON.stringify(edited, null, 2));
  const [bad, setBad] = useState(false);
  useEffect(() => {
    setText((current) => {
      try {
        return equal(JSON.parse(current) as JsonObject, edited) ? current : JSON.stringify(edited, null, 2);
      } catch {
        return current;
      }
    });
  }, [edited]);
  const change = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = JSON.parse(next);
      setBad(!isObject(parsed));
      if (isObject(parsed)) set(parsed);
    } catch {
      setBad(true);
    }
  };
  return (
    <div className="stack">
      <div className="row">
        <span className="muted small">{mayUpdate ? t('jsonHint') : ''}</span>
        <span className="push">
          <CopyButton text={text} />
        </span>
      </div>
      <JsonEditor value={text} onChange={change} readOnly={!mayUpdate} label={t('json')} />
      {bad && (
        <p className="field-error" role="alert">
          {form('invalidJson')}
        </p>
      )}
    </div>
  );
}
