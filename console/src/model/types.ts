/** `model.json`: the API as the server describes it. */
export interface Model {
  version: string;
  kinds: Kind[];
  types: Record<string, TypeDefinition>;
  enums: Record<string, string[]>;
  scopes: string[];
}

/** A resource type. */
export interface Kind {
  name: string;
  typeId: string;
  path: string;
  description?: string;
  view: string[];
  manage: string[];
  keyed: boolean;
  inStore: boolean;
  singleton: boolean;
  operations: Operation[];
  type: string;
  draft?: string;
  search: Search | null;
  /** The fields that name a document. */
  display: string[];
  actions: ActionDefinition[];
  service?: string;
  address?: string[];
  keyField?: string;
  hidden?: boolean;
}

export type Operation = 'query' | 'get' | 'create' | 'update' | 'delete';

export interface Search {
  path: string;
  kind: string;
  fields?: SearchField[];
}

/** A field of a search. A `text` is searched by words, another one by its beginning. */
export interface SearchField {
  name: string;
  fieldType: string;
  /** Whether each language is searched. */
  language?: boolean;
}

export interface Field {
  name: string;
  /** The display name of a custom field or a setting, if it has one. Absent: derived from `name`. */
  label?: string;
  type: string;
  /** 0: one value; 1: a list; 2: a list of lists. */
  list: 0 | 1 | 2;
  required: boolean;
  description?: string;
  references?: string[];
  keyReference?: boolean;
  readOnly?: boolean;
  default?: unknown;
  map?: boolean;
  limits?: Limits;
  unique?: boolean;
  indexed?: boolean;
  beta?: boolean;
  deprecated?: boolean;
  secret?: boolean;
  /** On custom fields: the `ResourceTypeId` that their Types list. */
  custom?: string;
}

export interface Limits {
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

export interface ActionDefinition {
  name: string;
  description?: string;
  fields: Field[];
  effect?: Effect;
}

/** The effect of an update action, if the model declares one. Actions with behaviour of their own have none. */
export interface Effect {
  verb: 'set' | 'append' | 'remove' | 'arrange' | 'customType' | 'customField';
  path?: string;
  by?: string[];
  element?: { path: string; by: string[] };
  to?: Record<string, string>;
}

export interface TypeDefinition {
  description?: string;
  fields?: Field[];
  discriminator?: string;
  options?: Record<string, string>;
  default?: string;
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A document as the API returns it. */
export type Document = JsonObject & { id: string; version: number };

export type UpdateAction = JsonObject & { action: string };
