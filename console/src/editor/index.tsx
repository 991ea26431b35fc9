import { lazy, Suspense, useState } from 'react';
import type { CodeEditorProps } from './CodeEditor';

const CodeEditor = lazy(() => import('./CodeEditor'));

/** A JSON editor, loaded when it is first shown. */
export function JsonEditor(props: Omit<CodeEditorProps, 'language'>) {
  return (
    <div className="control code-frame">
      <Suspense
        fallback={
          <textarea
            className="control-input control-area mono"
            aria-label={props.label}
            defaultValue={props.value}
            readOnly
            rows={8}
          />
        }
      >
        <CodeEditor {...props} language="json" />
      </Suspense>
    </div>
  );
}

/**
 * Edits a predicate in one line, with completion. The editor is loaded when the field gets the focus; until then it is a plain
 * input.
 */
export function PredicateEditor(props: Omit<CodeEditorProps, 'language'>) {
  const [isUsed, setUsed] = useState(false);
  const plain = (
    <input
      className="control-input mono"
      aria-label={props.label}
      value={props.value}
      placeholder={props.placeholder}
      onFocus={() => setUsed(true)}
      autoFocus={isUsed}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => props.onChange?.(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') props.onEnter?.();
      }}
    />
  );
  if (!isUsed) return plain;
  return (
    <Suspense fallback={plain}>
      <CodeEditor {...props} language="predicate" autoFocus />
    </Suspense>
  );
}
