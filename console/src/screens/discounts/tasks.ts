import type { Task } from '../../app/tasks';

export const tasks: Task[] = [
  {
    label: { en: 'Make a discount code', de: 'Einen Rabattcode anlegen' },
    words: 'new promotion coupon voucher percent off campaign Gutschein Aktion Prozent',
    path: 'discounts/new',
    scopes: ['manage_cart_discounts', 'manage_orders'],
  },
  {
    label: { en: 'Try a discount code on a cart', de: 'Einen Rabattcode am Warenkorb probieren' },
    hint: { en: 'open the code', de: 'Code öffnen' },
    words: 'test coupon voucher why not apply work Gutschein gilt nicht',
    path: 'discount-codes',
    scopes: ['manage_orders'],
  },
];
