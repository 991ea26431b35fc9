import type { Area } from '../../app/areas';

const ALL = { name: 'all', fieldType: 'text' };

/** The columns and the order with which lists of daily work begin. */
export const area: Area = {
  kinds: {
    Order: {
      columns: [
        'orderNumber',
        'customerEmail',
        'orderState',
        'paymentState',
        'shipmentState',
        'totalPrice',
        'lineItems',
        'createdAt',
      ],
      sort: 'createdAt desc',
      searchFields: [ALL, { name: 'orderNumber', fieldType: 'keyword' }, { name: 'customerEmail', fieldType: 'keyword' }],
    },
    Cart: {
      columns: ['id', 'key', 'customerEmail', 'cartState', 'totalPrice', 'lineItems', 'country', 'lastModifiedAt'],
      sort: 'lastModifiedAt desc',
    },
    Message: { columns: ['type', 'resource', 'resourceVersion', 'sequenceNumber', 'createdAt'], sort: 'createdAt desc' },
    Payment: {
      columns: [
        'key',
        'interfaceId',
        'paymentMethodInfo.paymentInterface',
        'paymentMethodInfo.method',
        'amountPlanned',
        'customer',
        'lastModifiedAt',
      ],
    },
    Review: { columns: ['title', 'rating', 'authorName', 'target', 'customer', 'state', 'createdAt'] },
    ShoppingList: { columns: ['name', 'key', 'customer', 'lineItems', 'textLineItems', 'lastModifiedAt'] },
    ApiClient: { columns: ['name', 'id', 'scope', 'lastUsedAt', 'createdAt'] },
  },
};
