import { useQuery } from '@tanstack/react-query';
import { useKind, type Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Skeleton } from '../../ui/Feedback';
import { readPredicate } from './conditions';
import { TryOnCart } from './TryOnCart';

/** Tries a stored code on a cart; of a Cart Discount, one of its codes. */
export default function TryTab({ kind, document }: { kind: Kind; document: Document }) {
  const client = useClient();
  const { mayView } = useKind('DiscountCode');
  const isCode = kind.name === 'DiscountCode';
  const needsCode = !isCode && document.requiresDiscountCode === true;
  const codes = useQuery({
    queryKey: [client.project, 'DiscountCode', 'list', 'of', document.id],
    enabled: needsCode && mayView,
    queryFn: ({ signal }) =>
      client.request<Page>('discount-codes', {
        signal,
        query: { where: `cartDiscounts(id = "${document.id}")`, sort: 'createdAt asc', limit: 1, withTotal: false },
      }),
  });
  const first = isCode && Array.isArray(document.cartDiscounts) ? document.cartDiscounts[0] : undefined;
  const discount = useQuery({
    queryKey: [client.project, 'CartDiscount', 'document', isObject(first) ? first.id : '', []],
    enabled: isObject(first),
    queryFn: ({ signal }) => client.request<Document>(`cart-discounts/${isObject(first) ? String(first.id) : ''}`, { signal }),
  });
  if ((needsCode && mayView && !codes.data) || (isObject(first) && discount.isLoading)) return <Skeleton />;
  const code = isCode ? document.code : codes.data?.results[0]?.code;
  const predicate = (isCode ? discount.data : document)?.cartPredicate;
  return (
    <TryOnCart
      codes={typeof code === 'string' ? [code] : []}
      conditions={readPredicate(typeof predicate === 'string' ? predicate : '', 'cart')}
    />
  );
}
