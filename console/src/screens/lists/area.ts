import type { Area } from '../../app/areas';

/** The columns and the order with which lists of daily work begin. */
export const area: Area = {
  kinds: {
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
