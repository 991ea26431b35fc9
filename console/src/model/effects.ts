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

/** Which update actions of a kind change what. Read from the effects in the model; for actions without one, from their names. */
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
    for (const field of model.fieldsOf(kind.type)) this.guess(field);
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
  private guess(field: Field): void {
    const free = this.kind.actions.filter((action) => !action.effect);
    if (field.readOnly) return;
    if (!this.setters.has(field.name) && field.type !== 'CustomFields') {
      const setter =
        free.map((action) => guessSetter(action, field)).find((found) => found !== undefined) ??
        this.guessByBeginning(free, field);
      if (setter) this.setters.set(field.name, setter);
    }
    if (field.list !== 1) return;
    const known = this.lists.get(field.name);
    const one = singular(known?.append?.argument.name ?? field.name);
    const named = (...verbs: string[]) => free.find((action) => verbs.some((verb) => same(action.name, verb + one)));
    const guessed: ListActions = known ?? { elements: [] };
    const add = known?.append ? undefined : named('add');
    const argument = add?.fields.find(
      (candidate) => this.model.type(candidate.type) !== undefined || isReference(candidate) || !isElementName(candidate, one),
    );
    if (add && argument && add.fields.filter((candidate) => candidate.required && candidate !== argument).length === 0)
      guessed.append = { action: add.name, argument };
    const remove = known?.remove ? undefined : named('remove');
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
    if (guessed.append || guessed.remove || guessed.replace) this.lists.set(field.name, guessed);
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

  /** Whether the form may change the value at a path. */
  isEditable(path: string): boolean {
    if (this.setters.has(path) || this.customTypes.has(path)) return true;
    const list = this.lists.get(path);
    if (list && (list.append || list.remove || list.replace || list.elements.length > 0)) return true;
    for (const known of this.setters.keys()) if (known.startsWith(`${path}.`)) return true;
    return false;
  }
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function guessSetter(action: ActionDefinition, field: Field): Setter | undefined {
  const tail = action.name.match(/^(?:set|change|transition|update)([A-Z].*)$/)?.[1];
  const argument =
    action.fields.find((candidate) => candidate.name === field.name) ??
    (action.fields.length === 1 && tail && same(tail, field.name) ? action.fields[0] : undefined);
  if (!tail || !argument || argument.list !== field.list) return undefined;
  if (!same(tail, field.name) && argument.name !== field.name) return undefined;
  if (action.fields.some((candidate) => candidate !== argument && (candidate.required || /(Id|Key)$/.test(candidate.name))))
    return undefined;
  return { action: action.name, arguments: [{ name: argument.name, path: field.name, field: argument }] };
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
