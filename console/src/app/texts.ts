import { defineTexts } from '../i18n/texts';

export const useShellTexts = defineTexts(
  {
    home: 'Home', skip: 'Skip to content', navigation: 'Navigation', openNavigation: 'Open navigation', find: 'Search or jump to …', project: 'Project', operatorMenu: 'Operator: {name}',
    light: 'Light', dark: 'Dark', system: 'As the system', appearance: 'Appearance', language: 'Language', zone: 'Time zone', local: 'Local time', live: 'Live', liveOn: 'Open lists follow changes', liveOff: 'Open lists do not follow changes',
    password: 'Change password …', shortcuts: 'Keyboard shortcuts', signOut: 'Sign out', gone: 'The server does not answer. Trying again …', back: 'The server is back.',
    signIn: 'Sign in', signInTo: 'Sign in to Kontor', email: 'E-mail', passwordField: 'Password', signInAgain: 'Your session has ended', signInAgainHint: 'Sign in again to continue. What you typed is still here.',
    tooMany: 'Too many attempts. Try again in {count} seconds.', setUpTitle: 'Set up the first operator', setUpHint: 'This account is an administrator of all projects. Further operators can be added in the settings.', yourName: 'Your name', setUp: 'Create account',
    currentPassword: 'Current password', newPassword: 'New password', repeatPassword: 'Repeat the new password', different: 'The two passwords differ.', setPassword: 'Choose a password', setPasswordHint: 'You came by a link, which works once. With a password you can sign in again.', passwordSet: 'The password is set.', passwordChanged: 'The password is changed. All other sessions have ended.', tooShort: 'At least {count} characters.',
    firstLink: 'This server has no operator yet. Open the link that it printed when it started, or run `kontor operator add`.', linkUsed: 'This link was used, or is too old. Ask an administrator for a new one, or sign in with your password.', withProvider: 'Sign in with {name}',
    noProject: 'You have no project yet. Ask an administrator to give you a role.', noSuchProject: 'There is no project {name}, or you have no role in it.', unsaved: 'Leave without saving?', unsavedHint: 'Your changes on this page are not saved.', leave: 'Leave', stay: 'Stay',
    palette: 'Find and do', paletteHint: 'Number, key, SKU, name, e-mail, or a page', pages: 'Pages', actions: 'Actions', results: 'Found', newOne: 'New {name}', searching: 'Searching …',
    goTo: 'Go to {name}', filter: 'Go to the filter', moveRows: 'Move in a list', selectRow: 'Select a row', openRow: 'Open a row', editForm: 'Go to the form', thisHelp: 'This help', openPalette: 'Find anything', saveChanges: 'Review changes', pageMissing: 'There is no such page.',
  },
  {
    home: 'Start', skip: 'Zum Inhalt', navigation: 'Navigation', openNavigation: 'Navigation öffnen', find: 'Suchen oder springen …', project: 'Projekt', operatorMenu: 'Konto: {name}',
    light: 'Hell', dark: 'Dunkel', system: 'Wie das System', appearance: 'Darstellung', language: 'Sprache', zone: 'Zeitzone', local: 'Ortszeit', live: 'Live', liveOn: 'Offene Listen folgen Änderungen', liveOff: 'Offene Listen folgen Änderungen nicht',
    password: 'Passwort ändern …', shortcuts: 'Tastaturkürzel', signOut: 'Abmelden', gone: 'Der Server antwortet nicht. Neuer Versuch …', back: 'Der Server ist wieder da.',
    signIn: 'Anmelden', signInTo: 'Bei Kontor anmelden', email: 'E-Mail', passwordField: 'Passwort', signInAgain: 'Ihre Sitzung ist beendet', signInAgainHint: 'Melden Sie sich wieder an. Ihre Eingaben sind noch da.',
    tooMany: 'Zu viele Versuche. Versuchen Sie es in {count} Sekunden wieder.', setUpTitle: 'Das erste Konto anlegen', setUpHint: 'Dieses Konto verwaltet alle Projekte. Weitere Konten können in den Einstellungen angelegt werden.', yourName: 'Ihr Name', setUp: 'Konto anlegen',
    currentPassword: 'Bisheriges Passwort', newPassword: 'Neues Passwort', repeatPassword: 'Neues Passwort wiederholen', different: 'Die Passwörter sind verschieden.', setPassword: 'Wählen Sie ein Passwort', setPasswordHint: 'Sie kamen über einen Link, der einmal gilt. Mit einem Passwort können Sie sich wieder anmelden.', passwordSet: 'Das Passwort ist gesetzt.', passwordChanged: 'Das Passwort ist geändert. Alle anderen Sitzungen sind beendet.', tooShort: 'Mindestens {count} Zeichen.',
    firstLink: 'Dieser Server hat noch kein Konto. Öffnen Sie den Link, den er beim Start ausgegeben hat, oder führen Sie `kontor operator add` aus.', linkUsed: 'Dieser Link wurde benutzt oder ist zu alt. Bitten Sie um einen neuen, oder melden Sie sich mit Ihrem Passwort an.', withProvider: 'Mit {name} anmelden',
    noProject: 'Sie haben noch kein Projekt. Bitten Sie um eine Rolle.', noSuchProject: 'Es gibt kein Projekt {name}, oder Sie haben dort keine Rolle.', unsaved: 'Ohne Speichern verlassen?', unsavedHint: 'Ihre Änderungen auf dieser Seite sind nicht gespeichert.', leave: 'Verlassen', stay: 'Bleiben',
    palette: 'Finden und tun', paletteHint: 'Nummer, Schlüssel, SKU, Name, E-Mail oder eine Seite', pages: 'Seiten', actions: 'Aktionen', results: 'Gefunden', newOne: 'Neu: {name}', searching: 'Sucht …',
    goTo: 'Zu {name}', filter: 'Zum Filter', moveRows: 'In einer Liste bewegen', selectRow: 'Zeile auswählen', openRow: 'Zeile öffnen', editForm: 'Zum Formular', thisHelp: 'Diese Hilfe', openPalette: 'Alles finden', saveChanges: 'Änderungen ansehen', pageMissing: 'Diese Seite gibt es nicht.',
  },
);
