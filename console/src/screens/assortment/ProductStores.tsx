import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useClient, useProject } from '../../api/project';
import { readBy } from '../../api/read-by';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectOf } from '../../model/values';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { useWords } from '../../ui/texts';
import { activeSelections, offerOf, type Offer } from './offers';
import { StatusChips } from './StatusChips';
import { useAssortmentTexts } from './texts';
import './assortment.css';

const STORES_MAX = 500;
const LOOKS = { all: 'success', some: 'warning', none: 'neutral' } as const;
const TEXTS = { all: 'offered', some: 'offeredPartly', none: 'notOffered' } as const;

/** The assignments of a Product, and the Product Selections that Stores use. */
function useSelections(productId: string, stores: Document[] | undefined, enabled: boolean) {
  const client = useClient();
  const ids = [...new Set((stores ?? []).flatMap(activeSelections).map((reference) => String(reference.id)))].sort();
  return useQuery({
    queryKey: [client.project, 'ProductSelection', 'list', 'of', productId, ids],
    enabled: enabled && stores !== undefined,
    queryFn: async ({ signal }) => {
      const [page, selections] = await Promise.all([
        client.request<{ results: JsonObject[] }>(`products/${productId}/product-selections`, { signal, query: { limit: 500 } }),
        readBy(client, 'product-selections', 'id', ids),
      ]);
      return { assignments: page.results, selections: new Map(selections.map((one) => [one.id, one])) };
    },
  });
}

/** Shows the Stores that offer the Product, by which Product Selections, and which of them tailor it. */
export default function ProductStores({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const words = useWords();
  const { kind: storeKind, mayView } = useKind('Store');
  const tailoring = useKind('ProductTailoring');
  const selection = useKind('ProductSelection');
  const stores = useList(storeKind!, { limit: STORES_MAX, withTotal: false }, { enabled: !!storeKind && mayView });
  const tailorings = useList(
    tailoring.kind!,
    { where: `product(id = ${JSON.stringify(document.id)})`, limit: STORES_MAX, withTotal: false },
    { enabled: !!tailoring.kind && tailoring.mayView },
  );
  const offers = useSelections(document.id, stores.data?.results, selection.mayView);
  if (!storeKind || !mayView) return <EmptyState icon="key" title={words('noAccess')} />;
  if (stores.error && !stores.data) return <ErrorState error={stores.error} onRetry={() => void stores.refetch()} />;
  if (!stores.data || (selection.mayView && offers.isLoading)) return <Skeleton lines={4} />;
  if (stores.data.results.length === 0)
    return (
      <EmptyState icon="globe" title={t('noStoresAtAll')}>
        {t('noStoresAtAllHint')}
      </EmptyState>
    );
  const assignments = offers.data?.assignments ?? [];
  return (
    <div className="stack-large">
      <section className="stack-small" aria-label={t('inStores')}>
        <h2>{t('inStores')}</h2>
        <ul className="home-rows">
          {stores.data.results.map((store) => (
            <StoreRow
              key={store.id}
              product={document}
              store={store}
              kind={storeKind}
              offer={offers.data && offerOf(store, assignments, offers.data.selections)}
              tailoring={tailorings.data?.results.find((one) => objectOf(one.store)?.key === store.key)}
            />
          ))}
        </ul>
      </section>
      {selection.mayView && (
        <section className="stack-small" aria-label={t('inSelections')}>
          <h2>{t('inSelections')}</h2>
          {assignments.length === 0 ? (
            <p className="muted">{t('inNone')}</p>
          ) : (
            <p className="row wrap">
              {assignments.map((one) => (
                <Reference key={String(objectOf(one.productSelection)?.id)} value={one.productSelection} compact />
              ))}
            </p>
          )}
        </section>
      )}
    </div>
  );
}

function StoreRow({
  product,
  store,
  kind,
  offer,
  tailoring,
}: {
  product: Document;
  store: Document;
  kind: Kind;
  offer: Offer | undefined;
  tailoring: Document | undefined;
}) {
  const t = useAssortmentTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const { kind: tailoringKind, mayManage } = useKind('ProductTailoring');
  const members = JSON.stringify({
    store: { typeId: 'store', key: store.key },
    product: { typeId: 'product', id: product.id },
  });
  return (
    <li className="home-row wrap">
      <span className="stack-tight grow">
        <Link href={paths.document(key, kind, store.id)} className="cell-title truncate">
          {titleOf(kind, store, language)}
        </Link>
        {offer && <OfferReason store={store} offer={offer} />}
      </span>
      {offer && <Chip look={LOOKS[offer.is]}>{t(TEXTS[offer.is])}</Chip>}
      {tailoring && (
        <span className="row">
          <span className="muted small">{t('tailored')}</span>
          <StatusChips tailoring={tailoring} />
        </span>
      )}
      {tailoringKind &&
        (tailoring ? (
          <Link className="button button-normal button-small" href={paths.document(key, tailoringKind, tailoring.id)}>
            {t('openTailoring')}
          </Link>
        ) : (
          mayManage && (
            <Link
              className="button button-plain button-small"
              href={`${paths.create(key, tailoringKind)}?with=${encodeURIComponent(members)}`}
            >
              {t('tailor')}
            </Link>
          )
        ))}
    </li>
  );
}

function OfferReason({ store, offer }: { store: Document; offer: Offer }) {
  const t = useAssortmentTexts();
  if (activeSelections(store).length === 0) return <span className="muted small">{t('everything')}</span>;
  const names = offer.selections.map((reference) => <Reference key={String(reference.id)} value={reference} compact />);
  const [before, after] = t(offer.is === 'none' ? 'notIn' : 'bySelections', { names: '\n' }).split('\n');
  return (
    <span className="row wrap muted small">
      {before}
      {names}
      {after}
    </span>
  );
}
