import { useModel } from '../api/project';
import { useTarget } from '../api/references';
import type { JsonObject } from '../model/types';
import { isObject } from '../model/values';
import { FieldGroup } from '../ui/Field';
import { ReferencePicker } from '../ui/ReferencePicker';
import { Skeleton } from '../ui/Feedback';
import { readDefinition } from './definitions';
import { DefinedField } from './DefinedField';
import { JsonField } from './JsonField';
import type { ValueProps } from './ScalarField';
import { useFormTexts } from './texts';

/** The kind of documents that define custom fields: the one to which `CustomFields` refer. */
const DEFINING_TYPE = 'type';

/** A Type and the values of the fields that it defines. */
export function CustomFieldsField(props: ValueProps & { owner?: string; stored?: JsonObject }) {
  const t = useFormTexts();
  const model = useModel();
  const kind = model.kindOfType(DEFINING_TYPE);
  const value = isObject(props.value) ? props.value : undefined;
  const reference = isObject(value?.type) ? value.type : undefined;
  const type = useTarget(kind, {
    id: typeof reference?.id === 'string' ? reference.id : undefined,
    key: typeof reference?.key === 'string' ? reference.key : undefined,
  });
  const fields = isObject(value?.fields) ? value.fields : {};
  const definitions = Array.isArray(type.data?.fieldDefinitions)
    ? type.data.fieldDefinitions.map(readDefinition).filter((one) => one !== undefined)
    : [];
  if (!kind) return <JsonField {...props} />;
  const set = (name: string, next: JsonObject[string] | undefined) => {
    const copy = { ...fields };
    if (next === undefined) delete copy[name];
    else copy[name] = next;
    props.onChange({ type: reference!, fields: copy });
  };
  return (
    <FieldGroup label={props.label} error={props.error} changed={props.changed}>
      <div className="nested stack">
        <ReferencePicker
          filter={props.owner ? `resourceTypeIds contains any (${JSON.stringify(props.owner)})` : undefined}
          label={t('customType')}
          kinds={[kind]}
          value={reference}
          isDisabled={props.isDisabled}
          onChange={(next) => props.onChange(next ? { type: next, fields: {} } : undefined)}
        />
        {reference && type.isPending && <Skeleton lines={2} />}
        {definitions.length > 0 && (
          <div className="fields">
            {definitions.map((definition) => (
              <div key={definition.name}>
                <DefinedField
                  definition={definition}
                  value={fields[definition.name]}
                  stored={fields[definition.name]}
                  isDisabled={props.isDisabled}
                  onChange={(next) => set(definition.name, next)}
                />
              </div>
            ))}
          </div>
        )}
      </div>
    </FieldGroup>
  );
}
