import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './CodeEditor';

const CodeEditor = lazy(() => import('./CodeEditor'));

/** A JSON editor, loaded when it is first shown. */
export function JsonEditor(props: Omit<CodeEditorProps, 'language'>) {
  return (
    <div className="control code-frame">
      <Suspense fallback={<textarea className="control-input control-area mono" aria-label={props.label} defaultValue={props.value} readOnly rows={8} />}>
        <CodeEditor {...props} language="json" />
      </Suspense>
    </div>
  );
}

/** One line of a predicate, with completion. */
export function PredicateEditor(props: Omit<CodeEditorProps, 'language'>) {
  return (
    <Suspense fallback={<input className="control-input mono" aria-label={props.label} value={props.value} placeholder={props.placeholder} onChange={(event) => props.onChange?.(event.target.value)} />}>
      <CodeEditor {...props} language="predicate" />
    </Suspense>
  );
}
