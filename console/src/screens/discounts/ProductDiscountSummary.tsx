import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { readPredicate } from './conditions';
import { productPredicate } from './product-predicate';
import { useDiscountTexts } from './texts';
import { PredicateWords, StatusChip, ValidityWords, ValueWords, WordRows } from './words';
import './discounts.css';

/** A Product Discount in words, and how many products and prices it reduces now. */
export default function ProductDiscountSummary({ document }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const { key } = useProject();
  const products = useKind('Product');
  const prices = useKind('StandalonePrice');
  const where = `prices(discounted(discount(id = "${document.id}")))`;
  const current = `masterData(current(masterVariant(${where}) or variants(${where})))`;
  const reduced = useCountOf(products.kind, current, products.mayView);
  const matching = useMatching(document, products.mayView);
  const standalone = useCountOf(prices.kind, `discounted(discount(id = "${document.id}"))`, prices.mayView);
  return (
    <section className="discount-summary stack">
      <WordRows
        rows={[
          [t('status'), <StatusChip document={document} />],
          [t('value'), <ValueWords value={document.value} />],
          [t('appliesTo'), <PredicateWords text={document.predicate} dialect="price" />],
          [t('validity'), <ValidityWords document={document} exact />],
        ]}
      />
      <div className="figures">
        {products.mayView && (
          <div className="figure">
            <span className="figure-label">{t('matching')}</span>
            <span className="figure-value numbers">{matching.data ?? '–'}</span>
            <span className="figure-hint">{matching.data === null ? t('notCounted') : t('byPredicate')}</span>
          </div>
        )}
        {products.kind && products.mayView && (
          <Link className="figure" href={`${paths.list(key, products.kind)}?where=${encodeURIComponent(current)}`}>
            <span className="figure-label">{t('products')}</span>
            <span className="figure-value numbers">{reduced.data ?? '–'}</span>
            <span className="figure-hint">{t('reducedNow')}</span>
          </Link>
        )}
        {prices.kind && prices.mayView && (
          <div className="figure">
            <span className="figure-label">{t('standalonePrices')}</span>
            <span className="figure-value numbers">{standalone.data ?? '–'}</span>
            <span className="figure-hint">{t('reducedNow')}</span>
          </div>
        )}
      </div>
    </section>
  );
}

/**
 * Requests the number of products that match the predicate, whether or not the discount is active; `null` if the predicate has no
 * form as a query.
 */
function useMatching(discount: Document, enabled: boolean) {
  const { client } = useProject();
  const predicate = String(discount.predicate ?? '');
  return useQuery({
    queryKey: [client.project, 'Product', 'list', 'matching', predicate],
    enabled,
    queryFn: async ({ signal }) => {
      const where = await productPredicate(client, readPredicate(predicate, 'price'), signal);
      if (where === undefined) return null;
      const query = { where: where || undefined, limit: 0, withTotal: true };
      return (await client.request<Page>('product-projections', { signal, query })).total ?? 0;
    },
  });
}

function useCountOf(kind: Kind | undefined, where: string, mayView: boolean) {
  const { client } = useProject();
  return useQuery({
    queryKey: [client.project, kind?.name, 'list', 'count', where],
    enabled: !!kind && mayView,
    queryFn: async ({ signal }) =>
      (await client.request<Page>(kind!.path, { signal, query: { where, limit: 0, withTotal: true } })).total ?? 0,
  });
}
