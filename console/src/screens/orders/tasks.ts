import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Refund an item of an order', de: 'Eine Position erstatten' },
    hint: { en: 'open the order, then Refund', de: 'Bestellung öffnen, dann Erstatten' },
    words: 'return money back payment Rückgabe Retoure Geld zurück Bestellung',
    path: 'orders',
    scopes: ['manage_orders'],
  },
  {
    label: { en: 'Change the address of an order', de: 'Die Adresse einer Bestellung ändern' },
    hint: { en: 'open the order, then the pencil', de: 'Bestellung öffnen, dann der Stift' },
    words: 'shipping billing correct Lieferadresse Rechnungsadresse Anschrift',
    path: 'orders',
    scopes: ['manage_orders'],
  },
  {
    label: { en: 'Approve or reject a quote', de: 'Ein Angebot annehmen oder ablehnen' },
    words: 'accept decide offer negotiate B2B Anfrage',
    path: 'quotes-to-decide',
    scopes: ['manage_quotes', 'manage_quote_requests'],
  },
  {
    label: { en: 'See why a code does not count in a cart', de: 'Sehen, warum ein Code im Warenkorb nicht zählt' },
    hint: { en: 'open the cart', de: 'Warenkorb öffnen' },
    words: 'coupon voucher discount not work apply Gutschein Rabatt gilt nicht',
    path: 'carts',
    scopes: ['view_orders', 'manage_orders'],
  },
];
