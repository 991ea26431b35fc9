import { isReference, type ModelIndex } from './model';
import type { ActionDefinition, Field, Kind } from './types';
import { singular } from './values';

/** An action that replaces values: each argument the one at its path. */
export interface Setter {
  action: string;
  arguments: { name: string; path: string; field: Field }[];
}

/** Actions that change a list. */
export interface ListActions {
  append?: { action: string; argument: Field };
  remove?: { action: string; by: ElementName[]; argument?: Field };
  replace?: { action: string; by: ElementName[]; argument: Field };
  arrange?: { action: string; argument: string; by: string };
  elements: { action: string; by: ElementName[]; path: string; argument: Field }[];
}

/** An argument that names an element, and the field by which it does: `taxRateId` → `id`. */
export interface ElementName {
  argument: string;
  field: string;
}

/**
 * The paths that the update actions of a kind change. They come from the effects in the model; for actions without one, from the
 * names of the actions.
 */
export class Effects {
  readonly setters = new Map<string, Setter>();
  readonly lists = new Map<string, ListActions>();
  readonly customTypes = new Map<string, string>();
  readonly customFields = new Map<string, string>();

  constructor(
    private readonly model: ModelIndex,
    private readonly kind: Kind,
  ) {
    for (const action of kind.actions) if (action.effect) this.addEffect(action);
    const free = kind.actions.filter((action) => !action.effect);
    for (const field of model.fieldsOf(kind.type)) this.guess(field, field.name, free);
    const ofSides = free.filter((action) => action.fields.some((field) => field.name === 'staged'));
    for (const { path, type } of stagedSides(model, kind))
      for (const field of model.fieldsOf(type)) this.guess(field, `${path}.${field.name}`, ofSides);
  }

  private listAt(path: string): ListActions {
    const found = this.lists.get(path) ?? { elements: [] };
    this.lists.set(path, found);
    return found;
  }

  private addEffect(action: ActionDefinition): void {
    const effect = action.effect!;
    if (effect.element) {
      const by = effect.element.by.map(elementName);
      const names = new Set(effect.element.by);
      if (effect.verb !== 'set') return;
      const rest = action.fields.filter((field) => !names.has(field.name));
      const [argument] = rest;
      if (rest.length === 1 && argument)
        this.listAt(effect.element.path).elements.push({
          action: action.name,
          by,
          path: effect.to?.[argument.name] ?? argument.name,
          argument,
        });
      return;
    }
    const at = effect.path ?? '';
    if (effect.verb === 'customType') this.customTypes.set(at || 'custom', action.name);
    else if (effect.verb === 'customField') this.customFields.set(at || 'custom', action.name);
    else if (effect.verb === 'set') {
      const setter: Setter = {
        action: action.name,
        arguments: action.fields.map((field) => ({
          name: field.name,
          field,
          path: [...(at ? [at] : []), effect.to?.[field.name] ?? field.name].join('.'),
        })),
      };
      for (const { path } of setter.arguments) {
        const other = this.setters.get(path);
        if (!other || other.arguments.length > setter.arguments.length) this.setters.set(path, setter);
      }
    } else if (effect.verb === 'append') {
      const argument = action.fields.find((field) => field.name !== 'position');
      if (argument) this.listAt(at).append = { action: action.name, argument };
    } else if (effect.verb === 'remove') {
      const names = new Set(effect.by ?? []);
      this.listAt(at).remove = {
        action: action.name,
        by: (effect.by ?? []).map(elementName),
        argument: action.fields.find((field) => !names.has(field.name)),
      };
    } else if (effect.verb === 'arrange' && action.fields[0]) {
      this.listAt(at).arrange = { action: action.name, argument: action.fields[0].name, by: effect.by?.[0] ?? 'id' };
    }
  }

  /** Finds actions with behaviour of their own by name: `setX` or `changeX` for a field `x`; `addY`, `changeY`, `removeY` for a list `ys`. */
  private guess(field: Field, path: string, free: ActionDefinition[]): void {
    if (field.readOnly) return;
    if (!this.setters.has(path) && field.type !== 'CustomFields') {
      const setter =
        free.map((action) => guessSetter(action, field, path)).find((found) => found !== undefined) ??
        (path === field.name ? this.guessByBeginning(free, field) : undefined);
      if (setter) this.setters.set(path, setter);
    }
    if (field.list !== 1) return;
    const known = this.lists.get(path);
    const one = singular(known?.append?.argument.name ?? field.name);
    const named = (...verbs: string[]) => free.find((action) => verbs.some((verb) => same(action.name, verb + one)));
    const guessed: ListActions = known ?? { elements: [] };
    const add = known?.append ? undefined : named('add', 'addTo');
    const isObjects = this.model.type(field.type) !== undefined || isReference(field);
    const argument = add?.fields.find((candidate) =>
      isObjects ? this.model.type(candidate.type) !== undefined || isReference(candidate) : !isElementName(candidate, one),
    );
    if (add && argument && add.fields.filter((candidate) => candidate.required && candidate !== argument).length === 0)
      guessed.append = { action: add.name, argument };
    const remove = known?.remove ? undefined : named('remove', 'removeFrom');
    if (remove) {
      const by = remove.fields
        .filter((candidate) => isElementName(candidate, one))
        .map((candidate) => elementName(candidate.name));
      guessed.remove = { action: remove.name, by, argument: by.length > 0 ? undefined : remove.fields[0] };
    }
    const replace = named('replace', 'change', 'update');
    const whole = replace?.fields.find((candidate) => candidate.type === guessed.append?.argument.type);
    if (replace && whole && replace.fields.length > 1) {
      guessed.replace = {
        action: replace.name,
        argument: whole,
        by: replace.fields.filter((candidate) => candidate !== whole).map((candidate) => elementName(candidate.name)),
      };
    }
    if (guessed.append || guessed.remove || guessed.replace) this.lists.set(path, guessed);
  }

  /** `changeQuantity(quantity)` for `quantityOnStock`, if no other field begins so. */
  private guessByBeginning(free: ActionDefinition[], field: Field): Setter | undefined {
    for (const action of free) {
      const tail = action.name.match(/^(?:set|change)([A-Z].*)$/)?.[1]?.toLowerCase();
      const [argument] = action.fields;
      if (
        !tail ||
        !argument ||
        action.fields.length !== 1 ||
        argument.type !== field.type ||
        argument.list !== field.list ||
        !same(argument.name, tail)
      )
        continue;
      const begun = this.model.fieldsOf(this.kind.type).filter((other) => other.name.toLowerCase().startsWith(tail));
      if (begun.length === 1 && begun[0] === field)
        return { action: action.name, arguments: [{ name: argument.name, path: field.name, field: argument }] };
    }
    return undefined;
  }

  /** Whether an action changes the value at a path as a whole. */
  private isChangedWhole(path: string): boolean {
    if (this.setters.has(path) || this.customTypes.has(path)) return true;
    const list = this.lists.get(path);
    return !!list && (!!list.append || !!list.remove || !!list.replace || list.elements.length > 0);
  }

  /** Whether the form may change the value at a path, or something below. */
  isEditable(path: string): boolean {
    if (this.isChangedWhole(path)) return true;
    for (const known of this.setters.keys()) if (known.startsWith(`${path}.`)) return true;
    return false;
  }

  /** Whether the form may change the value at a path by itself, or as a part of a value that is changed as a whole. */
  mayEdit(path: string): boolean {
    const names = path.split('.');
    return this.isEditable(path) || names.some((_, at) => at > 0 && this.isChangedWhole(names.slice(0, at).join('.')));
  }

  /** The path of the value that an action sets, e.g. of `setDescription`. */
  pathSetBy(action: string): string | undefined {
    for (const [path, setter] of this.setters) if (setter.action === action && setter.arguments.length === 1) return path;
    return undefined;
  }
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Objects with a published and a staged side: actions with an argument `staged` change the latter. */
function stagedSides(model: ModelIndex, kind: Kind): { path: string; type: string }[] {
  const out: { path: string; type: string }[] = [];
  const visit = (type: string, prefix: string) => {
    const fields = model.fieldsOf(type);
    const [current, staged] = ['current', 'staged'].map((name) => fields.find((field) => field.name === name));
    if (current && staged && current.type === staged.type) out.push({ path: `${prefix}staged`, type: staged.type });
  };
  visit(kind.type, '');
  for (const field of model.fieldsOf(kind.type))
    if (field.list === 0 && !field.readOnly && !isReference(field)) visit(field.type, `${field.name}.`);
  return out;
}

function guessSetter(action: ActionDefinition, field: Field, path: string): Setter | undefined {
  const tail = action.name.match(/^(?:set|change|transition|update)([A-Z].*)$/)?.[1];
  const argument =
    action.fields.find((candidate) => candidate.name === field.name) ??
    (action.fields.length === 1 && tail && same(tail, field.name) ? action.fields[0] : undefined);
  if (!tail || !argument || argument.list !== field.list) return undefined;
  if (!same(tail, field.name) && argument.name !== field.name) return undefined;
  if (action.fields.some((candidate) => candidate !== argument && (candidate.required || /(Id|Key)$/.test(candidate.name))))
    return undefined;
  return { action: action.name, arguments: [{ name: argument.name, path, field: argument }] };
}

function elementName(argument: string): ElementName {
  const suffix = argument.match(/(Id|Key|Name)$/)?.[1] ?? argument;
  return { argument, field: suffix.charAt(0).toLowerCase() + suffix.slice(1) };
}

const isElementName = (field: Field, one: string) =>
  field.type === 'String' && [`${one}Id`, `${one}Key`, `${one}Name`, 'id', 'key'].some((name) => same(field.name, name));

const known = new WeakMap<Kind, Effects>();
export function effectsOf(model: ModelIndex, kind: Kind): Effects {
  let effects = known.get(kind);
  if (!effects) known.set(kind, (effects = new Effects(model, kind)));
  return effects;
}
