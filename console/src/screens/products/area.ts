import { createElement, lazy, Suspense } from 'react';
import type { Area } from '../../app/areas';
import type { Document } from '../../model/types';
import type { CellName } from './cells';
import { productPlanner } from './plan';

const ProductCell = lazy(() => import('./cells'));
const cell = (name: CellName) => (document: Document) =>
  createElement(Suspense, { fallback: null }, createElement(ProductCell, { name, document }));

const listActions = () => import('./list-actions');
const ImportLink = lazy(() => listActions().then((parts) => ({ default: parts.ImportLink })));
const TreeLink = lazy(() => listActions().then((parts) => ({ default: parts.TreeLink })));

export const area: Area = {
  routes: [
    { path: 'categories/tree', page: lazy(() => import('./CategoryTreePage')) },
    { path: 'inventory/import', page: lazy(() => import('./StockImportPage')) },
    { path: 'standalone-prices/import', page: lazy(() => import('./PriceImportPage')) },
  ],
  kinds: {
    Category: { columns: ['name', 'key', 'slug', 'parent', 'orderHint', 'lastModifiedAt'], listActions: TreeLink },
    InventoryEntry: {
      columns: [
        'sku',
        'supplyChannel',
        'quantityOnStock',
        'availableQuantity',
        'restockableInDays',
        'expectedDelivery',
        'lastModifiedAt',
      ],
      listActions: ImportLink,
    },
    StandalonePrice: { listActions: ImportLink },
    ProductType: {
      tabs: [{ id: 'values', label: { en: 'Values', de: 'Werte' }, content: lazy(() => import('./EnumValuesTab')) }],
    },
    Product: {
      bulkActions: lazy(() => import('./BulkPrices')),
      columns: [
        'masterData.current.name',
        'key',
        'status',
        'productType',
        'variants',
        'price',
        'stock',
        'masterData.current.categories',
        'lastModifiedAt',
      ],
      cells: {
        'masterData.current.name': cell('name'),
        productType: cell('type'),
        variants: cell('variants'),
        price: cell('price'),
        status: cell('status'),
        stock: cell('stock'),
      },
      ownColumns: {
        variants: { label: { en: 'Variants', de: 'Varianten' }, width: 80, align: 'end' },
        price: { label: { en: 'Price', de: 'Preis' }, width: 170, align: 'end' },
        status: { label: { en: 'Status', de: 'Status' }, width: 180 },
        stock: { label: { en: 'Stock', de: 'Bestand' }, width: 90, align: 'end' },
      },
      searchFields: [
        { name: 'name', fieldType: 'text', language: true },
        { name: 'key', fieldType: 'keyword' },
        { name: 'variants.sku', fieldType: 'keyword' },
        { name: 'variants.key', fieldType: 'keyword' },
      ],
      lookupPaths: ['masterData.current.masterVariant.sku', 'masterData.current.variants.sku'],
      planner: productPlanner,
      summary: lazy(() => import('./ProductSummary')),
      actions: lazy(() => import('./ProductActions')),
      tabs: [
        { id: 'content', label: { en: 'Content', de: 'Inhalt' }, content: lazy(() => import('./ContentTab')) },
        { id: 'variants', label: { en: 'Variants', de: 'Varianten' }, content: lazy(() => import('./VariantsTab')) },
        { id: 'images', label: { en: 'Images', de: 'Bilder' }, content: lazy(() => import('./ImagesTab')) },
        { id: 'prices', label: { en: 'Prices', de: 'Preise' }, content: lazy(() => import('./PricesTab')) },
        { id: 'stock', label: { en: 'Stock', de: 'Bestand' }, content: lazy(() => import('./StockTab')) },
        { id: 'stores', label: { en: 'Stores', de: 'Stores' }, content: lazy(() => import('../assortment/ProductStores')) },
        { id: 'changes', label: { en: 'Differences', de: 'Unterschiede' }, content: lazy(() => import('./ChangesTab')) },
      ],
    },
  },
};
