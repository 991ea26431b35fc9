import { useState } from 'react';
import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { useTarget } from '../../api/references';
import { paths } from '../../app/paths';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { EnumChip } from '../../ui/ValueCell';
import { useWords } from '../../ui/texts';
import { DateTime, Money } from '../../ui/values';
import { allAssociates, roleKeys, tiersOf, useApprovals } from './approvals';
import { roleName, useRoles } from './associates';
import { DecidePanel } from './DecidePanel';
import { useCustomerName } from './UnitAssociates';
import { useUnitTexts } from './unit-texts';
import './customers.css';

/** Orders of a unit that wait for approval, and the rules that say so. */
export default function UnitApprovals({ document }: { kind: Kind; document: Document }) {
  const t = useUnitTexts();
  const words = useWords();
  const { mayView } = useKind('ApprovalFlow');
  const mayDecide = useKind('ApprovalFlow').mayManage;
  const approvals = useApprovals(document, mayView);
  const roles = useRoles(useKind('AssociateRole').mayView).data;
  const [decided, setDecided] = useState<Document>();
  if (!mayView) return <EmptyState icon="key" title={words('noAccess')} />;
  if (allAssociates(document).length === 0)
    return (
      <EmptyState icon="customers" title={t('noAssociates')}>
        {t('nobodyReads')}
      </EmptyState>
    );
  if (approvals.error) return <ErrorState error={approvals.error} onRetry={() => void approvals.refetch()} />;
  if (!approvals.data) return <Skeleton lines={5} />;
  const { flows, rules } = approvals.data;
  const waiting = flows.filter((flow) => flow.status === 'Pending');
  const done = flows.filter((flow) => flow.status !== 'Pending');
  return (
    <div className="stack-large">
      <section className="stack-small">
        <h2>{t('waiting')}</h2>
        {waiting.length === 0 ? (
          <EmptyState icon="check" title={t('noFlows')}>
            {t('noFlowsHint')}
          </EmptyState>
        ) : (
          <ul className="home-rows">
            {waiting.map((flow) => (
              <FlowRow key={flow.id} flow={flow} roles={roles} onDecide={mayDecide ? () => setDecided(flow) : undefined} />
            ))}
          </ul>
        )}
      </section>
      {done.length > 0 && (
        <section className="stack-small">
          <h2>{t('decided')}</h2>
          <ul className="home-rows">
            {done.map((flow) => (
              <FlowRow key={flow.id} flow={flow} roles={roles} />
            ))}
          </ul>
        </section>
      )}
      <section className="stack-small">
        <h2>{t('rules')}</h2>
        {rules.length === 0 ? (
          <p className="muted">{t('noRulesYet')}</p>
        ) : (
          <ul className="home-rows">
            {rules.map((rule) => (
              <RuleRow key={rule.id} rule={rule} roles={roles} />
            ))}
          </ul>
        )}
      </section>
      {decided && (
        <DecidePanel
          unit={document}
          flow={decided}
          roles={roles ?? []}
          onClose={() => setDecided(undefined)}
          onDone={() => {
            setDecided(undefined);
            void approvals.refetch();
          }}
        />
      )}
    </div>
  );
}

/** The order of a flow, and its name: the number if it has one. */
export function useOrderOf(flow: JsonObject): { id: string; name: string; order: Document | undefined } {
  const { kind, mayView } = useKind('Order');
  const id = isObject(flow.order) ? String(flow.order.id) : '';
  const { data } = useTarget(kind, { id }, mayView);
  return { id, name: String(data?.orderNumber ?? `…${id.slice(-8)}`), order: data ?? undefined };
}

function FlowRow({ flow, roles, onDecide }: { flow: Document; roles: Document[] | undefined; onDecide?: () => void }) {
  const t = useUnitTexts();
  const { key } = useProject();
  const orders = useKind('Order');
  const { id, name, order } = useOrderOf(flow);
  const waitsFor = roleKeys(flow.currentTierPendingApprovers).map((role) => roleName(roles, role));
  const rules = Array.isArray(flow.rules) ? flow.rules.filter(isObject).map((rule) => String(rule.name)) : [];
  const approvals = Array.isArray(flow.approvals) ? flow.approvals.filter(isObject) : [];
  const rejection = isObject(flow.rejection) ? flow.rejection : undefined;
  return (
    <li className="home-row">
      <span className="stack-tight grow">
        <span className="row wrap">
          {orders.kind && orders.mayView ? (
            <Link href={paths.document(key, orders.kind, id)} className="cell-title">
              {t('order')} {name}
            </Link>
          ) : (
            <b>
              {t('order')} {name}
            </b>
          )}
          <EnumChip value={String(flow.status)} />
        </span>
        <span className="muted small">
          <DateTime value={flow.createdAt} /> · {rules.join(', ')}
          {flow.status === 'Pending' && waitsFor.length > 0 && ` · ${t('waitsFor', { roles: waitsFor.join(', ') })}`}
        </span>
        {approvals.map((approval, at) => (
          <Decision key={at} text="approvedBy" by={approval.approver} at={approval.approvedAt} />
        ))}
        {rejection && <Decision text="rejectedBy" by={rejection.rejecter} at={rejection.rejectedAt} reason={rejection.reason} />}
      </span>
      <span className="home-amount">
        <Money value={order?.totalPrice} />
      </span>
      {onDecide && (
        <Button small onPress={onDecide} aria-label={`${t('decide')}: ${name}`}>
          {t('decide')}
        </Button>
      )}
    </li>
  );
}

function Decision({
  text,
  by,
  at,
  reason,
}: {
  text: 'approvedBy' | 'rejectedBy';
  by: Json | undefined;
  at: Json | undefined;
  reason?: Json;
}) {
  const t = useUnitTexts();
  const { kind, mayView } = useKind('Customer');
  const id = isObject(by) && isObject(by.customer) ? String(by.customer.id) : '';
  const customer = useTarget(kind, { id }, mayView && id !== '');
  const name = useCustomerName()(customer.data, id);
  return (
    <span className="small">
      {t(text, { name })} · <DateTime value={at} />
      {typeof reason === 'string' && `: ${reason}`}
    </span>
  );
}

function RuleRow({ rule, roles }: { rule: Document; roles: Document[] | undefined }) {
  const t = useUnitTexts();
  const requesters = roleKeys(rule.requesters).map((role) => roleName(roles, role));
  const tiers = tiersOf(rule).map((tier) =>
    tier.map((choice) => choice.map((role) => roleName(roles, role)).join(' / ')).join(' + '),
  );
  return (
    <li className="home-row">
      <span className="stack-tight grow">
        <span className="row wrap">
          <b>{String(rule.name)}</b>
          <EnumChip value={String(rule.status)} />
        </span>
        <code className="small">{String(rule.predicate)}</code>
        <span className="muted small">
          {t('of', { roles: requesters.join(', ') })} · {t('approvers')} {tiers.join(`, ${t('then')} `)}
        </span>
      </span>
    </li>
  );
}
