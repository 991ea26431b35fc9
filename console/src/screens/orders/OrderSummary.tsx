import './orders.css';
import { useKind, useList } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { titleOf } from '../../model/display';
import { usePreferences } from '../../app/preferences';
import { Select } from '../../ui/Field';
import { Reference } from '../../ui/Reference';
import { EnumChip } from '../../ui/ValueCell';
import { DateTime } from '../../ui/values';
import { idOf, textOfField } from './documents';
import { OrderFacts, Part } from './OrderFacts';
import { useOrderTexts } from './texts';

/** Shows the customer of an Order, its cost, its address and its states. */
export default function OrderSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  return (
    <div className="order-summary">
      <OrderFacts
        document={document}
        time={{ label: t('placed'), content: <DateTime value={document.completedAt ?? document.createdAt} exact /> }}
      />
      <States kind={kind} document={document} />
    </div>
  );
}

const STATES = ['orderState', 'paymentState', 'shipmentState'] as const;

/** The states of an Order, each to be changed in place. */
function States({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const fields = model.fieldsOf(kind.type);
  return (
    <div className="order-states">
      {STATES.map((name) => {
        const value = textOfField(editing.edited[name]);
        const allowed = model.enumOf(fields.find((field) => field.name === name)?.type ?? '') ?? [];
        if (!mayUpdate) return value && <Part key={name} label={t(name)} children={<EnumChip value={value} />} />;
        return (
          <Select
            key={name}
            small
            label={t(name)}
            value={value ?? null}
            placeholder={t('notSet')}
            changed={editing.edited[name] !== document[name]}
            options={allowed.map((id) => ({ id, label: id }))}
            onChange={(next) => editing.setField(name, next)}
          />
        );
      })}
      <WorkflowState type="OrderState" />
    </div>
  );
}

/** The State of a workflow: only those that the transitions allow. */
export function WorkflowState({ type }: { type: string }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const { kind, mayView } = useKind('State');
  const { editing, mayUpdate } = useOpenDocument();
  const current = idOf(editing.document.state);
  const chosen = idOf(editing.edited.state);
  const states = useList(kind!, { where: `type = "${type}"`, limit: 500, withTotal: false }, { enabled: !!kind && mayView }).data
    ?.results;
  if (!kind || !states || states.length === 0) return null;
  const from = states.find((state) => state.id === current);
  const next = Array.isArray(from?.transitions) ? from.transitions.map((one) => idOf(one)) : undefined;
  const options = states.filter((state) =>
    state.id === current || state.id === chosen ? true : current ? (next?.includes(state.id) ?? true) : state.initial !== false,
  );
  if (!mayUpdate)
    return current ? <Part label={t('workflow')} children={<Reference value={editing.document.state} compact />} /> : null;
  return (
    <Select
      small
      label={t('workflow')}
      value={chosen ?? null}
      placeholder={t('notSet')}
      changed={chosen !== current}
      options={options.map((state) => ({ id: state.id, label: titleOf(kind, state, language) }))}
      onChange={(id) => editing.setField('state', { typeId: 'state', id })}
    />
  );
}
