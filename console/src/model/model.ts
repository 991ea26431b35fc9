import type { Field, Kind, Model, TypeDefinition } from './types';
import { humanize } from './values';

/** The model with ways to look things up. */
export class ModelIndex {
  private readonly bySegment = new Map<string, Kind>();
  private readonly byTypeId = new Map<string, Kind>();
  private readonly byName = new Map<string, Kind>();

  constructor(readonly model: Model) {
    fillIn(model);
    for (const kind of model.kinds) {
      this.byName.set(kind.name, kind);
      if (!this.byTypeId.has(kind.typeId)) this.byTypeId.set(kind.typeId, kind);
      this.bySegment.set(segmentOf(kind), kind);
    }
  }

  get kinds(): Kind[] {
    return this.model.kinds;
  }

  /** The kind of an address of the console, e.g. `categories`. */
  kindOfSegment(segment: string): Kind | undefined {
    return this.bySegment.get(segment);
  }

  kindOfType(typeId: string): Kind | undefined {
    return this.byTypeId.get(typeId);
  }

  kind(name: string): Kind | undefined {
    return this.byName.get(name);
  }

  type(name: string): TypeDefinition | undefined {
    return this.model.types[name];
  }

  /** The fields of an object; of a union, those of the member that the value says. */
  fieldsOf(name: string, value?: unknown): Field[] {
    const type = this.model.types[name];
    if (!type) return [];
    if (type.fields) return type.fields;
    const member = this.memberOf(type, value);
    return member ? this.fieldsOf(member) : [];
  }

  /** The member of a union that a value belongs to. */
  memberOf(type: TypeDefinition, value: unknown): string | undefined {
    if (!type.options) return undefined;
    const is = (value as Record<string, unknown> | undefined)?.[type.discriminator ?? 'type'];
    return type.options[typeof is === 'string' ? is : (type.default ?? '')];
  }

  /** The `ResourceTypeId` that Types of the custom fields of a type list: `PriceDraft` → `product-price`. */
  customOwner(typeName: string): string | undefined {
    const names = [typeName, typeName.replace(/(ImportDraft|Draft|Import)$/, ''), typeName.replace(/^Base/, '')];
    for (const name of names) {
      const owner = this.model.types[name]?.fields?.find((field) => field.name === 'custom' && field.custom)?.custom;
      if (owner) return owner;
    }
    return undefined;
  }

  enumOf(name: string): string[] | undefined {
    return this.model.enums[name];
  }

  /** The field at a path like `masterData.current.name`, through objects and lists. Members of a `LocalizedString` are Strings. */
  fieldAt(typeName: string, path: string): Field | undefined {
    let type = typeName;
    let found: Field | undefined;
    for (const name of path.split('.')) {
      if (found?.type === 'LocalizedString' || found?.map)
        return { ...found, name, type: found.map ? found.type : 'String', map: false };
      found = this.allFieldsOf(type).find((field) => field.name === name);
      if (!found) return undefined;
      type = found.type;
    }
    return found;
  }

  /** The fields of an object; of a union, those of all members. */
  allFieldsOf(name: string): Field[] {
    const type = this.model.types[name];
    if (!type) return [];
    if (type.fields) return type.fields;
    const all = new Map<string, Field>();
    for (const member of Object.values(type.options ?? {}))
      for (const field of this.allFieldsOf(member)) if (!all.has(field.name)) all.set(field.name, field);
    return [...all.values()];
  }
}

type Sparse<T> = { [K in keyof T]?: T[K] };

/** Sets what `model.json` leaves out because it has its usual value. */
function fillIn(model: Model): void {
  const field = (one: Sparse<Field>) => {
    one.list ??= 0;
    one.required ??= false;
  };
  for (const kind of model.kinds as Sparse<Kind>[]) {
    kind.view ??= [];
    kind.manage ??= [];
    kind.operations ??= [];
    kind.display ??= [];
    kind.actions ??= [];
    kind.search ??= null;
    kind.path ??= '';
    kind.type ??= kind.name;
    for (const action of kind.actions) {
      action.fields ??= [];
      action.fields.forEach(field);
    }
  }
  for (const type of Object.values(model.types)) type.fields?.forEach(field);
}

/** The name of a kind in addresses of the console. */
export function segmentOf(kind: Kind): string {
  return kind.path === '' ? kind.name.charAt(0).toLowerCase() + kind.name.slice(1) : kind.path.replaceAll('/', '-');
}

export const may = {
  view: (kind: Kind, scopes: ReadonlySet<string>) => allows(kind.view, scopes) || allows(kind.manage, scopes),
  manage: (kind: Kind, scopes: ReadonlySet<string>) => allows(kind.manage, scopes),
};

const allows = (wanted: string[], scopes: ReadonlySet<string>) =>
  scopes.has('manage_project') || wanted.some((scope) => scopes.has(scope));

export const isLocalized = (field: Field) => field.type === 'LocalizedString' && !field.map;
export const isReference = (field: Field) =>
  field.references !== undefined || ['Reference', 'KeyReference', 'ResourceIdentifier'].includes(field.type);
const MONEY_TYPES = new Set([
  'Money',
  'CentPrecisionMoney',
  'HighPrecisionMoney',
  'TypedMoney',
  'TypedMoneyDraft',
  'CentPrecisionMoneyDraft',
  'HighPrecisionMoneyDraft',
]);
export const isMoney = (field: Field) => MONEY_TYPES.has(field.type);
export const isMoneyType = (name: string) => MONEY_TYPES.has(name);
export const SCALARS = new Set([
  'String',
  'Boolean',
  'Int',
  'Long',
  'Float',
  'DateTime',
  'Date',
  'Time',
  'Locale',
  'CountryCode',
  'CurrencyCode',
  'LocalizedString',
  'Json',
  'Object',
  'CustomFields',
  'CustomFieldsDraft',
  'FieldContainer',
  'Reference',
  'KeyReference',
  'ResourceIdentifier',
]);
export const labelOf = (field: Field) => field.label ?? humanize(field.name);
