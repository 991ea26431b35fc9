import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../api/client';
import type { Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, Json, JsonObject } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { associatesOf, inheritedOf, type Associate } from './associates';

const roleKeyOf = (value: JsonObject): string => (isObject(value.associateRole) ? String(value.associateRole.key ?? '') : '');

/** The keys of the roles in a list of approvers or requesters. */
export const roleKeys = (value: Json | undefined): string[] => [...new Set(objectsOf(value).map(roleKeyOf))];

/** Approvals are below an associate of the unit. */
const pathFor = (unit: Document, associateId: string) =>
  `as-associate/${associateId}/in-business-unit/key=${encodeURIComponent(String(unit.key))}`;

/** All who act for a unit: its own associates and those of units above. */
export function allAssociates(unit: Document): Associate[] {
  const all = new Map<string, Associate>();
  for (const associate of [...associatesOf(unit), ...inheritedOf(unit)]) {
    const known = all.get(associate.customerId);
    all.set(associate.customerId, known ? { ...known, roles: [...known.roles, ...associate.roles] } : associate);
  }
  return [...all.values()];
}

/** The rules of a unit and the flows of its orders, read in the name of an associate. */
export function useApprovals(unit: Document, enabled: boolean) {
  const client = useClient();
  const reader = allAssociates(unit)[0]?.customerId;
  return useQuery({
    queryKey: [client.project, 'ApprovalFlow', 'list', unit.id, unit.version],
    enabled: enabled && reader !== undefined,
    queryFn: async ({ signal }) => {
      const path = pathFor(unit, reader!);
      const [rules, flows] = await Promise.all([
        client.request<Page>(`${path}/approval-rules`, { signal, query: { limit: 100, withTotal: false } }),
        client.request<Page>(`${path}/approval-flows`, {
          signal,
          query: { sort: 'createdAt desc', limit: 100, withTotal: false },
        }),
      ]);
      return { rules: rules.results, flows: flows.results };
    },
  });
}

/** The associates whose roles may decide a flow now. */
export function decidersOf(unit: Document, flow: Document): Associate[] {
  const wanted = new Set(roleKeys(flow.currentTierPendingApprovers));
  return allAssociates(unit).filter(({ roles }) => roles.some(({ role }) => wanted.has(role)));
}

export function decideFlow(
  client: Client,
  unit: Document,
  flow: Document,
  associateId: string,
  action: JsonObject,
): Promise<Document> {
  return client.request<Document>(`${pathFor(unit, associateId)}/approval-flows/${flow.id}`, {
    method: 'POST',
    body: { version: flow.version, actions: [action] },
  });
}

/** The tiers of a rule: in each, groups of which one approves. */
export const tiersOf = (rule: JsonObject): string[][][] =>
  objectsOf(isObject(rule.approvers) ? rule.approvers.tiers : undefined).map((tier) =>
    objectsOf(tier.and).map((choice) => objectsOf(choice.or).map(roleKeyOf)),
  );
