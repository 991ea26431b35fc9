import './orders.css';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useKind } from '../../api/hooks';
import { useTarget } from '../../api/references';
import { useOpenDocument } from '../../detail/editing';
import type { JsonObject } from '../../model/types';
import { objectOf } from '../../model/values';
import { IconButton } from '../../ui/Button';
import { Reference } from '../../ui/Reference';
import { Money } from '../../ui/values';
import { AddressText } from './AddressText';
import { idOf, textOfField } from './documents';
import { useOrderTexts } from './texts';

const AddressPanel = lazy(() => import('./AddressPanel'));

/** Shows the cost of an Order or a Cart, a time, its customer and its address. */
export function OrderFacts({ document, time }: { document: JsonObject; time: { label: string; content: ReactNode } }) {
  const t = useOrderTexts();
  return (
    <div className="order-facts">
      <div className="stack">
        <Part label={t('total')}>
          <b className="order-total">
            <Money value={objectOf(document.taxedPrice)?.totalGross ?? document.totalPrice} />
          </b>
        </Part>
        <Part label={time.label}>{time.content}</Part>
      </div>
      <Part label={t('customer')}>
        <Buyer document={document} />
      </Part>
      <Addresses document={document} />
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
