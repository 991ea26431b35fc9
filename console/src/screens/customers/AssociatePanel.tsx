import { useState } from 'react';
import { useKind } from '../../api/hooks';
import type { Document, JsonObject } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Checkbox, Select } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import { roleName, type Associate, type RoleAssignment } from './associates';
import { useUnitTexts } from './unit-texts';

const ROLES_MAX = 5;

/** The roles of an associate; of a new one also the customer. */
export function AssociatePanel({
  associate,
  roles,
  taken,
  onApply,
  onClose,
}: {
  associate?: Associate;
  roles: Document[];
  taken: string[];
  onApply: (associate: Associate) => void;
  onClose: () => void;
}) {
  const t = useUnitTexts();
  const words = useWords();
  const customers = useKind('Customer').kind;
  const [customer, setCustomer] = useState<JsonObject | undefined>(associate && { typeId: 'customer', id: associate.customerId });
  const first: RoleAssignment[] = roles[0] ? [{ role: String(roles[0].key), isInherited: true }] : [];
  const [rows, setRows] = useState(associate?.roles ?? first);
  const set = (at: number, change: Partial<RoleAssignment>) =>
    setRows(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  const free = roles.filter((role) => !rows.some((row) => row.role === role.key));
  const id = typeof customer?.id === 'string' ? customer.id : undefined;
  const isTaken = !associate && id !== undefined && taken.includes(id);
  return (
    <Panel
      title={associate ? t('roles') : t('addAssociate')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button
            look="primary"
            isDisabled={!id || isTaken || rows.length === 0}
            onPress={() => id && onApply({ customerId: id, roles: rows })}
          >
            {t('apply')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {associate ? (
          <Reference value={customer} compact />
        ) : (
          customers && (
            <ReferencePicker label={t('customer')} required kinds={[customers]} value={customer} onChange={setCustomer} />
          )
        )}
        {roles.length === 0 && <Banner look="warning">{t('noRoles')}</Banner>}
        <h3>{t('roles')}</h3>
        {rows.map((row, at) => (
          <div key={row.role} className="stack-small associate-role">
            <div className="row">
              <div className="grow">
                <Select
                  aria-label={t('role')}
                  value={row.role}
                  options={[row.role, ...free.map((role) => String(role.key))].map((key) => ({
                    id: key,
                    label: roleName(roles, key),
                  }))}
                  onChange={(role) => set(at, { role })}
                />
              </div>
              <IconButton
                icon="trash"
                label={t('removeRole', { name: roleName(roles, row.role) })}
                isDisabled={rows.length === 1}
                onPress={() => setRows(rows.filter((_, index) => index !== at))}
              />
            </div>
            <Checkbox isSelected={row.isInherited} onChange={(isInherited) => set(at, { isInherited })}>
              {t('inheritHint')}
            </Checkbox>
          </div>
        ))}
        {free.length > 0 && rows.length < ROLES_MAX && (
          <div>
            <Button small icon="plus" onPress={() => setRows([...rows, { role: String(free[0]!.key), isInherited: false }])}>
              {t('addRole')}
            </Button>
          </div>
        )}
      </div>
    </Panel>
  );
}
