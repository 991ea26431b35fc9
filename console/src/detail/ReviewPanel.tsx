import { useMemo } from 'react';
import { useApiOrigin, useModel, useProject } from '../api/project';
import { documentPath } from '../api/hooks';
import { JsonEditor } from '../editor';
import { curlOf, terraformOf, typescriptOf } from '../model/snippets';
import type { Document, Kind, UpdateAction } from '../model/types';
import { humanize, isObject, valueAt } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { Panel } from '../ui/Overlay';
import { Tabs } from '../ui/Tabs';
import { useWords } from '../ui/texts';
import { CopyButton } from './CopyButton';
import type { Editing } from './editing';
import { useDetailTexts } from './texts';

/** Shows the update actions that a save sends, and the same request as curl, TypeScript and Terraform. */
export function ReviewPanel({
  kind,
  editing,
  isOpen,
  onClose,
}: {
  kind: Kind;
  editing: Editing;
  isOpen: boolean;
  onClose: () => void;
}) {
  const t = useDetailTexts();
  const words = useWords();
  const model = useModel();
  const { key } = useProject();
  const { actions, plan, document, edited, replacement } = editing;
  const body = useMemo(() => ({ version: document.version, actions }), [document.version, actions]);
  const path = documentPath(kind, document) ?? kind.path;
  const origin = useApiOrigin();
  const snippets = isOpen
    ? {
        curl: curlOf({ origin, project: key, path, service: kind.service, body }),
        typescript: typescriptOf(kind, document.id, body),
        terraform: terraformOf(model, kind, edited),
      }
    : { curl: '', typescript: '', terraform: '' };
  const save = () => void editing.save().then((saved) => saved && onClose());
  return (
    <Panel
      title={t('reviewTitle')}
      isOpen={isOpen && !editing.conflict}
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{words('back')}</Button>
          <Button look="primary" onPress={save} isPending={editing.isSaving} isDisabled={actions.length === 0 && !replacement}>
            {replacement ? t('saveNow') : t('save', { count: actions.length })}
          </Button>
        </>
      }
    >
      <div className="stack">
        {editing.error !== undefined && (
          <Banner look="danger">{editing.error instanceof Error ? editing.error.message : String(editing.error)}</Banner>
        )}
        {!replacement && plan.impossible.length > 0 && (
          <Banner look="warning">{t('noAction', { fields: plan.impossible.map(humanize).join(', ') })}</Banner>
        )}
        {replacement && (
          <>
            <p className="muted">{t('replaceHint')}</p>
            <JsonEditor value={JSON.stringify(replacement, null, 2)} readOnly label={t('json')} />
          </>
        )}
        {!replacement && actions.length === 0 && plan.impossible.length === 0 && <p className="muted">{t('nothingToSave')}</p>}
        {actions.length > 0 && (
          <Tabs
            label={t('reviewTitle')}
            tabs={[
              {
                id: 'actions',
                label: t('asActions'),
                content: (
                  <ol className="action-list">
                    {actions.map((action, at) => (
                      <ActionRow
                        key={at}
                        action={action}
                        document={document}
                        onRemove={at >= plan.actions.length ? () => editing.unqueue(at - plan.actions.length) : undefined}
                      />
                    ))}
                  </ol>
                ),
              },
              { id: 'curl', label: 'curl', content: <Snippet text={snippets.curl} hint={t('copyHint')} /> },
              { id: 'typescript', label: 'TypeScript', content: <Snippet text={snippets.typescript} hint={t('copyHint')} /> },
              { id: 'terraform', label: 'Terraform', content: <Snippet text={snippets.terraform} hint={t('terraformHint')} /> },
              { id: 'json', label: 'JSON', content: <JsonEditor value={JSON.stringify(body, null, 2)} readOnly label="JSON" /> },
            ]}
          />
        )}
      </div>
    </Panel>
  );
}

export function Snippet({ text, hint }: { text: string; hint?: string }) {
  return (
    <div className="stack-small">
      <div className="row">
        <span className="small muted">{hint}</span>
        <span className="push">
          <CopyButton text={text} />
        </span>
      </div>
      <pre className="snippet" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

/** One action, with the values before and after where both are known. */
export function ActionRow({ action, document, onRemove }: { action: UpdateAction; document: Document; onRemove?: () => void }) {
  const t = useDetailTexts();
  const { action: name, ...rest } = action;
  const entries = Object.entries(rest);
  // `lineItemId` names a part of the document: its values are not those of the document itself.
  const isOfPart = entries.some(([field]) => /.(Id|Key)$/.test(field) && document[field] === undefined);
  return (
    <li className="action-row">
      <div className="row">
        <code className="action-name">{name}</code>
        {onRemove && (
          <span className="push">
            <IconButton small icon="close" label={t('removeAction')} onPress={onRemove} />
          </span>
        )}
      </div>
      {entries.map(([field, value]) => {
        const before = isOfPart ? undefined : valueAt(document, field);
        return (
          <dl key={field} className="action-field">
            <dt>{humanize(field)}</dt>
            <dd>
              {before !== undefined && before !== null && <del dir="auto">{show(before)}</del>}
              <ins dir="auto">{show(value)}</ins>
            </dd>
          </dl>
        );
      })}
    </li>
  );
}

const SHOWN_MAX = 2000;
function show(value: unknown): string {
  const text =
    isObject(value) && Object.values(value).every((one) => typeof one === 'string') && value.typeId === undefined
      ? Object.entries(value)
          .map(([name, one]) => `${name}: ${String(one)}`)
          .join('\n')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value, null, 1);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
}
