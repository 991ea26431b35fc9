import { createElement, lazy, Suspense } from 'react';
import type { Area } from '../../app/areas';
import { shortText } from '../../model/display';
import type { Document } from '../../model/types';
import { valueAt } from '../../model/values';
import { tailoringPlanner } from './planner';
import type { TailoringCellName } from './TailoringCell';

const TailoringCell = lazy(() => import('./TailoringCell'));
const cell = (name: TailoringCellName) => (document: Document) =>
  createElement(Suspense, { fallback: null }, createElement(TailoringCell, { name, document }));

export const area: Area = {
  kinds: {
    ProductSelection: {
      columns: ['name', 'key', 'mode', 'productCount', 'lastModifiedAt'],
      summary: lazy(() => import('./SelectionSummary')),
      tabs: [
        { id: 'products', label: { en: 'Products', de: 'Produkte' }, content: lazy(() => import('./SelectionProducts')) },
        { id: 'stores', label: { en: 'Stores', de: 'Stores' }, content: lazy(() => import('./SelectionStores')) },
      ],
    },
    ProductTailoring: {
      columns: ['staged.name', 'product', 'store', 'status', 'key', 'lastModifiedAt'],
      cells: { 'staged.name': cell('name'), status: cell('status') },
      ownColumns: { status: { label: { en: 'Status', de: 'Status' }, width: 180 } },
      title: (document, language) => shortText(valueAt(document, 'staged.name'), language),
      planner: tailoringPlanner,
      summary: lazy(() => import('./TailoringSummary')),
      actions: lazy(() => import('./TailoringActions')),
      tabs: [
        { id: 'content', label: { en: 'Content', de: 'Inhalt' }, content: lazy(() => import('./TailoringContent')) },
        { id: 'images', label: { en: 'Images', de: 'Bilder' }, content: lazy(() => import('./TailoringImages')) },
        { id: 'changes', label: { en: 'Differences', de: 'Unterschiede' }, content: lazy(() => import('./TailoringChanges')) },
      ],
    },
  },
};
