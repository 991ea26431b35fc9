import { useModel } from '../api/project';
import { isLocalized, isMoney, isReference, labelOf, type ModelIndex } from '../model/model';
import type { Field, Json, JsonObject, Kind } from '../model/types';
import { equal } from '../model/values';
import { ReferencePicker } from '../ui/ReferencePicker';
import { ValueCell } from '../ui/ValueCell';
import { AttributesField } from './AttributesField';
import { CustomFieldsField } from './CustomFieldsField';
import { JsonField } from './JsonField';
import { ListField } from './ListField';
import { LocalizedField } from './LocalizedField';
import { MapField } from './MapField';
import { MoneyField } from './MoneyField';
import { ObjectField } from './ObjectField';
import { ScalarField } from './ScalarField';

export interface FieldEditorProps {
  field: Field;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  /** The stored value; a different one is marked as changed. */
  stored?: Json;
  /** Whether the value at a path may change; absent: all may. */
  mayEdit?: (path: string) => boolean;
  /** Whether the elements of the list at a path may change their order; absent: all may. */
  mayArrange?: (path: string) => boolean;
  path: string;
  error?: string;
  /** The document around the field: Attributes need its Product Type. */
  document?: JsonObject;
  /** The `ResourceTypeId` of custom fields. */
  owner?: string;
  hideLabel?: boolean;
}

/** The kinds that a reference may name. */
export function targetsOf(model: ModelIndex, field: Field): Kind[] {
  const names = field.references?.length
    ? field.references
    : model.kinds.filter((kind) => !kind.hidden && !kind.singleton).map((kind) => kind.typeId);
  return [...new Set(names)].map((name) => model.kindOfType(name)).filter((kind) => kind !== undefined);
}

/** Edits the value of any field, by its type. */
export function FieldEditor(props: FieldEditorProps) {
  const model = useModel();
  const { field, value, path } = props;
  const isDisabled = props.mayEdit ? !props.mayEdit(path) : false;
  if (isDisabled && isShort(model, field)) return <ReadField {...props} />;
  const common = {
    field,
    value,
    onChange: props.onChange,
    isDisabled,
    error: props.error,
    label: props.hideLabel ? undefined : labelOf(field),
    hint: props.hideLabel ? undefined : field.description?.split('\n').join(' '),
    required: field.required,
    changed: 'stored' in props && !equal(props.stored, value),
  };
  if (field.list > 0) {
    if (field.type === 'Attribute' || field.type === 'AttributeDraft') return <AttributesField {...props} />;
    return <ListField {...props} isDisabled={isDisabled} />;
  }
  if (field.map) return isLocalized(field) ? <LocalizedField {...common} /> : <MapField {...props} isDisabled={isDisabled} />;
  if (isLocalized(field)) return <LocalizedField {...common} />;
  if (isMoney(field)) return <MoneyField {...common} />;
  if (isReference(field)) return <ReferencePicker {...common} kinds={targetsOf(model, field)} byKey={field.keyReference} />;
  if (field.type === 'CustomFields' || field.type === 'CustomFieldsDraft')
    return <CustomFieldsField {...common} owner={field.custom ?? props.owner} />;
  if (field.type === 'Json' || field.type === 'Object' || field.type === 'FieldContainer') return <JsonField {...common} />;
  const type = model.type(field.type);
  if (type) return <ObjectField {...props} isDisabled={isDisabled} />;
  return <ScalarField {...common} />;
}

/** Whether a value that cannot change is shown as one line. */
const isShort = (model: ModelIndex, field: Field) =>
  field.map !== true &&
  (field.list === 0
    ? (model.type(field.type) === undefined &&
        !['CustomFields', 'CustomFieldsDraft', 'Json', 'Object', 'FieldContainer'].includes(field.type)) ||
      isMoney(field) ||
      isReference(field)
    : !model.type(field.type) || isReference(field));

/** A value that no update action of the operator changes. */
function ReadField({ field, value, hideLabel }: FieldEditorProps) {
  return (
    <div className="field read-field">
      {!hideLabel && (
        <span className="field-label" title={field.description}>
          {labelOf(field)}
        </span>
      )}
      <div className="read-value">
        <ValueCell field={field} value={value} />
      </div>
    </div>
  );
}

const BY_THEMSELVES = new Set(['Json', 'Object', 'CustomFields', 'CustomFieldsDraft', 'FieldContainer']);

/** Whether a text of the field is often long. */
export const isLongText = (field: Field) => field.type === 'String' && /description|comment|predicate|text$/i.test(field.name);

/** Whether the editor of a field needs the width of the page. */
export const isWide = (field: Field, model: ModelIndex): boolean =>
  field.list > 0 ||
  field.map === true ||
  isLocalized(field) ||
  isLongText(field) ||
  BY_THEMSELVES.has(field.type) ||
  (model.type(field.type) !== undefined && !isMoney(field) && !isReference(field));

/** The editors of the fields of an object, in two columns. */
export function FieldsEditor({
  fields,
  value,
  onChange,
  ...rest
}: Omit<FieldEditorProps, 'field' | 'value' | 'onChange' | 'stored'> & {
  fields: Field[];
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  stored?: JsonObject;
}) {
  const model = useModel();
  const { stored, errors, ...common } = rest as typeof rest & { errors?: Record<string, string> };
  const set = (name: string) => (next: Json | undefined) => {
    const copy = { ...value };
    if (next === undefined) delete copy[name];
    else copy[name] = next;
    onChange(copy);
  };
  return (
    <div className="fields">
      {fields.map((field) => (
        <div key={field.name} className={isWide(field, model) ? 'fields-wide' : undefined}>
          <FieldEditor
            {...common}
            {...('stored' in rest ? { stored: stored?.[field.name] } : {})}
            field={field}
            value={value[field.name]}
            onChange={set(field.name)}
            path={rest.path ? `${rest.path}.${field.name}` : field.name}
            error={errors?.[field.name]}
            document={rest.document ?? value}
          />
        </div>
      ))}
    </div>
  );
}
