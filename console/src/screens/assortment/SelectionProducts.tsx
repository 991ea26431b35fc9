import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { useTarget } from '../../api/references';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { titleOf } from '../../model/display';
import type { Document, Kind, UpdateAction } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import {
  addAction,
  choiceAction,
  modeOf,
  queuedAt,
  readAssignment,
  removeAction,
  withQueued,
  type Assignment,
  type VariantChoice,
} from './assignments';
import { ProductImage } from './ProductImage';
import { PRODUCTS_MAX, useAssignments } from './selections';
import { useAssortmentTexts } from './texts';
import './assortment.css';

const AddProductsPanel = lazy(() => import('./AddProductsPanel'));
const VariantsPanel = lazy(() => import('./VariantsPanel'));

/** The Products of a Product Selection, or those that it excludes. Changes wait in the changes of the page. */
export default function SelectionProducts({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const [offset, setOffset] = useState(0);
  const [isAdding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<{ assignment: Assignment; product: Document }>();
  const page = useAssignments(document.id, offset);
  const mode = modeOf(document);
  if (page.error && !page.data) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />;
  if (!page.data) return <Skeleton lines={6} />;
  const stored = page.data.results.map(readAssignment);
  const rows = withQueued(stored, editing.queued);
  /** Puts an action in place of an earlier one about the same Product. */
  const replace = (productId: string, action?: UpdateAction) => {
    const before = queuedAt(editing.queued, productId);
    if (before >= 0) editing.unqueue(before);
    if (action) editing.queue(action);
  };
  const choose = (assignment: Assignment, choice: VariantChoice) => {
    const { productId, change } = assignment;
    replace(productId, change === 'added' ? addAction(mode, productId, choice) : choiceAction(mode, productId, choice));
    setChosen(undefined);
  };
  const isList = mode === 'Individual';
  const add = mayUpdate && (
    <Button icon="plus" look={rows.length === 0 ? 'primary' : 'normal'} onPress={() => setAdding(true)}>
      {t(isList ? 'add' : 'exclude')}
    </Button>
  );
  return (
    <div className="stack">
      {rows.length === 0 ? (
        <EmptyState icon="products" title={t(isList ? 'noProducts' : 'noExcluded')} action={add}>
          {t(isList ? 'noProductsHint' : 'noExcludedHint')}
        </EmptyState>
      ) : (
        <>
          <div className="row wrap">
            {add}
            <Pager offset={offset} count={stored.length} total={page.data.total} onChange={setOffset} />
          </div>
          <ul className="home-rows">
            {rows.map((assignment) => (
              <AssignmentRow
                key={assignment.productId}
                assignment={assignment}
                isList={isList}
                onChoose={mayUpdate ? (product) => setChosen({ assignment, product }) : undefined}
                onRemove={() =>
                  replace(assignment.productId, assignment.change === 'added' ? undefined : removeAction(assignment.productId))
                }
                onUndo={() => replace(assignment.productId)}
              />
            ))}
          </ul>
        </>
      )}
      <Suspense>
        {isAdding && (
          <AddProductsPanel
            mode={mode}
            known={new Set(rows.map((row) => row.productId))}
            onAdd={(ids) => ids.forEach((id) => replace(id, addAction(mode, id)))}
            onClose={() => setAdding(false)}
          />
        )}
        {chosen && (
          <VariantsPanel
            mode={mode}
            product={chosen.product}
            choice={chosen.assignment.choice}
            onChoose={(choice) => choose(chosen.assignment, choice)}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

function Pager({
  offset,
  count,
  total = 0,
  onChange,
}: {
  offset: number;
  count: number;
  total?: number;
  onChange: (offset: number) => void;
}) {
  const t = useAssortmentTexts();
  if (total <= PRODUCTS_MAX) return null;
  return (
    <span className="row push">
      <span className="muted small numbers">{t('page', { from: offset + 1, to: offset + count, count: total })}</span>
      <IconButton
        small
        icon="left"
        label={t('earlier')}
        isDisabled={offset === 0}
        onPress={() => onChange(offset - PRODUCTS_MAX)}
      />
      <IconButton
        small
        icon="right"
        label={t('later')}
        isDisabled={offset + count >= total}
        onPress={() => onChange(offset + PRODUCTS_MAX)}
      />
    </span>
  );
}

const LOOKS = { added: 'success', removed: 'danger', changed: 'warning' } as const;

function AssignmentRow({
  assignment,
  isList,
  onChoose,
  onRemove,
  onUndo,
}: {
  assignment: Assignment;
  isList: boolean;
  /** Absent: the operator may not change it. */
  onChoose?: (product: Document) => void;
  onRemove: () => void;
  onUndo: () => void;
}) {
  const t = useAssortmentTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const { kind } = useKind('Product');
  const { productId, change, choice } = assignment;
  const target = useTarget(kind, { id: productId }, !assignment.product);
  const product = (assignment.product ?? target.data ?? undefined) as Document | undefined;
  const name = product && kind ? titleOf(kind, product, language) : `…${productId.slice(-8)}`;
  const isRemoved = change === 'removed';
  return (
    <li className="home-row" data-removed={isRemoved || undefined}>
      <ProductImage product={product} />
      <span className="stack-tight grow">
        <span className="row wrap">
          {kind && (
            <Link href={paths.document(key, kind, productId)} className="cell-title truncate">
              {name}
            </Link>
          )}
          {change && <Chip look={LOOKS[change]}>{t(change)}</Chip>}
        </span>
        <span className="muted small truncate">{[product?.key, choiceText(choice, isList, t)].filter(Boolean).join(' · ')}</span>
      </span>
      {onChoose && (
        <span className="row">
          {change && <IconButton small icon="undo" label={`${t('undoChange')}: ${name}`} onPress={onUndo} />}
          {product && !isRemoved && (
            <IconButton small icon="edit" label={`${t('chooseVariants')}: ${name}`} onPress={() => onChoose(product)} />
          )}
          {!isRemoved && <IconButton small icon="trash" label={t('remove', { name })} onPress={onRemove} />}
        </span>
      )}
    </li>
  );
}

function choiceText({ is, skus }: VariantChoice, isList: boolean, t: ReturnType<typeof useAssortmentTexts>): string {
  if (is === 'all') return t(isList ? 'allVariants' : 'wholeProduct');
  return t(is === 'only' ? 'onlyVariants' : 'exceptVariants', { skus: skus.join(', ') });
}
