import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import type { IconName } from '../../ui/Icon';
import { useCustomerTexts } from './texts';
import './customers.css';

/** The first documents of a list as rows, with a link to all of them. */
export function DocumentRows({
  kind,
  page,
  error,
  where,
  icon,
  emptyTitle,
  emptyHint,
  row,
}: {
  kind: Kind;
  page: Page | undefined;
  error: unknown;
  /** The predicate of the whole list. */
  where: string;
  icon: IconName;
  emptyTitle: string;
  emptyHint: string;
  row: (document: Document) => { title: ReactNode; hint: ReactNode; state: ReactNode; amount: ReactNode };
}) {
  const t = useCustomerTexts();
  const { key } = useProject();
  if (error) return <ErrorState error={error} />;
  if (!page) return <Skeleton lines={5} />;
  if (page.results.length === 0)
    return (
      <EmptyState icon={icon} title={emptyTitle}>
        {emptyHint}
      </EmptyState>
    );
  return (
    <div className="stack">
      <ul className="home-rows">
        {page.results.map((document) => {
          const { title, hint, state, amount } = row(document);
          return (
            <li key={document.id} className="home-row">
              <span className="stack-tight grow">
                <Link href={paths.document(key, kind, document.id)} className="cell-title truncate">
                  {title}
                </Link>
                <span className="muted small truncate">{hint}</span>
              </span>
              <span className="row row-states">{state}</span>
              <span className="home-amount">{amount}</span>
            </li>
          );
        })}
      </ul>
      {page.total !== undefined && page.total > page.results.length && (
        <Link href={`${paths.list(key, kind)}?where=${encodeURIComponent(where)}`}>{t('all', { count: page.total })}</Link>
      )}
    </div>
  );
}
