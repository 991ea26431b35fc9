import { isMoneyType, isReference, type ModelIndex } from './model';
import type { Field, Json, JsonObject, Kind } from './types';
import { isObject, valueAt } from './values';

/** A value of a document as a request takes it: only the fields that the request's type has, references without their targets. */
export function asInput(
  model: ModelIndex,
  value: Json | undefined,
  field: Pick<Field, 'type' | 'references' | 'list' | 'map'>,
): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map((one) => asInput(model, one, field) ?? null);
  if (!isObject(value)) return value;
  if (isReference(field as Field)) return referenceInput(value);
  if (field.map)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, asInput(model, one, { ...field, map: false }) ?? null]),
    );
  if (field.type === 'CustomFields' || field.type === 'CustomFieldsDraft')
    return { type: isObject(value.type) ? referenceInput(value.type) : null, fields: value.fields ?? {} };
  if (isMoneyType(field.type)) return moneyInput(value);
  const fields = model.fieldsOf(field.type, value);
  if (fields.length === 0) return value;
  const out: JsonObject = {};
  for (const inner of fields) {
    if (inner.readOnly) continue;
    const converted = asInput(model, value[inner.name], inner);
    if (converted !== undefined) out[inner.name] = converted;
  }
  const discriminator = model.type(field.type)?.discriminator;
  if (discriminator && typeof value[discriminator] === 'string') out[discriminator] = value[discriminator]!;
  return out;
}

function referenceInput(value: JsonObject): JsonObject {
  const out: JsonObject = {};
  if (value.typeId !== undefined) out.typeId = value.typeId;
  if (value.id !== undefined) out.id = value.id;
  else if (value.key !== undefined) out.key = value.key;
  return out;
}

function moneyInput(value: JsonObject): JsonObject {
  if (value.type === 'highPrecision')
    return {
      type: value.type,
      currencyCode: value.currencyCode!,
      preciseAmount: value.preciseAmount!,
      fractionDigits: value.fractionDigits!,
    };
  return { currencyCode: value.currencyCode!, centAmount: value.centAmount! };
}

const DEPTH_MAX = 3;

/** Finds the field of that name nearest to the top of a document. */
function findField(document: JsonObject, name: string, depth = 0): Json | undefined {
  if (document[name] !== undefined) return document[name];
  if (depth >= DEPTH_MAX) return undefined;
  for (const inner of Object.values(document)) {
    if (!isObject(inner) || inner.typeId !== undefined) continue;
    const found = findField(inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const COPY = '-copy';

/** A draft that creates a document like this one. Unique names get an ending. */
export function draftFrom(model: ModelIndex, kind: Kind, document: JsonObject): JsonObject {
  const draft: JsonObject = {};
  const documentFields = new Map(model.fieldsOf(kind.type).map((field) => [field.name, field]));
  for (const field of kind.draft ? model.fieldsOf(kind.draft) : []) {
    if (field.readOnly || field.secret) continue;
    const value = valueAt(document, field.name) ?? (documentFields.has(field.name) ? undefined : findField(document, field.name));
    let converted = asInput(model, value, field);
    if (converted === undefined) continue;
    if (documentFields.get(field.name)?.unique || ['key', 'slug'].includes(field.name)) converted = renamed(converted);
    draft[field.name] = converted;
  }
  return withoutElementNames(draft);
}

function renamed(value: Json): Json {
  if (typeof value === 'string') return value.includes('@') ? value.replace('@', `${COPY}@`) : `${value}${COPY}`;
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, typeof one === 'string' ? `${one}${COPY}` : one]),
    );
  return value;
}

/** Elements of a copy get ids of their own. SKUs are unique too. */
function withoutElementNames(value: JsonObject, depth = 0): JsonObject {
  const out: JsonObject = {};
  for (const [name, one] of Object.entries(value)) {
    if (depth > 0 && name === 'id' && value.typeId === undefined) continue;
    if (name === 'sku' && typeof one === 'string') out[name] = `${one}${COPY}`;
    else if (depth > 0 && name === 'key' && value.typeId === undefined && typeof one === 'string') out[name] = `${one}${COPY}`;
    else if (Array.isArray(one))
      out[name] = one.map((element) => (isObject(element) ? withoutElementNames(element, depth + 1) : element));
    else out[name] = isObject(one) && one.typeId === undefined ? withoutElementNames(one, depth + 1) : one;
  }
  return out;
}

/** A new object of a type with its defaults, for forms: required lists are empty, required enums have their first value. */
export function emptyValue(model: ModelIndex, typeName: string, depth = 0): JsonObject {
  const out: JsonObject = {};
  const type = model.type(typeName);
  if (type?.options && type.discriminator) {
    const [first] = Object.keys(type.options);
    return first ? { [type.discriminator]: first, ...emptyValue(model, type.options[first]!, depth) } : {};
  }
  for (const field of model.fieldsOf(typeName)) {
    if (field.readOnly) continue;
    if (field.required && field.list > 0) out[field.name] = [];
    else if (field.required && field.type === 'Boolean') out[field.name] = false;
    else if (field.required && depth < DEPTH_MAX && model.type(field.type) && !isMoneyType(field.type) && !isReference(field))
      out[field.name] = emptyValue(model, field.type, depth + 1);
    else if (field.required && model.enumOf(field.type))
      out[field.name] = (field.default as string | undefined) ?? model.enumOf(field.type)![0] ?? '';
  }
  return out;
}
