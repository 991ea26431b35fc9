import './orders.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { queryOf } from '../../list/list-state';
import { titleOf } from '../../model/display';
import type { Document, Kind } from '../../model/types';
import { objectOf } from '../../model/values';
import { Chip, ErrorState, Skeleton } from '../../ui/Feedback';
import { Reference } from '../../ui/Reference';
import { DateTime, Money } from '../../ui/values';
import { textOfField } from './documents';
import { itemsText } from './items-text';
import { QuoteDecisions } from './QuoteDecisions';

import { useQuoteTexts } from './quote-texts';

const ROWS = 25;

/** Everything of a negotiation that waits for a decision. */
export default function DecidePage() {
  const t = useQuoteTexts();
  usePageTitle(t('toDecide'));
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1>{t('toDecide')}</h1>
      </div>
      <Waiting name="Quote" title={t('waitingQuotes')} none={t('noQuotes')} where={'quoteState = "Pending"'} />
      <Waiting
        name="QuoteRequest"
        title={t('waitingRequests')}
        none={t('noRequests')}
        where={'quoteRequestState = "Submitted"'}
      />
      <Waiting name="StagedQuote" title={t('waitingDrafts')} none={t('noDrafts')} where={'stagedQuoteState = "InProgress"'} />
    </div>
  );
}

function Waiting({ name, title, none, where }: { name: string; title: string; none: string; where: string }) {
  const t = useQuoteTexts();
  const { key } = useProject();
  const { kind, mayView } = useKind(name);
  const list = useList(
    kind!,
    { where, sort: ['createdAt asc'], limit: ROWS, expand: ['quotationCart'] },
    { enabled: !!kind && mayView, live: true },
  );
  if (!kind || !mayView) return null;
  const rows = list.data?.results;
  let content: ReactNode;
  if (list.error) content = <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  else if (!rows) content = <Skeleton />;
  else if (rows.length === 0) content = <p className="muted">{none}</p>;
  else
    content = (
      <ul className="home-rows">
        {rows.map((document) => (
          <Row key={document.id} kind={kind} document={document} />
        ))}
      </ul>
    );
  return (
    <section className="stack">
      <div className="section-head">
        <h2>{title}</h2>
        {list.data?.total !== undefined && <span className="page-count numbers">{list.data.total}</span>}
        <Link href={`${paths.list(key, kind)}${queryOf({ where })}`} className="push small">
          {t('asList')}
        </Link>
      </div>
      {content}
    </section>
  );
}

function Row({ kind, document }: { kind: Kind; document: Document }) {
  const t = useQuoteTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const until = textOfField(document.validTo);
  const offered = objectOf(objectOf(document.quotationCart)?.obj) ?? document;
  return (
    <li className="home-row decide-row">
      <span className="stack-tight grow">
        <Link href={paths.document(key, kind, document.id)} className="cell-title truncate" dir="auto">
          {itemsText(offered, language) ?? titleOf(kind, document, language)}
        </Link>
        <span className="muted small row wrap">
          <Reference value={document.customer} compact />
          {objectOf(document.businessUnit) && <Reference value={document.businessUnit} compact />}
          <DateTime value={document.createdAt} />
          {until && Date.parse(until) < Date.now() && <Chip look="warning">{t('isOver')}</Chip>}
        </span>
      </span>
      {offered.totalPrice !== undefined && (
        <b className="home-amount">
          <Money value={objectOf(offered.taxedPrice)?.totalGross ?? offered.totalPrice} />
        </b>
      )}
      <span className="row">
        <QuoteDecisions kind={kind} document={document} small />
      </span>
    </li>
  );
}
