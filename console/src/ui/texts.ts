import { defineTexts } from '../i18n/texts';

/** Texts of the base components and of words that all pages use. */
export const useWords = defineTexts(
  {
    save: 'Save', cancel: 'Cancel', close: 'Close', discard: 'Discard', delete: 'Delete', create: 'Create', edit: 'Edit', add: 'Add', remove: 'Remove', copy: 'Copy',
    copied: 'Copied', more: 'More', search: 'Search', loading: 'Loading', retry: 'Try again', yes: 'Yes', no: 'No', none: 'None', done: 'Done', back: 'Back', path: 'Path of the page',
    optional: 'optional', required: 'required', moveUp: 'Move up', moveDown: 'Move down', notSet: 'not set', language: 'Language', missing: 'missing', all: 'All',
    copyFrom: 'Copy from {language}', sideBySide: 'Side by side', oneByOne: 'One by one', languagesMissing: '{count} languages missing', languagesMissing_one: '1 language missing', amount: 'Amount', currency: 'Currency',
    choose: 'Choose …', clear: 'Clear', recent: 'Recently used', noMatch: 'Nothing matches', typeToSearch: 'Type a name, key or number', open: 'Open', openPage: 'Open page',
    failed: 'That did not work', notFound: 'Not found', items: '{count} entries', items_one: '1 entry', next: 'Next', previous: 'Previous', selected: '{count} selected', name: 'Name', value: 'Value',
    selectAll: 'Select all rows', selectRow: 'Select row', sortAscending: 'sorted ascending', sortDescending: 'sorted descending', notifications: 'Notifications', noAccess: 'Your role may not see this.', unreadable: 'not readable with your role',
  },
  {
    save: 'Speichern', cancel: 'Abbrechen', close: 'Schließen', discard: 'Verwerfen', delete: 'Löschen', create: 'Anlegen', edit: 'Bearbeiten', add: 'Hinzufügen', remove: 'Entfernen', copy: 'Kopieren',
    copied: 'Kopiert', more: 'Mehr', search: 'Suchen', loading: 'Lädt', retry: 'Erneut versuchen', yes: 'Ja', no: 'Nein', none: 'Keine', done: 'Fertig', back: 'Zurück', path: 'Pfad der Seite',
    optional: 'optional', required: 'erforderlich', moveUp: 'Nach oben', moveDown: 'Nach unten', notSet: 'nicht gesetzt', language: 'Sprache', missing: 'fehlt', all: 'Alle',
    copyFrom: 'Aus {language} übernehmen', sideBySide: 'Nebeneinander', oneByOne: 'Einzeln', languagesMissing: '{count} Sprachen fehlen', languagesMissing_one: '1 Sprache fehlt', amount: 'Betrag', currency: 'Währung',
    choose: 'Auswählen …', clear: 'Leeren', recent: 'Zuletzt verwendet', noMatch: 'Nichts gefunden', typeToSearch: 'Name, Schlüssel oder Nummer', open: 'Öffnen', openPage: 'Seite öffnen',
    failed: 'Das hat nicht geklappt', notFound: 'Nicht gefunden', items: '{count} Einträge', items_one: '1 Eintrag', next: 'Weiter', previous: 'Zurück', selected: '{count} ausgewählt', name: 'Name', value: 'Wert',
    selectAll: 'Alle Zeilen auswählen', selectRow: 'Zeile auswählen', sortAscending: 'aufsteigend sortiert', sortDescending: 'absteigend sortiert', notifications: 'Meldungen', noAccess: 'Ihre Rolle darf das nicht sehen.', unreadable: 'für Ihre Rolle nicht lesbar',
  },
);
