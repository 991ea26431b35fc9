import { createElement, lazy, Suspense, type ReactNode } from 'react';
import type { Area } from '../../app/areas';
import type { Document } from '../../model/types';

const Cell = lazy(() => import('./cells'));
const cell =
  (show: 'value' | 'status' | 'validity' | 'cart' | 'price' | 'code') =>
  (document: Document): ReactNode =>
    createElement(Suspense, null, createElement(Cell, { document, show }));

const status = { en: 'Status', de: 'Status' };
const validity = { en: 'Valid', de: 'Gültig' };
const value = { en: 'Value', de: 'Wert' };
const tryTab = {
  id: 'try',
  label: { en: 'Try on a cart', de: 'Am Warenkorb probieren' },
  content: lazy(() => import('./TryTab')),
};
const conditionsTab = {
  id: 'conditions',
  label: { en: 'Conditions', de: 'Bedingungen' },
  content: lazy(() => import('./ConditionsTab')),
};
const manage = ['manage_cart_discounts', 'manage_orders'];

export const area: Area = {
  routes: [
    { path: 'discounts/new', page: lazy(() => import('./PromotionPage')) },
    { path: 'discounts/order', page: lazy(() => import('./OrderPage')) },
  ],
  navigation: [
    { group: 'discounts', path: 'discounts/new', label: { en: 'New promotion', de: 'Neue Aktion' }, scopes: manage },
    {
      group: 'discounts',
      path: 'discounts/order',
      label: { en: 'Order of application', de: 'Reihenfolge' },
      scopes: ['view_cart_discounts', 'view_orders', ...manage],
    },
  ],
  kinds: {
    CartDiscount: {
      columns: [
        'name',
        'value.type',
        'isActive',
        'validUntil',
        'requiresDiscountCode',
        'cartPredicate',
        'sortOrder',
        'discountGroup',
      ],
      labels: {
        'value.type': value,
        isActive: status,
        validUntil: validity,
        requiresDiscountCode: { en: 'Code', de: 'Code' },
        cartPredicate: { en: 'Applies to', de: 'Gilt für' },
        sortOrder: { en: 'Order', de: 'Reihenfolge' },
      },
      cells: {
        'value.type': cell('value'),
        isActive: cell('status'),
        validUntil: cell('validity'),
        requiresDiscountCode: cell('code'),
        cartPredicate: cell('cart'),
      },
      sort: 'sortOrder desc',
      listActions: lazy(() => import('./ListActions')),
      actions: lazy(() => import('./DiscountActions')),
      summary: lazy(() => import('./CartDiscountSummary')),
      tabs: [tryTab, conditionsTab],
    },
    DiscountCode: {
      columns: [
        'code',
        'name',
        'cartDiscounts',
        'isActive',
        'validUntil',
        'maxApplications',
        'maxApplicationsPerCustomer',
        'lastModifiedAt',
      ],
      labels: {
        isActive: status,
        validUntil: validity,
        maxApplications: { en: 'Limit in all', de: 'Grenze insgesamt' },
        maxApplicationsPerCustomer: { en: 'Per customer', de: 'Je Kunde' },
      },
      cells: { isActive: cell('status'), validUntil: cell('validity') },
      sort: 'lastModifiedAt desc',
      listActions: lazy(() => import('./ListActions')),
      actions: lazy(() => import('./CodeActions')),
      summary: lazy(() => import('./CodeSummary')),
      tabs: [tryTab, conditionsTab],
    },
    ProductDiscount: {
      columns: ['name', 'value.type', 'isActive', 'validUntil', 'predicate', 'sortOrder'],
      labels: {
        'value.type': value,
        isActive: status,
        validUntil: validity,
        predicate: { en: 'Applies to', de: 'Gilt für' },
        sortOrder: { en: 'Order', de: 'Reihenfolge' },
      },
      cells: {
        'value.type': cell('value'),
        isActive: cell('status'),
        validUntil: cell('validity'),
        predicate: cell('price'),
      },
      sort: 'sortOrder desc',
      actions: lazy(() => import('./DiscountActions')),
      summary: lazy(() => import('./ProductDiscountSummary')),
      tabs: [conditionsTab],
    },
    DiscountGroup: {
      columns: ['name', 'key', 'isActive', 'sortOrder', 'lastModifiedAt'],
      labels: { isActive: status, sortOrder: { en: 'Order', de: 'Reihenfolge' } },
      cells: { isActive: cell('status') },
      sort: 'sortOrder desc',
      listActions: lazy(() => import('./ListActions')),
    },
  },
};
