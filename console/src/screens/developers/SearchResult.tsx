import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { JsonEditor } from '../../editor';
import { Reference } from '../../ui/Reference';
import { Tabs } from '../../ui/Tabs';
import type { Found, SearchDefinition, Facet } from './searches';
import { useSearchTexts } from './search-texts';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** Hits with the names of their documents, facets as bars, and the response as it came. */
export function SearchResult({ search, found }: { search: SearchDefinition; found: Found }) {
  const t = useSearchTexts();
  return (
    <Tabs
      label={t('result')}
      tabs={[
        { id: 'hits', label: t('hits'), content: <Hits search={search} found={found} /> },
        ...(found.facets.length > 0
          ? [{ id: 'facets', label: t('facetsTab', { count: found.facets.length }), content: <Facets facets={found.facets} /> }]
          : []),
        {
          id: 'json',
          label: 'JSON',
          content: <JsonEditor value={JSON.stringify(found.response, null, 2)} readOnly label={t('response')} />,
        },
      ]}
    />
  );
}

function Hits({ search, found }: { search: SearchDefinition; found: Found }) {
  const t = useSearchTexts();
  const model = useModel();
  const { language } = usePreferences();
  const typeId = model.kind(search.kind)?.typeId ?? '';
  if (found.hits.length === 0) return <p className="muted">{t('noHits')}</p>;
  return (
    <ol className="hits">
      {found.hits.map((hit) => (
        <li key={hit.id} className="hit">
          <span className="truncate grow">
            <Reference value={{ typeId, id: hit.id }} compact />
          </span>
          {hit.relevance !== undefined && (
            <span className="muted small numbers" title={t('relevance')}>
              {hit.relevance.toLocaleString(language, { maximumFractionDigits: 2, minimumFractionDigits: 2 })}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

function Facets({ facets }: { facets: Facet[] }) {
  const t = useSearchTexts();
  const { language } = usePreferences();
  return (
    <div className="stack">
      {facets.map((facet) => {
        const most = Math.max(1, ...facet.entries.map((entry) => entry.count));
        return (
          <section key={facet.name} className="stack-small">
            <h3 className="facet-name">{facet.name}</h3>
            {facet.entries.length === 0 && <p className="muted small">{t('noBuckets')}</p>}
            <ul className="facet">
              {facet.entries.map((entry) => (
                <li key={entry.key} className="facet-row">
                  <span className={`truncate${UUID.test(entry.key) ? ' mono' : ''}`} title={entry.key} dir="auto">
                    <FacetKey facet={facet.name} value={entry.key} />
                  </span>
                  <meter className="facet-bar" min={0} max={most} value={entry.count} aria-label={entry.key || facet.name} />
                  <span className="numbers facet-count">{entry.count.toLocaleString(language)}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** Buckets of references have ids: of categories and Product Types the names are shown. */
function FacetKey({ facet, value }: { facet: string; value: string }) {
  if (!UUID.test(value)) return <>{value}</>;
  const typeId = /categor/i.test(facet) ? 'category' : /type/i.test(facet) ? 'product-type' : undefined;
  return typeId ? <Reference value={{ typeId, id: value }} compact /> : <>{value}</>;
}
