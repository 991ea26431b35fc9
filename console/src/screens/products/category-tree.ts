import { decimalBetween } from '../../model/decimals';
import type { Document, JsonObject, UpdateAction } from '../../model/types';
import { isObject } from '../../model/values';
import { textIn } from './variants';

export interface TreeNode {
  category: Document;
  children: TreeNode[];
}

export const parentOf = (category: JsonObject): string | undefined =>
  isObject(category.parent) ? textIn(category.parent.id) : undefined;

const hintOf = (category: JsonObject) => textIn(category.orderHint) ?? '';

/** The tree of all Categories; children in the order of their hints. One whose parent is missing is a root. */
export function treeOf(categories: Document[]): TreeNode[] {
  const nodes = new Map(categories.map((category) => [category.id, { category, children: [] as TreeNode[] }]));
  const roots: TreeNode[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(parentOf(node.category) ?? '');
    (parent?.children ?? roots).push(node);
  }
  const sort = (all: TreeNode[]) => {
    all.sort(
      (a, b) => Number(hintOf(a.category)) - Number(hintOf(b.category)) || hintOf(a.category).localeCompare(hintOf(b.category)),
    );
    for (const node of all) sort(node.children);
  };
  sort(roots);
  return roots;
}

/** The ids of a Category and of all below it. */
export function withinOf(node: TreeNode): Set<string> {
  const ids = new Set([node.category.id]);
  for (const child of node.children) for (const id of withinOf(child)) ids.add(id);
  return ids;
}

export interface Move {
  category: Document;
  actions: UpdateAction[];
  /** The actions that put it back. None makes a Category a root again. */
  back: UpdateAction[];
}

/** The actions that put a Category at a position among the children of a parent: siblings without room get new hints. */
export function movesTo(category: Document, parent: Document | undefined, siblings: Document[], position: number): Move[] {
  const others = siblings.filter((sibling) => sibling.id !== category.id);
  const hint = decimalBetween(
    position > 0 ? hintOf(others[position - 1]!) : undefined,
    position < others.length ? hintOf(others[position]!) : undefined,
  );
  const reparent = parentOf(category) === parent?.id ? [] : parentChange(parent?.id);
  const before = parentOf(category);
  const unparent = reparent.length > 0 && before !== undefined ? parentChange(before) : [];
  if (hint !== undefined)
    return [{ category, actions: [...reparent, orderChange(hint)], back: [...unparent, orderChange(hintOf(category))] }];
  const ordered = [...others.slice(0, position), category, ...others.slice(position)];
  const width = String(ordered.length + 1).length;
  return ordered.map((one, at) => {
    const next = `0.${String(at + 1).padStart(width, '0')}`.replace(/0+$/, '');
    const isMoved = one.id === category.id;
    return {
      category: one,
      actions: [...(isMoved ? reparent : []), orderChange(next)],
      back: [...(isMoved ? unparent : []), orderChange(hintOf(one))],
    };
  });
}

const orderChange = (orderHint: string): UpdateAction => ({ action: 'changeOrderHint', orderHint });

const parentChange = (id: string | undefined): UpdateAction[] =>
  id === undefined ? [] : [{ action: 'changeParent', parent: { typeId: 'category', id } }];
