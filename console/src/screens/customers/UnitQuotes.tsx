import { useQuery } from '@tanstack/react-query';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import type { Document, Kind } from '../../model/types';
import { EmptyState, Skeleton } from '../../ui/Feedback';
import { EnumChip } from '../../ui/ValueCell';
import { useWords } from '../../ui/texts';
import { Reference } from '../../ui/Reference';
import { DateTime, Money } from '../../ui/values';
import { DocumentRows } from './DocumentRows';
import { ofUnit } from './UnitSummary';
import { useUnitTexts } from './unit-texts';

const SHOWN = 20;

/** The quotes of a unit, and the requests that have none yet. */
export default function UnitQuotes({ document }: { kind: Kind; document: Document }) {
  const t = useUnitTexts();
  const words = useWords();
  const quotes = useOfUnit('Quote', document);
  const requests = useOfUnit('QuoteRequest', document);
  if (!quotes.kind && !requests.kind) return <EmptyState icon="key" title={words('noAccess')} />;
  if ((quotes.kind && quotes.isLoading) || (requests.kind && requests.isLoading)) return <Skeleton lines={4} />;
  if (!quotes.data?.results.length && !requests.data?.results.length)
    return (
      <EmptyState icon="content" title={t('noQuotes')}>
        {t('noQuotesHint')}
      </EmptyState>
    );
  return (
    <div className="stack-large">
      {[
        { of: quotes, title: t('quotes'), state: 'quoteState' },
        { of: requests, title: t('requests'), state: 'quoteRequestState' },
      ].map(
        ({ of, title, state }) =>
          of.kind &&
          (of.data?.results.length ?? 0) > 0 && (
            <section key={state} className="stack-small">
              <h2>{title}</h2>
              <DocumentRows
                kind={of.kind}
                page={of.data}
                error={of.error}
                where={ofUnit(document)}
                icon="content"
                emptyTitle={t('noQuotes')}
                emptyHint={t('noQuotesHint')}
                row={(quote) => ({
                  title: String(quote.key ?? `…${quote.id.slice(-8)}`),
                  hint: (
                    <span className="row">
                      <DateTime value={quote.createdAt} /> <Reference value={quote.customer} compact />
                    </span>
                  ),
                  state: <EnumChip value={String(quote[state])} />,
                  amount: <Money value={quote.totalPrice} />,
                })}
              />
            </section>
          ),
      )}
    </div>
  );
}

function useOfUnit(name: string, unit: Document) {
  const { client } = useProject();
  const { kind, mayView } = useKind(name);
  const where = ofUnit(unit);
  const query = useQuery({
    queryKey: [client.project, name, 'list', 'of', where],
    enabled: !!kind && mayView,
    queryFn: ({ signal }) =>
      client.request<Page>(kind!.path, { signal, query: { where, sort: 'createdAt desc', limit: SHOWN, withTotal: true } }),
  });
  return { ...query, kind: mayView ? kind : undefined };
}
