import { useList } from '../../api/hooks';
import { shortText } from '../../model/display';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import type { Step } from './graph-layout';

const STATES_MAX = 500;

/** All States of the project. */
export function useStates(kind: Kind) {
  return useList(kind, { limit: STATES_MAX, sort: ['createdAt asc'], withTotal: false }, { live: true });
}

/** The ids of the States that may follow; `undefined`: any of the same type. */
export const followersOf = (state: JsonObject): string[] | undefined =>
  Array.isArray(state.transitions)
    ? state.transitions.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []))
    : undefined;

export const stateName = (state: Document, language: string): string =>
  shortText(state.name, language) ?? (typeof state.key === 'string' ? state.key : `…${state.id.slice(-8)}`);

export const toStep = (state: Document): Step => ({
  id: state.id,
  initial: state.initial === true,
  next: followersOf(state) ?? [],
});

/** A State with changes that are not saved. */
export function withChanges(
  state: Document,
  { transitions, initial }: { transitions?: Json | undefined; initial?: Json | undefined },
): Document {
  const next: Document = { ...state, initial: initial ?? false };
  if (transitions === undefined) delete next.transitions;
  else next.transitions = transitions;
  return next;
}
