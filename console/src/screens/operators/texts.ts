import { defineTexts } from '../../i18n/texts';

export const useOperatorTexts = defineTexts(
  {
    title: 'Operators and roles', operators: 'Operators', roles: 'Roles', invite: 'Add operator', name: 'Name', email: 'E-mail', role: 'Role', project: 'Project', allProjects: 'All projects', addRole: 'Add role', removeRole: 'Remove role {name}', linkTitle: 'Give this link to {name}',
    linkHint: 'It works once, and sets the password. It is shown only now.', edit: 'Edit operator', reset: 'New password link', remove: 'Delete operator', removeHint: '{name} can no longer sign in. All sessions end at once.', you: 'you', saved: 'Saved', newRole: 'New role', editRole: 'Role {name}', scopes: 'Scopes', builtIn: 'built in', scopeCount: '{count} scopes', scopeCount_one: '1 scope',
    removeRoleTitle: 'Delete role {name}?', removeRoleHint: 'Operators with this role lose its rights.', onlyAdmins: 'Only administrators manage operators.', findScope: 'Find a scope', view: 'Read', manage: 'Write', noRole: 'no role', roleHint: 'A role is a set of scopes. Its name is chosen for each project of an operator.',
  },
  {
    title: 'Konten und Rollen', operators: 'Konten', roles: 'Rollen', invite: 'Konto hinzufügen', name: 'Name', email: 'E-Mail', role: 'Rolle', project: 'Projekt', allProjects: 'Alle Projekte', addRole: 'Rolle hinzufügen', removeRole: 'Rolle {name} entfernen', linkTitle: 'Geben Sie {name} diesen Link',
    linkHint: 'Er gilt einmal und setzt das Passwort. Er wird nur jetzt gezeigt.', edit: 'Konto bearbeiten', reset: 'Neuer Passwort-Link', remove: 'Konto löschen', removeHint: '{name} kann sich nicht mehr anmelden. Alle Sitzungen enden sofort.', you: 'Sie', saved: 'Gespeichert', newRole: 'Neue Rolle', editRole: 'Rolle {name}', scopes: 'Scopes', builtIn: 'eingebaut', scopeCount: '{count} Scopes', scopeCount_one: '1 Scope',
    removeRoleTitle: 'Rolle {name} löschen?', removeRoleHint: 'Konten mit dieser Rolle verlieren ihre Rechte.', onlyAdmins: 'Nur die Rolle administrator verwaltet Konten.', findScope: 'Scope suchen', view: 'Lesen', manage: 'Schreiben', noRole: 'keine Rolle', roleHint: 'Eine Rolle ist eine Menge von Scopes. Ihr Name wird für jedes Projekt eines Kontos gewählt.',
  },
);
