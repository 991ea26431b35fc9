import { useMemo, useState, type DragEvent, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { useLeaveGuard } from '../../app/leave-guard';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import { decimalBetween } from '../../model/decimals';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { Switch } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { useWords } from '../../ui/texts';
import { OrderReview } from './OrderReview';
import { useOrderTexts } from './order-texts';
import { compareSortOrders } from './sort-order';
import { useDiscountTexts } from './texts';
import { useApplicationOrder } from './use-proposals';
import { PredicateWords, StatusChip, statusOf, TargetWords, ValueWords } from './words';
import './discounts.css';

/** A discount without a group, or a group with its discounts: what has a sort order of its own. */
export interface OrderEntry {
  kind: Kind;
  document: Document;
  members: Document[];
  sortOrder: string;
}

/** All Cart Discounts in the order in which carts apply them. Moving one gives it another sort order. */
export default function OrderPage() {
  const t = useOrderTexts();
  const words = useDiscountTexts();
  const { data, error, refetch } = useApplicationOrder();
  const discountKind = useKind('CartDiscount');
  const groupKind = useKind('DiscountGroup');
  const [moved, setMoved] = useState<ReadonlyMap<string, string>>(new Map());
  const [all, setAll] = useState(false);
  const [isReviewing, setReviewing] = useState(false);
  usePageTitle(words('orderPage'));
  useLeaveGuard(moved.size > 0);
  const entries = useMemo(() => {
    const sorted = (data?.discounts ?? []).flatMap((document): OrderEntry[] =>
      discountKind.kind && !document.discountGroup
        ? [{ kind: discountKind.kind, document, members: [], sortOrder: moved.get(document.id) ?? String(document.sortOrder) }]
        : [],
    );
    const groups = (data?.groups ?? []).flatMap((document): OrderEntry[] => {
      const isMember = (one: Document) => isObject(one.discountGroup) && one.discountGroup.id === document.id;
      const members = (data?.discounts ?? []).filter(isMember);
      return groupKind.kind
        ? [{ kind: groupKind.kind, document, members, sortOrder: moved.get(document.id) ?? String(document.sortOrder) }]
        : [];
    });
    return [...sorted, ...groups].sort((a, b) => compareSortOrders(b.sortOrder, a.sortOrder));
  }, [data, moved, discountKind.kind, groupKind.kind]);
  const shown = all ? entries : entries.filter(isCounting);
  /** Puts an entry where another one is: before it on the way up, behind it on the way down. */
  const move = (from: number, to: number) => {
    const entry = shown[from];
    const target = shown[to];
    if (!entry || !target || from === to) return;
    const rest = entries.filter((one) => one !== entry);
    const at = rest.indexOf(target) + (to > from ? 1 : 0);
    const sortOrder = decimalBetween(rest[at]?.sortOrder, rest[at - 1]?.sortOrder);
    if (sortOrder === undefined) return; // Two discounts with one sort order have no place between them.
    const next = new Map(moved);
    next.set(entry.document.id, sortOrder);
    setMoved(next);
  };
  if (error)
    return (
      <div className="page">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </div>
    );
  return (
    <div className="page page-narrow">
      <header className="page-head">
        <div className="stack-small grow">
          <h1>{words('orderPage')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
        <div className="page-actions">
          <Switch isSelected={all} onChange={setAll}>
            {t('all')}
          </Switch>
        </div>
      </header>
      {!data ? (
        <Skeleton lines={8} />
      ) : shown.length === 0 ? (
        <NoEntries hasHidden={entries.length > 0} onShowAll={() => setAll(true)} />
      ) : (
        <Entries
          entries={shown}
          moved={moved}
          onMove={move}
          mayMove={(entry) => (entry.kind === groupKind.kind ? groupKind.mayManage : discountKind.mayManage)}
        />
      )}
      {moved.size > 0 && (
        <div className="save-bar" role="region" aria-label={t('changes', { count: moved.size })}>
          <b className="numbers">{t('changes', { count: moved.size })}</b>
          <DiscardAndReview onDiscard={() => setMoved(new Map())} onReview={() => setReviewing(true)} />
        </div>
      )}
      {isReviewing && (
        <OrderReview
          entries={entries.filter(({ document }) => moved.has(document.id))}
          onSaved={(id) => setMoved((now) => new Map([...now].filter(([one]) => one !== id)))}
          onClose={() => setReviewing(false)}
        />
      )}
    </div>
  );
}

function DiscardAndReview({ onDiscard, onReview }: { onDiscard: () => void; onReview: () => void }) {
  const t = useOrderTexts();
  const words = useWords();
  return (
    <span className="row push">
      <Button onPress={onDiscard}>{words('discard')}</Button>
      <Button look="primary" onPress={onReview}>
        {t('review')}
      </Button>
    </span>
  );
}

/** Whether an entry applies now, or will. */
const isCounting = ({ document, members, kind }: OrderEntry): boolean => {
  const counts = (one: Document) => ['active', 'scheduled'].includes(statusOf(one));
  return counts(document) && (kind.name !== 'DiscountGroup' || members.length === 0 || members.some(counts));
};

function NoEntries({ hasHidden, onShowAll }: { hasHidden: boolean; onShowAll: () => void }) {
  const t = useOrderTexts();
  const words = useDiscountTexts();
  const { key } = useProject();
  const { mayManage } = useKind('CartDiscount');
  return (
    <EmptyState
      icon="discounts"
      title={hasHidden ? t('noActive') : words('noDiscounts')}
      action={
        <>
          {hasHidden && <Button onPress={onShowAll}>{t('all')}</Button>}
          {mayManage && (
            <Link className="button button-primary" href={`/${encodeURIComponent(key)}/discounts/new`}>
              {words('new')}
            </Link>
          )}
        </>
      }
    >
      {t('emptyHint')}
    </EmptyState>
  );
}

function Entries({
  entries,
  moved,
  onMove,
  mayMove,
}: {
  entries: OrderEntry[];
  moved: ReadonlyMap<string, string>;
  onMove: (from: number, to: number) => void;
  mayMove: (entry: OrderEntry) => boolean;
}) {
  const t = useOrderTexts();
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const drop = (event: DragEvent, to: number) => {
    event.preventDefault();
    if (dragged !== undefined) onMove(dragged, to);
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <ol className="order-list">
      {entries.map((entry, at) => (
        <li
          key={entry.document.id}
          className="order-entry"
          data-changed={moved.has(entry.document.id) || undefined}
          data-dragged={dragged === at || undefined}
          data-over={over === at && dragged !== undefined && dragged !== at ? (dragged > at ? 'above' : 'below') : undefined}
          draggable={mayMove(entry)}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            setDragged(at);
          }}
          onDragEnd={() => {
            setDragged(undefined);
            setOver(undefined);
          }}
          onDragOver={(event) => {
            event.preventDefault();
            if (over !== at) setOver(at);
          }}
          onDrop={(event) => drop(event, at)}
        >
          <Entry entry={entry} at={at} count={entries.length} mayMove={mayMove(entry)} onMove={onMove} />
          {entry.document.stackingMode === 'StopAfterThisDiscount' && (
            <p className="order-stop small">
              <Icon name="minus" size={14} /> {t('stop')}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Entry({
  entry,
  at,
  count,
  mayMove,
  onMove,
}: {
  entry: OrderEntry;
  at: number;
  count: number;
  mayMove: boolean;
  onMove: (from: number, to: number) => void;
}) {
  const t = useOrderTexts();
  const words = useWords();
  const { key } = useProject();
  const { language } = usePreferences();
  const { kind, document, members, sortOrder } = entry;
  const name = titleOf(kind, document, language);
  const isGroup = kind.name === 'DiscountGroup';
  /** Alt and an arrow move the row on which the focus is. */
  const keys = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0 || !event.altKey || !mayMove || at + by < 0 || at + by >= count) return;
    event.preventDefault();
    onMove(at, at + by);
  };
  return (
    <div className="order-row" onKeyDown={keys}>
      <span className="order-place numbers">{at + 1}</span>
      <div className="stack-small grow">
        <span className="row wrap">
          <Link href={paths.document(key, kind, document.id)} className="cell-title">
            {name}
          </Link>
          {isGroup && <Chip look="accent">{t('group')}</Chip>}
          <StatusChip document={document} />
          {document.requiresDiscountCode === true && <Chip>{t('withCode')}</Chip>}
        </span>
        {isGroup ? <Members members={members} /> : <DiscountWords document={document} />}
      </div>
      <span className="order-number mono muted">{sortOrder}</span>
      {mayMove && (
        <span className="row order-buttons">
          <IconButton
            small
            icon="up"
            label={`${words('moveUp')}: ${name}`}
            isDisabled={at === 0}
            onPress={() => onMove(at, at - 1)}
          />
          <IconButton
            small
            icon="down"
            label={`${words('moveDown')}: ${name}`}
            isDisabled={at === count - 1}
            onPress={() => onMove(at, at + 1)}
          />
        </span>
      )}
    </div>
  );
}

function DiscountWords({ document }: { document: Document }) {
  return (
    <span className="row wrap small order-words">
      <ValueWords value={document.value} />
      <span className="muted dot">·</span>
      <TargetWords target={document.target} />
      <span className="muted dot">·</span>
      <PredicateWords text={document.cartPredicate} dialect="cart" />
    </span>
  );
}

/** The discounts of a group: the best one applies. */
function Members({ members }: { members: Document[] }) {
  const t = useOrderTexts();
  const { kind } = useKind('CartDiscount');
  const { key } = useProject();
  const { language } = usePreferences();
  if (members.length === 0 || !kind) return <span className="muted small">{t('emptyGroup')}</span>;
  return (
    <div className="order-members">
      <span className="muted small">{t('best')}</span>
      {members.map((member) => (
        <div key={member.id} className="stack-small order-member">
          <span className="row wrap">
            <Link href={paths.document(key, kind, member.id)} className="cell-title">
              {titleOf(kind, member, language)}
            </Link>
            <StatusChip document={member} />
          </span>
          <DiscountWords document={member} />
        </div>
      ))}
    </div>
  );
}
