import { lazy } from 'react';
import type { Area } from '../../app/areas';

export const area: Area = {
  routes: [{ path: 'settings/operators', page: lazy(() => import('./OperatorsPage')) }],
  navigation: [
    {
      group: 'settings',
      path: 'settings/operators',
      label: { en: 'Operators and roles', de: 'Konten und Rollen' },
      administrator: true,
    },
  ],
};
