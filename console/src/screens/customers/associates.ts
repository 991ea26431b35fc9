import { useQuery } from '@tanstack/react-query';
import type { Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, Json, JsonObject, UpdateAction } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';

export interface RoleAssignment {
  /** The key of the Associate Role. */
  role: string;
  isInherited: boolean;
  /** The key of the unit that gives an inherited role. */
  source?: string;
}

export interface Associate {
  customerId: string;
  roles: RoleAssignment[];
  /** The change that is queued until the page is saved. */
  change?: 'added' | 'changed' | 'removed';
}

const keyOf = (value: Json | undefined) => (isObject(value) ? String(value.key ?? value.id ?? '') : '');

function readAssociate(value: JsonObject): Associate {
  return {
    customerId: isObject(value.customer) ? String(value.customer.id) : '',
    roles: objectsOf(value.associateRoleAssignments).map((assignment) => ({
      role: keyOf(assignment.associateRole),
      isInherited: assignment.inheritance === 'Enabled',
      source: assignment.source === undefined ? undefined : keyOf(assignment.source),
    })),
  };
}

export const associatesOf = (unit: JsonObject): Associate[] => objectsOf(unit.associates).map(readAssociate);
export const inheritedOf = (unit: JsonObject): Associate[] => objectsOf(unit.inheritedAssociates).map(readAssociate);

/** An associate as update actions take it. */
export const associateDraft = ({ customerId, roles }: Associate): JsonObject => ({
  customer: { typeId: 'customer', id: customerId },
  associateRoleAssignments: roles.map(({ role, isInherited }) => ({
    associateRole: { typeId: 'associate-role', key: role },
    inheritance: isInherited ? 'Enabled' : 'Disabled',
  })),
});

const customerOf = ({ associate, customer }: UpdateAction): string => {
  const of = isObject(associate) ? associate.customer : customer;
  return isObject(of) ? String(of.id) : '';
};

/** Returns the associates with the queued changes applied. */
export function withChanges(stored: Associate[], queued: UpdateAction[]): Associate[] {
  const all = new Map(stored.map((associate) => [associate.customerId, associate]));
  for (const action of queued) {
    const id = customerOf(action);
    const before = all.get(id);
    if (action.action === 'removeAssociate' && before) all.set(id, { ...before, change: 'removed' });
    else if ((action.action === 'addAssociate' || action.action === 'changeAssociate') && isObject(action.associate))
      all.set(id, { ...readAssociate(action.associate), change: action.action === 'addAssociate' ? 'added' : 'changed' });
  }
  return [...all.values()];
}

/** Returns the index of a queued action about the same associate, or -1. */
export const queuedAt = (queued: UpdateAction[], customerId: string): number =>
  queued.findIndex((action) => /Associate$/.test(action.action) && customerOf(action) === customerId);

/** All Associate Roles. */
export function useRoles(enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'AssociateRole', 'list', 'all'],
    enabled,
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Document[]> =>
      (await client.request<Page>('associate-roles', { signal, query: { limit: 500, sort: 'key asc', withTotal: false } }))
        .results,
  });
}

export const roleName = (roles: Document[] | undefined, key: string): string => {
  const name = roles?.find((role) => role.key === key)?.name;
  return typeof name === 'string' && name ? name : key;
};
