import { lazy } from 'react';
import type { Area } from '../../app/areas';

export const area: Area = {
  routes: [{ path: 'discounts/new', page: lazy(() => import('./PromotionPage')) }],
  navigation: [
    {
      group: 'discounts',
      path: 'discounts/new',
      label: { en: 'New promotion', de: 'Neue Aktion' },
      scopes: ['manage_cart_discounts', 'manage_orders'],
    },
  ],
};
