import { lazy } from 'react';
import type { Area } from '../../app/areas';

export const area: Area = {
  kinds: { ApiClient: { create: lazy(() => import('./CreateApiClient')) } },
};
