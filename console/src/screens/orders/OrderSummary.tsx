import './orders.css';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useKind, useList } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { titleOf } from '../../model/display';
import { usePreferences } from '../../app/preferences';
import { IconButton } from '../../ui/Button';
import { Select } from '../../ui/Field';
import { Reference } from '../../ui/Reference';
import { EnumChip } from '../../ui/ValueCell';
import { DateTime, Money } from '../../ui/values';
import { AddressText } from './AddressText';
import { idOf, objectOf, textOfField } from './documents';
import { useOrderTexts } from './texts';

const AddressPanel = lazy(() => import('./AddressPanel'));

/** Who bought, for how much, where it goes, and its states. */
export default function OrderSummary({ kind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  return (
    <div className="order-summary">
      <div className="order-facts">
        <div className="stack">
          <Part label={t('total')}>
            <b className="order-total">
              <Money value={objectOf(document.taxedPrice)?.totalGross ?? document.totalPrice} />
            </b>
          </Part>
          <Part label={t('placed')}>
            <DateTime value={document.completedAt ?? document.createdAt} exact />
          </Part>
        </div>
        <Part label={t('customer')}>
          <Buyer document={document} />
        </Part>
        <Addresses document={document} />
      </div>
      <States kind={kind} document={document} />
    </div>
  );
}

export function Part({ label, children, action }: { label: string; children: ReactNode; action?: ReactNode }) {
  return (
    <section className="order-part">
      <div className="order-part-head">
        <h2>{label}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

/** The e-mail address, with the Customer and the company. */
export function Buyer({ document }: { document: JsonObject }) {
  const t = useOrderTexts();
  const id = textOfField(document.customerId) ?? idOf(document.customer);
  const { kind, mayView } = useKind('Customer');
  const { data } = useTarget(kind, { id }, mayView && id !== undefined);
  const name = [data?.firstName, data?.lastName].filter(Boolean).join(' ');
  const email = textOfField(document.customerEmail) ?? textOfField(data?.email);
  return (
    <div className="stack-small">
      {id ? (
        <Reference value={{ typeId: 'customer', id, ...(name ? { obj: { id, name } } : {}) }} compact />
      ) : (
        <span>{t('guest')}</span>
      )}
      {email && (name || !id) && (
        <a className="truncate order-email" href={`mailto:${email}`}>
          {email}
        </a>
      )}
      {objectOf(document.businessUnit) && <Reference value={document.businessUnit} compact />}
      {objectOf(document.store) && <Reference value={document.store} />}
    </div>
  );
}

type AddressName = 'shippingAddress' | 'billingAddress';

/** Both addresses, each with a form. */
export function Addresses({ document }: { document: JsonObject }) {
  const t = useOrderTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const [edited, setEdited] = useState<AddressName>();
  const one = (name: AddressName) => {
    const address = objectOf(editing.edited[name]) ?? objectOf(document[name]);
    return (
      <Part
        label={t(name)}
        action={
          mayUpdate && (
            <IconButton
              small
              icon="edit"
              label={t(name === 'shippingAddress' ? 'editShipping' : 'editBilling')}
              onPress={() => setEdited(name)}
            />
          )
        }
      >
        <AddressText address={address} />
      </Part>
    );
  };
  return (
    <>
      {one('shippingAddress')}
      {one('billingAddress')}
      {edited && (
        <Suspense>
          <AddressPanel name={edited} onClose={() => setEdited(undefined)} />
        </Suspense>
      )}
    </>
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
