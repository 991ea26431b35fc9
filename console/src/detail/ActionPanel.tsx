import { useState } from 'react';
import { useModel } from '../api/project';
import { FieldsEditor } from '../form/FieldEditor';
import { asInput, emptyValue } from '../model/draft';
import type { ActionDefinition, Document, Field, JsonObject, Kind, UpdateAction } from '../model/types';
import { humanize } from '../model/values';
import { Button } from '../ui/Button';
import { TextField } from '../ui/Field';
import { Panel } from '../ui/Overlay';
import { useWords } from '../ui/texts';
import { useDetailTexts } from './texts';

/** The value of an action as a request takes it. */
function toAction(model: ReturnType<typeof useModel>, action: ActionDefinition, values: JsonObject): UpdateAction {
  const out: UpdateAction = { action: action.name };
  for (const field of action.fields) {
    const value = asInput(model, values[field.name], field);
    if (value !== undefined) out[field.name] = value;
  }
  return out;
}

function initial(model: ReturnType<typeof useModel>, action: ActionDefinition): JsonObject {
  const out: JsonObject = {};
  for (const field of action.fields) {
    if (!field.required) continue;
    if (field.list > 0) out[field.name] = [];
    else if (field.type === 'Boolean') out[field.name] = false;
    else if (model.type(field.type)?.fields && !field.references && !/Money/.test(field.type))
      out[field.name] = emptyValue(model, field.type);
  }
  return out;
}

/** Any update action of the kind, with a form for its fields. */
export function ActionPanel({
  kind,
  document,
  onClose,
  onAdd,
}: {
  kind: Kind;
  document: Document;
  onClose: () => void;
  onAdd: (action: UpdateAction) => void;
}) {
  const t = useDetailTexts();
  const words = useWords();
  const model = useModel();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ActionDefinition>();
  const [values, setValues] = useState<JsonObject>({});
  const shown = kind.actions.filter((action) =>
    `${action.name} ${humanize(action.name)} ${action.description ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  );
  const choose = (action: ActionDefinition) => {
    setChosen(action);
    setValues(initial(model, action));
  };
  const isComplete = chosen?.fields.every((field: Field) => !field.required || values[field.name] !== undefined);
  return (
    <Panel
      title={chosen ? humanize(chosen.name) : t('chooseAction')}
      isOpen
      onClose={onClose}
      footer={
        chosen && (
          <>
            <Button onPress={() => setChosen(undefined)}>{words('back')}</Button>
            <Button look="primary" isDisabled={!isComplete} onPress={() => onAdd(toAction(model, chosen, values))}>
              {t('addAction')}
            </Button>
          </>
        )
      }
    >
      {chosen ? (
        <div className="stack">
          <p className="muted">
            <code>{chosen.name}</code> {chosen.description}
          </p>
          {chosen.fields.length === 0 ? (
            <p className="muted">{t('noFields')}</p>
          ) : (
            <FieldsEditor
              fields={chosen.fields}
              value={values}
              onChange={setValues}
              path=""
              document={document}
              owner={model.customOwner(kind.type)}
            />
          )}
        </div>
      ) : (
        <div className="stack">
          <TextField
            aria-label={t('findAction')}
            placeholder={t('findAction')}
            value={text}
            onChange={setText}
            autoFocus
            type="search"
          />
          <ul className="action-choices">
            {shown.map((action) => (
              <li key={action.name}>
                <button type="button" className="action-choice" onClick={() => choose(action)}>
                  <b>{humanize(action.name)}</b>
                  <code className="muted">{action.name}</code>
                  {action.description && <span className="muted small">{action.description}</span>}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
