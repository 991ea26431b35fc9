import { useState } from 'react';
import { useKind } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { AssociatePanel } from './AssociatePanel';
import {
  associateDraft,
  associatesOf,
  inheritedOf,
  queuedAt,
  roleName,
  useRoles,
  withChanges,
  type Associate,
} from './associates';
import { useUnitTexts } from './unit-texts';
import './customers.css';

/** Shows the associates of a unit with their roles. Changes are queued until the page is saved. */
export default function UnitAssociates({ document }: { kind: Kind; document: Document }) {
  const t = useUnitTexts();
  const { editing, mayUpdate, review } = useOpenDocument();
  const roles = useRoles(useKind('AssociateRole').mayView);
  const [edited, setEdited] = useState<Associate | 'new'>();
  const stored = associatesOf(document);
  const associates = withChanges(stored, editing.queued);
  const inherited = inheritedOf(document);
  /** Puts an action in place of an earlier one about the same associate. */
  const replace = (customerId: string, action: (JsonObject & { action: string }) | undefined) => {
    const before = queuedAt(editing.queued, customerId);
    if (before >= 0) editing.unqueue(before);
    if (action) editing.queue(action);
  };
  const apply = (associate: Associate) => {
    const isStored = stored.some(({ customerId }) => customerId === associate.customerId);
    replace(associate.customerId, {
      action: isStored ? 'changeAssociate' : 'addAssociate',
      associate: associateDraft(associate),
    });
    setEdited(undefined);
    review();
  };
  const remove = ({ customerId }: Associate) => {
    const isStored = stored.some((one) => one.customerId === customerId);
    replace(customerId, isStored ? { action: 'removeAssociate', customer: { typeId: 'customer', id: customerId } } : undefined);
  };
  const add = mayUpdate && (
    <Button icon="plus" onPress={() => setEdited('new')}>
      {t('addAssociate')}
    </Button>
  );
  return (
    <div className="stack">
      {associates.length === 0 && inherited.length === 0 ? (
        <EmptyState icon="customers" title={t('noAssociates')} action={add}>
          {t('noAssociatesHint')}
        </EmptyState>
      ) : (
        <>
          {associates.length > 0 && (
            <ul className="home-rows">
              {associates.map((associate) => (
                <AssociateRow
                  key={associate.customerId}
                  associate={associate}
                  roles={roles.data}
                  onEdit={mayUpdate ? () => setEdited(associate) : undefined}
                  onRemove={() => remove(associate)}
                />
              ))}
            </ul>
          )}
          {add && <div>{add}</div>}
        </>
      )}
      {inherited.length > 0 && (
        <section className="stack-small">
          <h2>{t('inherited')}</h2>
          <ul className="home-rows">
            {inherited.map((associate) => (
              <AssociateRow key={associate.customerId} associate={associate} roles={roles.data} onRemove={() => undefined} />
            ))}
          </ul>
        </section>
      )}
      {edited && (
        <AssociatePanel
          associate={edited === 'new' ? undefined : edited}
          roles={roles.data ?? []}
          taken={associates.map(({ customerId }) => customerId)}
          onApply={apply}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

/** The name of a customer, as far as the operator may read it. */
export function useCustomerName(): (customer: Document | null | undefined, id: string) => string {
  const { language } = usePreferences();
  const kind = useModel().kind('Customer');
  return (customer, id) => {
    if (!customer || !kind) return `…${id.slice(-8)}`;
    const name = [customer.firstName, customer.lastName].filter((part) => typeof part === 'string' && part !== '').join(' ');
    return name || titleOf(kind, customer, language);
  };
}

function AssociateRow({
  associate,
  roles,
  onEdit,
  onRemove,
}: {
  associate: Associate;
  roles: Document[] | undefined;
  onEdit?: () => void;
  onRemove: () => void;
}) {
  const t = useUnitTexts();
  const { kind, mayView } = useKind('Customer');
  const customer = useTarget(kind, { id: associate.customerId }, mayView);
  const name = useCustomerName()(customer.data, associate.customerId);
  return (
    <li className="home-row" data-removed={associate.change === 'removed' || undefined}>
      <span className="avatar" data-initials={name.slice(0, 1).toUpperCase()} />
      <span className="stack-tight grow">
        <span className="row wrap">
          <b>{name}</b>
          {associate.change && <Chip look="info">{associate.change === 'removed' ? t('removed') : t('pending')}</Chip>}
        </span>
        <span className="small">
          <Reference value={{ typeId: 'customer', id: associate.customerId }} compact />
        </span>
      </span>
      <span className="row wrap associate-roles">
        {associate.roles.map(({ role, isInherited, source }) => (
          <Chip key={`${role} ${source ?? ''}`} title={isInherited ? t('inherit') : undefined}>
            {roleName(roles, role)}
            {isInherited && ' ↓'}
            {source && ` · ${t('from', { name: source })}`}
          </Chip>
        ))}
      </span>
      {onEdit && (
        <span className="row address-buttons">
          <IconButton small icon="edit" label={t('editAssociate', { name })} onPress={onEdit} />
          <IconButton small icon="trash" label={t('removeAssociate', { name })} onPress={onRemove} />
        </span>
      )}
    </li>
  );
}
