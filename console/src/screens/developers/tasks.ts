import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Find out why a webhook does not arrive', de: 'Herausfinden, warum ein Webhook nicht ankommt' },
    words: 'event subscription delivery failed error queue Zustellung Fehler Ereignis',
    path: 'developers/deliveries',
    scopes: ['manage_subscriptions', 'manage_extensions'],
  },
  {
    label: { en: 'Find out why a request was refused', de: 'Herausfinden, warum eine Anfrage abgelehnt wurde' },
    words: 'log error 400 403 slow client Fehler',
    path: 'developers/requests',
    scopes: ['view_audit_log'],
  },
];
