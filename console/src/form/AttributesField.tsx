import { useModel } from '../api/project';
import { useTarget } from '../api/references';
import { labelOf } from '../model/model';
import type { Json, JsonObject } from '../model/types';
import { isObject, objectsOf } from '../model/values';
import { FieldGroup } from '../ui/Field';
import { DefinedField } from './DefinedField';
import { readDefinition } from './definitions';
import { JsonField } from './JsonField';
import type { FieldEditorProps } from './FieldEditor';
import { useFormTexts } from './texts';

/** The reference in a document whose target defines its Attributes. */
function definingReference(document: JsonObject | undefined): JsonObject | undefined {
  return document
    ? Object.values(document).find((value): value is JsonObject => isObject(value) && value.typeId === 'product-type')
    : undefined;
}

/** Attributes, each edited as the Product Type defines it. */
export function AttributesField(props: FieldEditorProps) {
  const t = useFormTexts();
  const model = useModel();
  const reference = definingReference(props.document);
  const type = useTarget(reference && model.kindOfType(String(reference.typeId)), {
    id: text(reference?.id),
    key: text(reference?.key),
  });
  const isDisabled = props.mayEdit ? !props.mayEdit(props.path) : false;
  const definitions = Array.isArray(type.data?.attributes)
    ? type.data.attributes.map(readDefinition).filter((one) => one !== undefined)
    : [];
  const values = new Map(objectsOf(props.value).map((attribute) => [String(attribute.name), attribute.value ?? null]));
  const stored = new Map(objectsOf(props.stored).map((attribute) => [String(attribute.name), attribute.value ?? null]));
  if (definitions.length === 0)
    return (
      <JsonField
        field={props.field}
        value={props.value}
        onChange={props.onChange}
        isDisabled={isDisabled}
        label={labelOf(props.field)}
        error={props.error}
      />
    );
  const set = (name: string, next: Json | undefined) => {
    const copy = new Map(values);
    if (next === undefined) copy.delete(name);
    else copy.set(name, next);
    props.onChange([...copy].map(([one, value]) => ({ name: one, value })));
  };
  return (
    <FieldGroup label={labelOf(props.field)} error={props.error}>
      <div className="nested fields">
        {definitions.map((definition) => (
          <div key={definition.name}>
            <DefinedField
              definition={definition}
              value={values.get(definition.name)}
              stored={'stored' in props ? stored.get(definition.name) : values.get(definition.name)}
              isDisabled={isDisabled}
              onChange={(next) => set(definition.name, next)}
              hint={definition.constraint === 'SameForAll' ? t('sameForAll') : undefined}
            />
          </div>
        ))}
      </div>
    </FieldGroup>
  );
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
