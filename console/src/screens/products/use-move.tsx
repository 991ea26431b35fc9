import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/project';
import type { Document, JsonObject, Kind, UpdateAction } from '../../model/types';
import { notify } from '../../ui/Feedback';
import { Confirm } from '../../ui/Overlay';
import { useCategoryTexts } from './category-texts';
import { movesTo, parentOf, treeOf } from './category-tree';

/** Moves a Category at once, with an undo; opens a confirmation first if the move cannot be undone. */
export function useMove(kind: Kind, all: Document[], name: (category: JsonObject) => string) {
  const t = useCategoryTexts();
  const { client } = useProject();
  const cache = useQueryClient();
  const [asked, setAsked] = useState<{ category: Document; parent: Document | undefined; position: number }>();
  const treeKey = [client.project, kind.name, 'list', 'tree'];
  const send = (category: Document, actions: UpdateAction[]) =>
    client.request<Document>(`${kind.path}/${category.id}`, { method: 'POST', body: { version: category.version, actions } });
  const show = (changed: Document[]) => {
    const byId = new Map(changed.map((category) => [category.id, category]));
    cache.setQueryData<Document[]>(treeKey, (now) => now?.map((category) => byId.get(category.id) ?? category));
    void cache.invalidateQueries({ queryKey: [client.project, kind.name] });
  };
  const run = async (category: Document, parent: Document | undefined, position: number) => {
    const siblings = childrenOf(all, parent?.id);
    const moves = movesTo(category, parent, siblings, position);
    const isFinal = parentOf(category) === undefined && parent !== undefined;
    const done: Document[] = [];
    try {
      for (const move of moves) done.push(await send(move.category, move.actions));
      show(done);
      const undo = async () => {
        const back = await Promise.all(done.map((one, at) => send(one, moves[at]!.back)));
        show(back);
        notify({ look: 'success', text: t('undone', { name: name(category) }) });
      };
      notify({
        look: 'success',
        text: t('moved', { name: name(category) }),
        action: isFinal ? undefined : { label: t('undo'), run: () => void undo().catch(failed) },
      });
    } catch (error) {
      show(done);
      failed(error);
    }
  };
  const failed = (error: unknown) =>
    notify({
      look: 'danger',
      text: t('notMoved', { name: '' }).trim(),
      detail: error instanceof Error ? error.message : String(error),
    });
  const start = (category: Document, parent: Document | undefined, position: number) => {
    if (parentOf(category) === undefined && parent) setAsked({ category, parent, position });
    else void run(category, parent, position);
  };
  const question = (
    <Confirm
      title={t('rootTitle', { name: asked ? name(asked.category) : '' })}
      isOpen={asked !== undefined}
      onClose={() => setAsked(undefined)}
      confirm={t('move')}
      onConfirm={() => {
        if (asked) void run(asked.category, asked.parent, asked.position);
        setAsked(undefined);
      }}
    >
      {t('rootHint')}
    </Confirm>
  );
  return { start, question };
}

function childrenOf(all: Document[], parent: string | undefined): Document[] {
  const inParent = all.filter((category) => parentOf(category) === parent);
  return treeOf(inParent).map((node) => node.category);
}
