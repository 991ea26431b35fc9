import { lazy } from 'react';
import type { Area } from '../../app/areas';

const RATES = { en: 'Rates', de: 'Sätze' };

export const area: Area = {
  routes: [{ path: 'settings/workflows', page: lazy(() => import('./WorkflowPage')) }],
  navigation: [
    {
      group: 'settings',
      path: 'settings/workflows',
      label: { en: 'Workflows', de: 'Abläufe' },
      scopes: ['view_states', 'manage_states', 'view_orders', 'manage_orders'],
    },
  ],
  kinds: {
    Project: {
      tabs: [
        { id: 'settings', label: { en: 'Settings', de: 'Einstellungen' }, content: lazy(() => import('./ProjectSettings')) },
      ],
    },
    State: {
      columns: ['name', 'key', 'type', 'initial', 'transitions', 'builtIn', 'lastModifiedAt'],
      sort: 'type asc',
      listActions: lazy(() => import('./StateListActions')),
      tabs: [
        { id: 'transitions', label: { en: 'Transitions', de: 'Übergänge' }, content: lazy(() => import('./StateTransitions')) },
      ],
    },
    TaxCategory: {
      columns: ['name', 'key', 'rates', 'description', 'lastModifiedAt'],
      tabs: [{ id: 'rates', label: RATES, content: lazy(() => import('./TaxRates')) }],
    },
    ShippingMethod: {
      columns: ['name', 'key', 'active', 'isDefault', 'taxCategory', 'zoneRates', 'carrier', 'lastModifiedAt'],
      tabs: [{ id: 'rates', label: { en: 'Prices', de: 'Preise' }, content: lazy(() => import('./ShippingRates')) }],
    },
    Zone: {
      columns: ['name', 'key', 'locations', 'description', 'lastModifiedAt'],
      tabs: [{ id: 'places', label: { en: 'Places', de: 'Orte' }, content: lazy(() => import('./ZoneLocations')) }],
    },
  },
};
