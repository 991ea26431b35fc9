import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Change many prices', de: 'Viele Preise ändern' },
    hint: { en: 'select products, then Change prices', de: 'Produkte auswählen, dann Preise ändern' },
    words: 'raise increase reduce percent currency erhöhen senken Prozent',
    path: 'products',
    scopes: ['manage_products'],
  },
  {
    label: { en: 'Import stock from a CSV file', de: 'Bestand aus CSV importieren' },
    words: 'upload inventory quantity excel spreadsheet Lager Menge hochladen',
    path: 'inventory/import',
    scopes: ['manage_products'],
  },
  {
    label: { en: 'Import prices from a CSV file', de: 'Preise aus CSV importieren' },
    words: 'upload excel spreadsheet hochladen',
    path: 'standalone-prices/import',
    scopes: ['manage_products', 'manage_standalone_prices'],
  },
  {
    label: { en: 'Publish changed products', de: 'Geänderte Produkte veröffentlichen' },
    hint: { en: 'open one, then Publish changes', de: 'öffnen, dann Änderungen veröffentlichen' },
    words: 'staged release go live difference compare online Unterschied',
    path: `products?where=${encodeURIComponent('masterData(hasStagedChanges = true)')}`,
    scopes: ['manage_products'],
  },
  {
    label: { en: 'Add a colour or another value to a Product Type', de: 'Eine Farbe oder einen anderen Wert anlegen' },
    hint: { en: 'open the type: Values', de: 'Typ öffnen: Werte' },
    words: 'attribute option color size enum Attribut Größe Produkttyp',
    path: 'product-types',
    scopes: ['manage_products', 'manage_product_types'],
  },
  {
    label: { en: 'Put an earlier text back', de: 'Einen früheren Text zurückholen' },
    hint: { en: 'open the product: Timeline', de: 'Produkt öffnen: Verlauf' },
    words: 'restore undo history deleted description version wiederherstellen gelöscht Beschreibung',
    path: 'products',
    scopes: ['manage_products'],
  },
];
