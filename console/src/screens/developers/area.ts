import { lazy } from 'react';
import type { Area } from '../../app/areas';

const OVERVIEW = { en: 'Overview', de: 'Überblick' };
const RECEIVERS = ['manage_subscriptions', 'manage_extensions'];
/** Scopes for the pages that developers use; any of them is enough. */
const DEVELOPERS = ['view_api_clients', 'manage_extensions', 'manage_subscriptions', 'manage_api_clients', 'manage_types'];
const IMPORTS = ['view_import_containers', 'manage_import_containers'];

export const area: Area = {
  routes: [
    { path: 'developers/searches', page: lazy(() => import('./SearchesPage')) },
    { path: 'developers/deliveries', page: lazy(() => import('./DeliveriesPage')) },
    { path: 'developers/requests', page: lazy(() => import('./RequestsPage')) },
    { path: 'developers/imports', page: lazy(() => import('./ImportsPage')) },
    { path: 'developers/imports/:container', page: lazy(() => import('./ImportContainerPage')) },
    { path: 'developers/graphql', page: lazy(() => import('./GraphQLPage')) },
    { path: 'developers/api', page: lazy(() => import('./ApiPage')) },
    { path: 'developers/test', page: lazy(() => import('./TestControlsPage')) },
  ],
  navigation: [
    {
      group: 'developers',
      path: 'developers/searches',
      label: { en: 'Searches', de: 'Suchen' },
      scopes: ['view_project_settings', 'manage_project_settings'],
    },
    { group: 'developers', path: 'developers/deliveries', label: { en: 'Deliveries', de: 'Zustellungen' }, scopes: RECEIVERS },
    {
      group: 'developers',
      path: 'developers/requests',
      label: { en: 'Request log', de: 'Anfragen' },
      // Merchandisers may read it, because Change History has the same scope, but it says nothing to them.
      scopes: DEVELOPERS,
      required: 'view_audit_log',
    },
    { group: 'developers', path: 'developers/imports', label: { en: 'Imports', de: 'Importe' }, scopes: IMPORTS },
    { group: 'developers', path: 'developers/graphql', label: { en: 'GraphQL', de: 'GraphQL' }, scopes: DEVELOPERS },
    { group: 'developers', path: 'developers/api', label: { en: 'API reference', de: 'API-Referenz' }, scopes: DEVELOPERS },
    {
      group: 'developers',
      path: 'developers/test',
      label: { en: 'Test controls', de: 'Teststeuerung' },
      scopes: ['manage_project'],
      testControls: true,
    },
  ],
  kinds: {
    Subscription: {
      columns: ['key', 'status', 'destination.type', 'messages', 'changes', 'lastModifiedAt'],
      tabs: [
        {
          id: 'overview',
          label: OVERVIEW,
          content: lazy(() => import('./ReceiverOverview').then((module) => ({ default: module.SubscriptionOverview }))),
        },
      ],
    },
    Extension: {
      columns: ['key', 'destination.type', 'triggers', 'timeoutInMs', 'lastModifiedAt'],
      tabs: [
        {
          id: 'overview',
          label: OVERVIEW,
          content: lazy(() => import('./ReceiverOverview').then((module) => ({ default: module.ExtensionOverview }))),
        },
      ],
    },
  },
};
