import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderText } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export interface CodeEditorProps {
  value: string;
  onChange?: (value: string) => void;
  /** `json`, or one line of a predicate. */
  language: 'json' | 'predicate';
  label: string;
  readOnly?: boolean;
  complete?: CompletionSource;
  onEnter?: () => void;
  placeholder?: string;
  autoFocus?: boolean;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: tags.string, color: 'var(--success)' },
  { tag: tags.number, color: 'var(--info)' },
  { tag: [tags.bool, tags.null], color: 'var(--warning)' },
  { tag: tags.punctuation, color: 'var(--ink-3)' },
]);

const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--ink)', fontSize: '12.5px', flex: '1', minWidth: '0' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '6px 0' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-placeholder': { color: 'var(--ink-3)', fontFamily: 'var(--font)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important', outline: 'none' },
  '.cm-tooltip': {
    backgroundColor: 'var(--floating)',
    color: 'var(--ink)',
    border: 'none',
    borderRadius: '10px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font)',
    fontSize: '12.5px',
    padding: '4px',
    maxHeight: '320px',
    minWidth: '220px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '4px 8px',
    borderRadius: '6px',
    display: 'flex',
    gap: '12px',
    justifyContent: 'space-between',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--hover) !important', color: 'var(--ink) !important' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal', fontSize: '11.5px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650', color: 'var(--accent-text)' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '280px', fontSize: '12px', fontFamily: 'var(--font)' },
});

/** Keeps a predicate on one line. */
const oneLine = EditorState.transactionFilter.of((transaction) =>
  transaction.newDoc.lines > 1
    ? [
        transaction,
        {
          changes: { from: 0, to: transaction.newDoc.length, insert: transaction.newDoc.toString().replace(/\s*\n\s*/g, ' ') },
          sequential: true,
        },
      ]
    : transaction,
);

function extensionsOf(props: CodeEditorProps, latest: { current: CodeEditorProps }, mode: Compartment): Extension[] {
  const enter = keymap.of([
    {
      key: 'Enter',
      run: () => {
        latest.current.onEnter?.();
        return true;
      },
    },
    {
      key: 'Mod-Enter',
      run: () => {
        latest.current.onEnter?.();
        return true;
      },
    },
  ]);
  const shared: Extension[] = [
    history(),
    closeBrackets(),
    bracketMatching(),
    syntaxHighlighting(colours),
    look,
    mode.of(modeOf(props)),
    EditorView.contentAttributes.of({ 'aria-label': props.label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
    }),
    props.placeholder ? placeholderText(props.placeholder) : [],
  ];
  if (props.language === 'json') {
    return [
      ...shared,
      json(),
      linter(jsonParseLinter()),
      lineNumbers(),
      foldGutter(),
      EditorView.lineWrapping,
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...(props.readOnly ? [] : [indentWithTab]),
      ]),
    ];
  }
  const source: CompletionSource = (context) => latest.current.complete?.(context) ?? null;
  return [
    ...shared,
    oneLine,
    autocompletion({ override: [source], icons: false, activateOnTyping: true, interactionDelay: 0 }),
    EditorView.domEventHandlers({
      focus: (_, view) => {
        setTimeout(() => startCompletion(view), 0);
        return false;
      },
    }),
    keymap.of([...completionKeymap, ...closeBracketsKeymap]),
    enter,
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ];
}

const modeOf = (props: CodeEditorProps): Extension => [EditorState.readOnly.of(!!props.readOnly)];

/**
 * A code editor. It lives in a shadow root, where its styles are constructable sheets: in the document itself they would be a `<style>`
 * element, which the Content-Security-Policy refuses.
 */
export default function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  const mode = useRef(new Compartment());
  latest.current = props;
  useEffect(() => {
    if (!host.current) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: latest.current.value, extensions: extensionsOf(latest.current, latest, mode.current) }),
    });
    view.current = editor;
    if (latest.current.autoFocus) {
      editor.focus();
      editor.dispatch({ selection: { anchor: editor.state.doc.length } });
    }
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== props.value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
  }, [props.value]);
  useEffect(() => view.current?.dispatch({ effects: mode.current.reconfigure(modeOf(props)) }), [props.readOnly]);
  return <div ref={host} className={`code code-${props.language}`} onClick={() => view.current?.focus()} />;
}
