import { asInput } from './draft';
import { effectsOf, type Effects, type ElementName, type ListActions } from './effects';
import { isMoney, isReference, SCALARS, type ModelIndex } from './model';
import type { Field, Json, JsonObject, Kind, UpdateAction } from './types';
import { equal, isObject, valueAt, withValueAt } from './values';

/** A change of a document: the actions that make it, and the paths for which there is no action. */
export interface Plan {
  actions: UpdateAction[];
  impossible: string[];
}

/** Finds the update actions of some paths of a kind that the model does not describe. */
export interface PartPlanner {
  /** The paths that it plans; nothing else does. */
  paths: ReadonlySet<string>;
  plan: (model: ModelIndex, before: JsonObject, after: JsonObject) => Plan;
}

/** Finds the update actions that turn one state of a document into another. */
export function planChanges(model: ModelIndex, kind: Kind, before: JsonObject, after: JsonObject, ofPart?: PartPlanner): Plan {
  const whole = planFields(model, kind, before, after, ofPart?.paths);
  const part = ofPart?.plan(model, before, after);
  return part ? { actions: [...whole.actions, ...part.actions], impossible: [...whole.impossible, ...part.impossible] } : whole;
}

function planFields(model: ModelIndex, kind: Kind, before: JsonObject, after: JsonObject, without?: ReadonlySet<string>): Plan {
  const planner = new Planner(model, effectsOf(model, kind), before, after, without);
  for (const field of model.fieldsOf(kind.type)) planner.visit(field, field.name);
  return { actions: planner.actions, impossible: planner.impossible };
}

/** Fields that the server fills in: a difference in them is no change of the operator. */
const OF_THE_SERVER = new Set(['id', 'version', 'createdAt', 'lastModifiedAt', 'createdBy', 'lastModifiedBy']);

class Planner {
  readonly actions: UpdateAction[] = [];
  readonly impossible: string[] = [];
  private readonly used = new Set<string>();

  constructor(
    private readonly model: ModelIndex,
    private readonly effects: Effects,
    private readonly before: JsonObject,
    private readonly after: JsonObject,
    private readonly without?: ReadonlySet<string>,
  ) {}

  visit(field: Field, path: string): void {
    const from = valueAt(this.before, path);
    const to = valueAt(this.after, path);
    if (OF_THE_SERVER.has(path) || this.without?.has(path) || equal(from, to)) return;
    if (field.readOnly && !this.effects.isEditable(path)) return;
    const customType = this.effects.customTypes.get(path);
    const list = this.effects.lists.get(path);
    if (customType) this.custom(customType, path, from, to);
    else if (this.effects.setters.has(path)) this.set(path);
    else if (list && (Array.isArray(from) || Array.isArray(to)))
      this.list(list, path, (from as Json[] | undefined) ?? [], (to as Json[] | undefined) ?? []);
    else if (
      !SCALARS.has(field.type) &&
      !isReference(field) &&
      !isMoney(field) &&
      field.list === 0 &&
      this.effects.isEditable(path)
    ) {
      for (const inner of this.model.allFieldsOf(field.type)) this.visit(inner, `${path}.${inner.name}`);
    } else this.impossible.push(path);
  }

  private set(path: string): void {
    const setter = this.effects.setters.get(path)!;
    if (this.used.has(setter.action)) return;
    this.used.add(setter.action);
    const action: UpdateAction = { action: setter.action };
    for (const argument of setter.arguments) {
      const value = asInput(this.model, valueAt(this.after, argument.path), argument.field);
      if (value !== undefined) action[argument.name] = value;
      else if (argument.field.required) return void this.impossible.push(argument.path); // The action cannot remove the value.
    }
    this.actions.push(action);
  }

  private custom(setType: string, path: string, from: Json | undefined, to: Json | undefined): void {
    const typeOf = (value: Json | undefined) => (isObject(value) && isObject(value.type) ? value.type : undefined);
    const fieldsOf = (value: Json | undefined): JsonObject => (isObject(value) && isObject(value.fields) ? value.fields : {});
    const [was, is] = [typeOf(from), typeOf(to)];
    const setField = this.effects.customFields.get(path);
    if (!is) {
      this.actions.push({ action: setType });
    } else if (!was || was.id !== is.id || was.key !== is.key || !setField) {
      this.actions.push({
        action: setType,
        type: asInput(this.model, is, { type: 'ResourceIdentifier', references: [], list: 0 })!,
        fields: fieldsOf(to),
      });
    } else {
      const names = new Set([...Object.keys(fieldsOf(from)), ...Object.keys(fieldsOf(to))]);
      for (const name of names) {
        const value = fieldsOf(to)[name];
        if (!equal(fieldsOf(from)[name], value))
          this.actions.push({ action: setField, name, ...(value === undefined ? {} : { value }) });
      }
    }
  }

  private list(list: ListActions, path: string, from: Json[], to: Json[]): void {
    const kept = new Map<number, number>();
    const free = new Set(from.keys());
    for (const [at, element] of to.entries()) {
      const match = [...free].find((index) => sameElement(from[index]!, element));
      if (match === undefined) continue;
      free.delete(match);
      kept.set(at, match);
    }
    for (const [at, index] of kept) if (!equal(from[index], to[at])) this.changeElement(list, path, from[index]!, to[at]!);
    for (const index of free) this.remove(list, path, from[index]!);
    const added = to.filter((_, at) => !kept.has(at));
    for (const element of added) this.append(list, path, element);
    const order = [...kept.entries()].sort(([a], [b]) => a - b).map(([, index]) => index);
    const isMoved = order.some((index, at) => at > 0 && index < order[at - 1]!);
    if (isMoved && list.arrange && added.length === 0) {
      const { action, argument, by } = list.arrange;
      this.actions.push({ action, [argument]: to.map((element) => (isObject(element) ? (element[by] ?? null) : element)) });
    } else if (isMoved && added.length === 0) this.impossible.push(path);
  }

  private append(list: ListActions, path: string, element: Json): void {
    if (!list.append) return void this.impossible.push(path);
    const { action, argument } = list.append;
    const value = asInput(this.model, element, { ...argument, list: 0 }) ?? null;
    this.actions.push({ action, [argument.name]: argument.list > 0 ? [value] : value });
  }

  private remove(list: ListActions, path: string, element: Json): void {
    if (!list.remove) return void this.impossible.push(path);
    const { action, by, argument } = list.remove;
    const name = nameOf(element, by);
    if (name) this.actions.push({ action, ...name });
    else if (argument) {
      const value = asInput(this.model, element, { ...argument, list: 0 }) ?? null;
      this.actions.push({ action, [argument.name]: argument.list > 0 ? [value] : value });
    } else this.impossible.push(path);
  }

  private changeElement(list: ListActions, path: string, from: Json, to: Json): void {
    if (isObject(from) && isObject(to)) {
      const changed = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => !equal(from[name], to[name]));
      const setters = changed.map((name) => list.elements.find((one) => one.path === name && nameOf(from, one.by)));
      if (setters.every((setter) => setter !== undefined)) {
        for (const setter of setters) {
          const value = asInput(this.model, to[setter.path], setter.argument);
          this.actions.push({
            action: setter.action,
            ...nameOf(from, setter.by),
            ...(value === undefined ? {} : { [setter.argument.name]: value }),
          });
        }
        return;
      }
      const name = list.replace && nameOf(from, list.replace.by);
      if (list.replace && name) {
        this.actions.push({
          action: list.replace.action,
          ...name,
          [list.replace.argument.name]: asInput(this.model, to, list.replace.argument) ?? null,
        });
        return;
      }
    }
    if (!list.append || !list.remove) return void this.impossible.push(path);
    this.remove(list, path, from);
    this.append(list, path, to);
  }
}

/** The argument that names an element: `{taxRateId: "…"}`. */
function nameOf(element: Json, by: ElementName[]): JsonObject | undefined {
  if (!isObject(element)) return undefined;
  const found = by.find((one) => typeof element[one.field] === 'string' || typeof element[one.field] === 'number');
  return found && { [found.argument]: element[found.field]! };
}

/** Whether two elements of a list are the same thing, perhaps changed. */
export function sameElement(a: Json, b: Json): boolean {
  if (!isObject(a) || !isObject(b)) return equal(a, b);
  if (a.typeId !== undefined) return a.typeId === b.typeId && a.id === b.id && a.key === b.key;
  for (const name of ['id', 'key', 'name']) {
    if (typeof a[name] === 'string' || typeof a[name] === 'number') return a[name] === b[name];
  }
  return equal(a, b);
}

/** A field that both sides of a conflict changed, or that only one did. */
export interface Difference {
  path: string;
  base: Json | undefined;
  mine: Json | undefined;
  theirs: Json | undefined;
  isBoth: boolean;
}

/** Whether a conflict is shown for the members of a value, and not for the value: an object with objects or lists inside. */
const isBranch = (value: Json | undefined): value is JsonObject =>
  isObject(value) &&
  value.typeId === undefined &&
  !isObject(value.type) &&
  Object.values(value).some((one) => typeof one === 'object' && one !== null);

/** Compares the operator's changes with the changes that were saved in the meantime, field by field. */
export function compareSides(base: JsonObject, mine: JsonObject, theirs: JsonObject, prefix = ''): Difference[] {
  const names = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)]);
  return [...names].flatMap((name): Difference[] => {
    if (OF_THE_SERVER.has(name)) return [];
    const [was, own, other] = [base[name], mine[name], theirs[name]];
    const byMe = !equal(was, own);
    const byThem = !equal(was, other);
    if (!byMe && !byThem) return [];
    const path = prefix + name;
    if (isBranch(was) && isBranch(own) && isBranch(other) && was.id === own.id && was.id === other.id)
      return compareSides(was, own, other, `${path}.`);
    return [{ path, base: was, mine: own, theirs: other, isBoth: byMe && byThem && !equal(own, other) }];
  });
}

/**
 * Returns the current document with the chosen changes of the operator. If `base`, the version before both changes, is given, the
 * changes that were saved in the meantime inside of a chosen value stay too.
 */
export function mergeSides(mine: JsonObject, theirs: JsonObject, takeMine: ReadonlySet<string>, base?: JsonObject): JsonObject {
  let merged = theirs;
  for (const path of takeMine) {
    const own = valueAt(mine, path);
    merged = withValueAt(merged, path, base ? mergeValues(valueAt(base, path), own, valueAt(theirs, path)) : own);
  }
  return merged;
}

/** Merges the changes of both sides in a value; where both changed the same part, the operator's change wins. */
function mergeValues(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): Json | undefined {
  if (equal(mine, base)) return theirs;
  if (equal(theirs, base)) return mine;
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(base, mine, theirs);
  if (!isObject(base) || !isObject(mine) || !isObject(theirs) || mine.typeId !== undefined) return mine;
  const merged: JsonObject = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeValues(base[name], mine[name], theirs[name]);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function mergeLists(base: Json[], mine: Json[], theirs: Json[]): Json[] {
  const find = (all: Json[], element: Json) => all.find((one) => sameElement(one, element));
  const kept = theirs.flatMap((element): Json[] => {
    const [was, own] = [find(base, element), find(mine, element)];
    if (own === undefined) return was === undefined ? [element] : [];
    return [mergeValues(was, own, element) ?? element];
  });
  const added = mine.filter((element) => find(theirs, element) === undefined && find(base, element) === undefined);
  return [...kept, ...added];
}
