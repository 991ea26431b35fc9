import type { Field, Json, JsonObject } from '../model/types';
import { isObject } from '../model/values';

/** A field or an Attribute as a Type or a Product Type defines it. */
export interface ValueDefinition {
  name: string;
  label?: Json;
  required: boolean;
  field: Field;
  /** Choices of an enum: by key, with labels. */
  choices?: { key: string; label: Json }[];
  isSet: boolean;
  /** `SameForAll`, `Unique`, … */
  constraint?: string;
  level?: string;
}

const SCALAR_TYPES: Record<string, string> = {
  Boolean: 'Boolean',
  boolean: 'Boolean',
  String: 'String',
  text: 'String',
  LocalizedString: 'LocalizedString',
  ltext: 'LocalizedString',
  Number: 'Float',
  number: 'Float',
  Money: 'Money',
  money: 'Money',
  Date: 'Date',
  date: 'Date',
  Time: 'Time',
  time: 'Time',
  DateTime: 'DateTime',
  datetime: 'DateTime',
  Enum: 'String',
  enum: 'String',
  LocalizedEnum: 'String',
  lenum: 'String',
};

/** Translates the definition of a custom field or an Attribute to a field of a form. */
export function readDefinition(definition: Json): ValueDefinition | undefined {
  if (!isObject(definition) || typeof definition.name !== 'string' || !isObject(definition.type)) return undefined;
  const outer = definition.type;
  const isSet = outer.name === 'Set' || outer.name === 'set';
  const type = isSet && isObject(outer.elementType) ? outer.elementType : outer;
  const name = String(type.name);
  const reference = name === 'Reference' || name === 'reference';
  const field: Field = {
    name: definition.name,
    type: reference ? 'Reference' : (SCALAR_TYPES[name] ?? 'Json'),
    list: isSet ? 1 : 0,
    required: definition.required === true || definition.isRequired === true,
    ...(reference ? { references: typeof type.referenceTypeId === 'string' ? [type.referenceTypeId] : [] } : {}),
  };
  const values = Array.isArray(type.values)
    ? type.values
        .filter(isObject)
        .map((value: JsonObject) => ({ key: String(value.key), label: value.label ?? String(value.key) }))
    : undefined;
  return {
    name: definition.name,
    label: definition.label,
    required: field.required,
    field,
    isSet,
    choices: values,
    constraint: typeof definition.attributeConstraint === 'string' ? definition.attributeConstraint : undefined,
    level: typeof definition.level === 'string' ? definition.level : undefined,
  };
}
