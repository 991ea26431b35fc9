import { useState, type DragEvent, type KeyboardEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Document, JsonObject, Kind } from '../../model/types';
import { IconButton } from '../../ui/Button';
import { Menu } from '../../ui/Overlay';
import { useCategoryTexts } from './category-texts';
import { withinOf, type TreeNode } from './category-tree';
import { textIn } from './variants';

interface RowProps {
  kind: Kind;
  node: TreeNode;
  parent?: TreeNode;
  siblings: TreeNode[];
  /** Only these are shown. */
  shown?: ReadonlySet<string>;
  counts: ReadonlyMap<string, number>;
  name: (category: JsonObject) => string;
  isOpen: (id: string) => boolean;
  onToggle: (id: string, open: boolean) => void;
  /** Absent: nothing can be moved. */
  onMove?: (category: Document, parent: Document | undefined, position: number) => void;
  onMoveTo: (category: Document) => void;
}

/** The Category that is dragged. The data of a drag cannot be read before it ends. */
let dragged: TreeNode | undefined;

type Place = 'before' | 'inside' | 'after';

/** Returns the place of the pointer in a row: the upper and the lower quarter are between rows. */
function placeIn(event: DragEvent<HTMLElement>): Place {
  const box = event.currentTarget.getBoundingClientRect();
  const at = (event.clientY - box.top) / box.height;
  return at < 0.25 ? 'before' : at > 0.75 ? 'after' : 'inside';
}

/** The members of a draft that is below a Category. */
const below = (id: string) => JSON.stringify({ parent: { typeId: 'category', id } });

/** A Category of the tree and those below it. */
export function CategoryRow(props: RowProps) {
  const { node, parent, siblings, name, onMove } = props;
  const { category, children } = node;
  const t = useCategoryTexts();
  const { key } = useProject();
  const [, navigate] = useLocation();
  const [over, setOver] = useState<Place>();
  if (props.shown && !props.shown.has(category.id)) return null;
  const at = siblings.indexOf(node);
  const open = children.length > 0 && props.isOpen(category.id);
  const title = name(category);
  const count = props.counts.get(category.id);
  const moveBy = (by: number) => onMove?.(category, parent?.category, at + by);
  /** Whether the dragged Category may be dropped here: not below itself, and not among the roots if it is none. */
  const mayDrop = (place: Place) =>
    !!dragged && !withinOf(dragged).has(category.id) && (place === 'inside' || !!parent || dragged.category.parent === undefined);
  const drop = (event: DragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(undefined);
    const place = placeIn(event);
    if (!dragged || !mayDrop(place)) return;
    const others = siblings.filter((sibling) => sibling !== dragged);
    const position = others.indexOf(node) + (place === 'after' ? 1 : 0);
    if (place === 'inside') onMove?.(dragged.category, category, children.filter((child) => child !== dragged).length);
    else onMove?.(dragged.category, parent?.category, position);
    dragged = undefined;
  };
  const press = (event: KeyboardEvent) => {
    if (!event.altKey || !onMove) return;
    if (event.key === 'ArrowUp' && at > 0) moveBy(-1);
    else if (event.key === 'ArrowDown' && at < siblings.length - 1) moveBy(1);
    else if (event.key === 'ArrowRight' && at > 0) {
      const above = siblings[at - 1]!;
      onMove(category, above.category, above.children.length);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <li>
      <div
        className="tree-row"
        data-over={over}
        draggable={!!onMove}
        onKeyDown={press}
        onDragStart={(event) => {
          dragged = node;
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', title);
        }}
        onDragEnd={() => (dragged = undefined)}
        onDragOver={(event) => {
          const place = placeIn(event);
          if (!mayDrop(place)) return;
          event.preventDefault();
          setOver(place);
        }}
        onDragLeave={() => setOver(undefined)}
        onDrop={drop}
      >
        {children.length > 0 ? (
          <IconButton
            small
            icon={open ? 'down' : 'right'}
            label={t(open ? 'close' : 'open', { name: title })}
            aria-expanded={open}
            onPress={() => props.onToggle(category.id, !open)}
          />
        ) : (
          <span className="tree-leaf" />
        )}
        <Link className="cell-title truncate" href={paths.document(key, props.kind, category.id)} draggable={false} dir="auto">
          {title}
        </Link>
        <span className="mono muted truncate tree-key">{textIn(category.key)}</span>
        <span className="push muted small numbers tree-count">{count !== undefined && t('products', { count })}</span>
        {onMove && (
          <Menu
            label={t('actionsOf', { name: title })}
            trigger={<IconButton small icon="more" label={t('actionsOf', { name: title })} />}
            entries={[
              { id: 'to', label: t('moveTo'), icon: 'right', onAction: () => props.onMoveTo(category) },
              { id: 'up', label: t('moveUp'), icon: 'up', disabled: at === 0, onAction: () => moveBy(-1) },
              {
                id: 'down',
                label: t('moveDown'),
                icon: 'down',
                disabled: at === siblings.length - 1,
                onAction: () => moveBy(1),
              },
              {
                id: 'add',
                label: t('addBelow'),
                icon: 'plus',
                separated: true,
                onAction: () => navigate(`${paths.create(key, props.kind)}?with=${encodeURIComponent(below(category.id))}`),
              },
            ]}
          />
        )}
      </div>
      {open && (
        <ul className="tree-below">
          {children.map((child) => (
            <CategoryRow {...props} key={child.category.id} node={child} parent={node} siblings={children} />
          ))}
        </ul>
      )}
    </li>
  );
}
