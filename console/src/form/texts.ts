import { defineTexts } from '../i18n/texts';

export const useFormTexts = defineTexts(
  {
    addItem: 'Add {name}', item: '{name} {number}', removeItem: 'Remove {name} {number}', kindOfValue: 'Type', setValue: 'Set {name}', removeValue: 'Remove {name}', noValue: 'Not set', invalidJson: 'This is not valid JSON.', invalidNumber: 'This is not a number.',
    customType: 'Type of the custom fields', noTypes: 'There is no Type for this resource yet.', attributes: 'Attributes', sameForAll: 'same for all variants', undefinedAttribute: 'not defined by the Product Type', entryName: 'Name', addEntry: 'Add entry',
    tooShort: 'At least {count} characters.', tooLong: 'At most {count} characters.', tooSmall: 'At least {count}.', tooLarge: 'At most {count}.', pattern: 'Allowed: {pattern}', isRequired: 'This is required.', optionalFields: 'Optional fields', showAll: 'Show {count} more fields', showAll_one: 'Show 1 more field', fewer: 'Show fewer',
    notEditable: 'No update action changes this', advanced: 'as JSON', form: 'as form', yes: 'Yes', no: 'No', unset: 'Not set',
  },
  {
    addItem: '{name} hinzufügen', item: '{name} {number}', removeItem: '{name} {number} entfernen', kindOfValue: 'Art', setValue: '{name} setzen', removeValue: '{name} entfernen', noValue: 'Nicht gesetzt', invalidJson: 'Das ist kein gültiges JSON.', invalidNumber: 'Das ist keine Zahl.',
    customType: 'Typ der eigenen Felder', noTypes: 'Es gibt dafür noch keinen Typ.', attributes: 'Attribute', sameForAll: 'für alle Varianten gleich', undefinedAttribute: 'nicht im Produkttyp definiert', entryName: 'Name', addEntry: 'Eintrag hinzufügen',
    tooShort: 'Mindestens {count} Zeichen.', tooLong: 'Höchstens {count} Zeichen.', tooSmall: 'Mindestens {count}.', tooLarge: 'Höchstens {count}.', pattern: 'Erlaubt: {pattern}', isRequired: 'Das ist erforderlich.', optionalFields: 'Optionale Felder', showAll: '{count} weitere Felder', showAll_one: '1 weiteres Feld', fewer: 'Weniger Felder',
    notEditable: 'Keine Änderungsaktion ändert das', advanced: 'als JSON', form: 'als Formular', yes: 'Ja', no: 'Nein', unset: 'Nicht gesetzt',
  },
);
