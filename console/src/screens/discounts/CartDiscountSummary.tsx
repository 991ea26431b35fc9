import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { useDiscountTexts } from './texts';
import { PredicateWords, StatusChip, TargetWords, ValidityWords, ValueWords, WordRows } from './words';
import { Reference } from '../../ui/Reference';
import './discounts.css';

const CODES_SHOWN = 5;

/** A Cart Discount in words, with its codes. */
export default function CartDiscountSummary({ document }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const { client, key } = useProject();
  const codeKind = useKind('DiscountCode');
  const isShown = document.requiresDiscountCode === true && codeKind.mayView;
  const codes = useQuery({
    queryKey: [client.project, 'DiscountCode', 'list', 'few', document.id],
    enabled: isShown,
    queryFn: ({ signal }) =>
      client.request<Page>('discount-codes', {
        signal,
        query: { where: `cartDiscounts(id = "${document.id}")`, sort: 'createdAt desc', limit: CODES_SHOWN, withTotal: true },
      }),
  });
  const kind = codeKind.kind;
  const rows: [string, ReactNode][] = [
    [t('status'), <StatusChip document={document} />],
    [t('value'), <ValueWords value={document.value} />],
    ...(document.target ? ([[t('target'), <TargetWords target={document.target} />]] as [string, ReactNode][]) : []),
    [t('appliesTo'), <PredicateWords text={document.cartPredicate} dialect="cart" />],
    [t('validity'), <ValidityWords document={document} exact />],
    [t('stacking'), document.stackingMode === 'Stacking' ? t('stackingOn') : t('stackingOff')],
    ...(document.discountGroup
      ? ([[t('discountGroup'), <Reference value={document.discountGroup} compact />]] as [string, ReactNode][])
      : []),
  ];
  if (isShown && kind)
    rows.push([
      t('codes'),
      codes.data?.total === 0 ? (
        <span className="warning-text">{t('noCodes')}</span>
      ) : (
        <span className="row wrap">
          {codes.data?.results.map((code) => (
            <Link key={code.id} className="mono" href={paths.document(key, kind, code.id)}>
              {String(code.code)}
            </Link>
          ))}
          {(codes.data?.total ?? 0) > CODES_SHOWN && (
            <Link
              className="muted"
              href={`${paths.list(key, kind)}?where=${encodeURIComponent(`cartDiscounts(id = "${document.id}")`)}`}
            >
              +{(codes.data?.total ?? 0) - CODES_SHOWN}
            </Link>
          )}
        </span>
      ),
    ]);
  return (
    <section className="discount-summary">
      <WordRows rows={rows} />
    </section>
  );
}
