import { defineTexts } from '../i18n/texts';

export const useListTexts = defineTexts(
  {
    newOne: 'New {name}', all: 'All', textSearch: 'Search {name}', exactly: 'Find by {names}', predicate: 'Filter, e.g. {example}', predicateLabel: 'Filter by predicate', hits: '{count} match', hits_one: '1 matches', checking: 'Counting …', columns: 'Columns', exportCsv: 'Export CSV', exporting: '{done} of {total}',
    exported: 'Exported {count} rows', saveView: 'Save view', viewName: 'Name of the view', deleteView: 'Delete view', saveViewHint: 'Filter, sort order and columns are kept in this browser.', bulkDelete: 'Delete …', bulkTitle: 'Delete {count} documents?', bulkTitle_one: 'Delete 1 document?',
    bulkHint: 'They are deleted one after another, each in the version shown. Those that others refer to are refused.', bulkDone: '{count} deleted', bulkFailed: '{count} not deleted', rows: 'Rows', page: '{from}–{to} of {total}', pageOpen: '{from}–{to}', perPage: '{count} per page', deep: 'The API returns the first 10,000 only. Narrow the list by a filter.',
    noneTitle: 'No {name} yet', noneHint: 'Create the first one here, or by the API at /{path}.', noHitTitle: 'Nothing matches', noHitHint: 'Change or clear the filter.', clearFilter: 'Clear filter', reset: 'Standard columns', findColumn: 'Find a field', searchNotReady: 'The search of this kind is not switched on. Switch it on in the project settings.', wrongAt: 'Column {column}', refresh: 'Refresh',
  },
  {
    newOne: 'Neu: {name}', all: 'Alle', textSearch: '{name} durchsuchen', exactly: 'Finden nach {names}', predicate: 'Filter, z. B. {example}', predicateLabel: 'Nach Prädikat filtern', hits: '{count} Treffer', hits_one: '1 Treffer', checking: 'Zählt …', columns: 'Spalten', exportCsv: 'CSV exportieren', exporting: '{done} von {total}',
    exported: '{count} Zeilen exportiert', saveView: 'Ansicht speichern', viewName: 'Name der Ansicht', deleteView: 'Ansicht löschen', saveViewHint: 'Filter, Sortierung und Spalten bleiben in diesem Browser.', bulkDelete: 'Löschen …', bulkTitle: '{count} Dokumente löschen?', bulkTitle_one: '1 Dokument löschen?',
    bulkHint: 'Sie werden nacheinander gelöscht, jedes in der gezeigten Version. Solche, auf die andere verweisen, werden abgelehnt.', bulkDone: '{count} gelöscht', bulkFailed: '{count} nicht gelöscht', rows: 'Zeilen', page: '{from}–{to} von {total}', pageOpen: '{from}–{to}', perPage: '{count} pro Seite', deep: 'Die API liefert nur die ersten 10.000. Grenzen Sie die Liste mit einem Filter ein.',
    noneTitle: 'Noch keine: {name}', noneHint: 'Legen Sie hier den ersten Eintrag an, oder über die API unter /{path}.', noHitTitle: 'Nichts gefunden', noHitHint: 'Ändern oder leeren Sie den Filter.', clearFilter: 'Filter leeren', reset: 'Standardspalten', findColumn: 'Feld suchen', searchNotReady: 'Die Suche ist hier nicht eingeschaltet. Schalten Sie sie in den Projekteinstellungen ein.', wrongAt: 'Spalte {column}', refresh: 'Aktualisieren',
  },
);
