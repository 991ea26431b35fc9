import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKind } from '../../api/hooks';
import { useClient } from '../../api/project';
import { useTarget } from '../../api/references';
import type { Document, JsonObject } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { FieldGroup, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { decideFlow, decidersOf, roleKeys } from './approvals';
import { roleName, type Associate } from './associates';
import { useOrderOf } from './UnitApprovals';
import { useCustomerName } from './UnitAssociates';
import { useUnitTexts } from './unit-texts';

/** Approves or rejects an order in the name of an associate who may. */
export function DecidePanel({
  unit,
  flow,
  roles,
  onClose,
  onDone,
}: {
  unit: Document;
  flow: Document;
  roles: Document[];
  onClose: () => void;
  onDone: () => void;
}) {
  const t = useUnitTexts();
  const words = useWords();
  const client = useClient();
  const cache = useQueryClient();
  const { name } = useOrderOf(flow);
  const wanted = roleKeys(flow.currentTierPendingApprovers);
  const deciders = decidersOf(unit, flow);
  const mayDecide = (associate: Associate) =>
    associate.roles.some(
      ({ role }) => wanted.includes(role) && (roles.length === 0 || permissionsOf(roles, role).includes('UpdateApprovalFlows')),
    );
  const [by, setBy] = useState(deciders.find(mayDecide)?.customerId ?? deciders[0]?.customerId);
  const [decision, setDecision] = useState<DecisionName>('approve');
  const [reason, setReason] = useState('');
  const action: JsonObject =
    decision === 'approve' ? { action: 'approve' } : { action: 'reject', ...(reason.trim() ? { reason: reason.trim() } : {}) };
  const decide = useMutation({
    mutationFn: () => decideFlow(client, unit, flow, by!, action),
    onSuccess: () => {
      notify({ look: 'success', text: decision === 'approve' ? t('approved') : t('rejected') });
      void cache.invalidateQueries({ queryKey: [client.project, 'Order'] });
      onDone();
    },
  });
  const chosen = deciders.find(({ customerId }) => customerId === by);
  const isAllowed = chosen !== undefined && mayDecide(chosen);
  return (
    <Panel
      title={t('decideTitle', { name: name })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button
            look={decision === 'approve' ? 'primary' : 'danger'}
            onPress={() => decide.mutate()}
            isPending={decide.isPending}
            isDisabled={!isAllowed}
          >
            {t(decision)}
          </Button>
        </>
      }
    >
      <div className="stack">
        {decide.error && <Banner look="danger">{decide.error.message}</Banner>}
        {deciders.length === 0 ? (
          <Banner look="warning">{t('nobody', { roles: wanted.map((role) => roleName(roles, role)).join(', ') })}</Banner>
        ) : (
          <>
            <DecisionChoice value={decision} onChange={setDecision} />
            {decision === 'reject' && <TextField label={t('reason')} multiline value={reason} onChange={setReason} />}
            <FieldGroup label={t('actAs')} hint={t('actAsHint')}>
              <div className="decisions" role="radiogroup" aria-label={t('actAs')}>
                {deciders.map((associate) => (
                  <Decider
                    key={associate.customerId}
                    associate={associate}
                    roles={roles}
                    wanted={wanted}
                    isChosen={associate.customerId === by}
                    isAllowed={mayDecide(associate)}
                    onChoose={() => setBy(associate.customerId)}
                  />
                ))}
              </div>
            </FieldGroup>
            <FieldGroup label={t('action')}>
              <pre className="snippet" tabIndex={0}>
                {JSON.stringify(action, null, 2)}
              </pre>
            </FieldGroup>
          </>
        )}
      </div>
    </Panel>
  );
}

type DecisionName = 'approve' | 'reject';

function DecisionChoice({ value, onChange }: { value: DecisionName; onChange: (value: DecisionName) => void }) {
  const t = useUnitTexts();
  return (
    <div className="decisions" role="radiogroup" aria-label={t('decide')}>
      {(['approve', 'reject'] as const).map((one) => (
        <label key={one} className="decision" data-chosen={value === one || undefined}>
          <input type="radio" name="decision" checked={value === one} onChange={() => onChange(one)} />
          <span className="stack-tight">
            <b>{t(one)}</b>
            <span className="muted small">{one === 'approve' ? t('approveHint') : t('rejectHint')}</span>
          </span>
        </label>
      ))}
    </div>
  );
}

const permissionsOf = (roles: Document[], key: string): string[] => {
  const permissions = roles.find((role) => role.key === key)?.permissions;
  return Array.isArray(permissions) ? permissions.map(String) : [];
};

function Decider({
  associate,
  roles,
  wanted,
  isChosen,
  isAllowed,
  onChoose,
}: {
  associate: Associate;
  roles: Document[];
  wanted: string[];
  isChosen: boolean;
  isAllowed: boolean;
  onChoose: () => void;
}) {
  const t = useUnitTexts();
  const { kind, mayView } = useKind('Customer');
  const customer = useTarget(kind, { id: associate.customerId }, mayView);
  const name = useCustomerName()(customer.data, associate.customerId);
  const role = associate.roles.find((one) => wanted.includes(one.role))?.role ?? '';
  return (
    <label className="decision" data-chosen={isChosen || undefined}>
      <input type="radio" name="decider" checked={isChosen} onChange={onChoose} />
      <span className="stack-tight">
        <b>{name}</b>
        <span className="muted small">
          {isAllowed ? roleName(roles, role) : t('noPermission', { role: roleName(roles, role) })}
        </span>
      </span>
    </label>
  );
}
