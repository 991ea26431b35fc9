import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Invite a colleague', de: 'Jemanden einladen' },
    words: 'user operator account role permission add Benutzer Konto Rolle Rechte Kollege',
    path: 'settings/operators',
    administrator: true,
  },
];
