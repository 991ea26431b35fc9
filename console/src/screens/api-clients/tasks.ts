import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Create an API Client, e.g. for a storefront', de: 'Einen API-Client anlegen, z. B. für einen Shop' },
    words: 'new api key token secret credentials access Schlüssel Zugang',
    path: 'api-clients/new',
    scopes: ['manage_api_clients'],
  },
];
