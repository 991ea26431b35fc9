import { useMemo, useState } from 'react';
import type { Document, JsonObject } from '../../model/types';
import { Button } from '../../ui/Button';
import { Select } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { parentOf, type TreeNode } from './category-tree';
import { useCategoryTexts } from './category-texts';

/** Chooses the parent and the place of a Category without a mouse. */
export function MovePanel({
  category,
  roots,
  name,
  onClose,
  onMove,
}: {
  category: Document;
  roots: TreeNode[];
  name: (category: JsonObject) => string;
  onClose: () => void;
  onMove: (parent: Document | undefined, position: number) => void;
}) {
  const t = useCategoryTexts();
  const words = useWords();
  const isRoot = parentOf(category) === undefined;
  const [parentId, setParent] = useState(parentOf(category) ?? '');
  const [after, setAfter] = useState<string>();
  const choices = useMemo(() => listed(roots, category.id), [roots, category.id]);
  const parent = choices.find((choice) => choice.node.category.id === parentId)?.node;
  const siblings = (parent?.children ?? roots).filter((node) => node.category.id !== category.id);
  const last = siblings.at(-1)?.category.id ?? '';
  const behind = after !== undefined && (after === '' || siblings.some((node) => node.category.id === after)) ? after : last;
  return (
    <Panel
      title={t('moveTitle', { name: name(category) })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button
            look="primary"
            onPress={() => onMove(parent?.category, siblings.findIndex((node) => node.category.id === behind) + 1)}
          >
            {t('move')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Select
          label={t('parent')}
          value={parentId}
          options={[
            ...(isRoot ? [{ id: '', label: t('noParent') }] : []),
            ...choices.map(({ node, depth }) => ({
              id: node.category.id,
              label: `${'\u2003'.repeat(depth)}${name(node.category)}`,
            })),
          ]}
          hint={isRoot ? undefined : t('notRoot')}
          onChange={setParent}
        />
        <Select
          label={t('after')}
          value={behind}
          options={[
            { id: '', label: t('first') },
            ...siblings.map((node) => ({ id: node.category.id, label: name(node.category) })),
          ]}
          onChange={setAfter}
        />
      </div>
    </Panel>
  );
}

/** All Categories in the order of the tree, without one and those below it. */
function listed(roots: TreeNode[], without: string): { node: TreeNode; depth: number }[] {
  const out: { node: TreeNode; depth: number }[] = [];
  const visit = (node: TreeNode, depth: number) => {
    if (node.category.id === without) return;
    out.push({ node, depth });
    for (const child of node.children) visit(child, depth + 1);
  };
  for (const root of roots) visit(root, 0);
  return out;
}
