import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useKind, type Page } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { NoAccess } from '../../ui/NoAccess';
import { EnumChip } from '../../ui/ValueCell';
import { useUnitTexts } from './unit-texts';
import './customers.css';

const PAGE = 50;
/** So many divisions of one unit are shown. */
const DIVISIONS_MAX = 500;

/** Companies with the divisions below them. Divisions are read when a unit is opened. */
export default function UnitTreePage() {
  const t = useUnitTexts();
  const { key } = useProject();
  const { kind, mayView } = useKind('BusinessUnit');
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(PAGE);
  usePageTitle(t('tree'));
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  // A text finds divisions too; without one, the tree begins with companies.
  const where = text ? `name = ${JSON.stringify(text)} or key = ${JSON.stringify(text)}` : 'unitType = "Company"';
  const units = useUnits(where, limit, !!kind && mayView);
  if (!kind || !mayView) return <NoAccess />;
  return (
    <div className="page page-narrow">
      <header className="page-head">
        <div className="stack-small grow">
          <h1>{t('treeTitle')}</h1>
          <p className="muted">{t('treeHint')}</p>
        </div>
        <div className="page-actions">
          <Link className="button button-normal" href={paths.list(key, kind)}>
            {t('asList')}
          </Link>
        </div>
      </header>
      <div className="filter-text">
        <TextField type="search" aria-label={t('find')} placeholder={t('find')} value={typed} onChange={setTyped} />
      </div>
      {units.error ? (
        <ErrorState error={units.error} onRetry={() => void units.refetch()} />
      ) : !units.data ? (
        <Skeleton lines={6} />
      ) : units.data.results.length === 0 ? (
        <EmptyState icon="customers" title={text ? t('notFound') : t('none')}>
          {!text && t('noneHint')}
        </EmptyState>
      ) : (
        <>
          <Units kind={kind} units={units.data.results} isTop />
          {(units.data.total ?? 0) > limit && (
            <div>
              <Button onPress={() => setLimit(limit + PAGE)}>{t('more')}</Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function useUnits(where: string, limit: number, enabled: boolean) {
  const { client } = useProject();
  return useQuery({
    queryKey: [client.project, 'BusinessUnit', 'list', 'tree', where, limit],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.request<Page>('business-units', { signal, query: { where, sort: 'name asc', limit, withTotal: true } }),
  });
}

/** Units of one level. Their divisions are read with one request, so that each row knows whether it opens. */
function Units({ kind, units, isTop }: { kind: Kind; units: Document[]; isTop?: boolean }) {
  const keys = units.map((unit) => JSON.stringify(unit.key)).join(', ');
  const divisions = useUnits(`parentUnit(key in (${keys}))`, DIVISIONS_MAX, units.length > 0);
  const below = (unit: Document) =>
    divisions.data?.results.filter((one) => (one.parentUnit as { key?: string } | undefined)?.key === unit.key);
  return (
    <ul className={isTop ? 'units units-top' : 'units'}>
      {units.map((unit) => (
        <Unit key={unit.id} kind={kind} unit={unit} divisions={below(unit)} startsOpen={units.length <= 5} />
      ))}
    </ul>
  );
}

function Unit({
  kind,
  unit,
  divisions,
  startsOpen,
}: {
  kind: Kind;
  unit: Document;
  divisions: Document[] | undefined;
  startsOpen: boolean;
}) {
  const t = useUnitTexts();
  const { key } = useProject();
  const [isOpen, setOpen] = useState(startsOpen);
  const name = String(unit.name);
  const count = Array.isArray(unit.associates) ? unit.associates.length : 0;
  const opens = (divisions?.length ?? 0) > 0;
  return (
    <li className="unit">
      <div className="unit-row">
        {opens ? (
          <IconButton
            small
            icon={isOpen ? 'down' : 'right'}
            label={isOpen ? t('close', { name }) : t('open', { name })}
            aria-expanded={isOpen}
            onPress={() => setOpen(!isOpen)}
          />
        ) : (
          <span className="unit-leaf" />
        )}
        <Link href={paths.document(key, kind, unit.id)} className="cell-title truncate" dir="auto">
          {name}
        </Link>
        <span className="mono muted truncate">{String(unit.key)}</span>
        <span className="row push unit-facts">
          <span className="muted small numbers">{t('associateCount', { count })}</span>
          <Chip>{unit.unitType === 'Company' ? t('company') : t('division')}</Chip>
          <EnumChip value={String(unit.status)} />
        </span>
      </div>
      {isOpen && opens && <Units kind={kind} units={divisions!} />}
    </li>
  );
}
