import type { Area } from '../../app/areas';

const ALL = { name: 'all', fieldType: 'text' };

/** The columns and the order with which lists of daily work begin. */
export const area: Area = {
  kinds: {
    Product: {
      columns: [
        'masterData.current.name',
        'key',
        'productType',
        'masterData.published',
        'masterData.hasStagedChanges',
        'masterData.current.categories',
        'taxCategory',
        'lastModifiedAt',
      ],
      searchFields: [
        { name: 'name', fieldType: 'text', language: true },
        { name: 'key', fieldType: 'keyword' },
        { name: 'variants.sku', fieldType: 'keyword' },
      ],
    },
    BusinessUnit: { searchFields: [ALL] },
    Customer: {
      columns: [
        'email',
        'firstName',
        'lastName',
        'customerNumber',
        'companyName',
        'customerGroup',
        'isEmailVerified',
        'createdAt',
      ],
      searchFields: [ALL, { name: 'email', fieldType: 'keyword' }],
    },
    Category: { columns: ['name', 'key', 'slug', 'parent', 'orderHint', 'lastModifiedAt'] },
    InventoryEntry: {
      columns: [
        'sku',
        'supplyChannel',
        'quantityOnStock',
        'availableQuantity',
        'restockableInDays',
        'expectedDelivery',
        'lastModifiedAt',
      ],
    },
    DiscountCode: {
      columns: ['code', 'name', 'cartDiscounts', 'isActive', 'maxApplications', 'validFrom', 'validUntil', 'lastModifiedAt'],
    },
    CartDiscount: {
      columns: ['name', 'key', 'isActive', 'requiresDiscountCode', 'sortOrder', 'stackingMode', 'validFrom', 'validUntil'],
    },
    ProductDiscount: { columns: ['name', 'key', 'isActive', 'sortOrder', 'predicate', 'validFrom', 'validUntil'] },
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
