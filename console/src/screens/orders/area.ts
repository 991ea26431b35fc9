import { lazy } from 'react';
import type { Area, KindScreens } from '../../app/areas';
import { itemCells } from './cells';

const items = { id: 'items', label: { en: 'Items', de: 'Positionen' }, content: lazy(() => import('./ItemsTab')) };
const quoteActions = lazy(() => import('./QuoteSummary').then((part) => ({ default: part.QuoteActions })));
const quoteColumns = ['lineItems', 'customer', 'businessUnit', 'totalPrice'];
const quoteScreens: KindScreens = {
  summary: lazy(() => import('./QuoteSummary')),
  actions: quoteActions,
  tabs: [items],
  cells: itemCells,
  sort: 'createdAt desc',
};

/** Orders, Carts, Payments, Order Edits and negotiations. */
export const area: Area = {
  routes: [{ path: 'quotes-to-decide', page: lazy(() => import('./DecidePage')) }],
  navigation: [
    {
      group: 'orders',
      path: 'quotes-to-decide',
      label: { en: 'Quotes to decide', de: 'Offene Angebote' },
      scopes: ['view_quotes', 'manage_quotes', 'view_quote_requests', 'manage_quote_requests'],
    },
  ],
  kinds: {
    Order: {
      summary: lazy(() => import('./OrderSummary')),
      actions: lazy(() => import('./OrderActions')),
      tabs: [
        items,
        {
          id: 'shipping',
          label: { en: 'Deliveries and returns', de: 'Lieferungen' },
          content: lazy(() => import('./ShippingTab')),
        },
        { id: 'payments', label: { en: 'Payments', de: 'Zahlungen' }, content: lazy(() => import('./PaymentsTab')) },
        { id: 'edits', label: { en: 'Edits', de: 'Änderungen' }, content: lazy(() => import('./EditsTab')) },
      ],
      columns: [
        'orderNumber',
        'createdAt',
        'customerEmail',
        'lineItems',
        'totalPrice',
        'orderState',
        'paymentState',
        'shipmentState',
      ],
      cells: itemCells,
      sort: 'createdAt desc',
      searchFields: [
        { name: 'all', fieldType: 'text' },
        { name: 'orderNumber', fieldType: 'keyword' },
        { name: 'customerEmail', fieldType: 'keyword' },
        { name: 'lineItems.variant.sku', fieldType: 'keyword' },
      ],
      lookupPaths: ['lineItems.variant.sku'],
    },
    Cart: {
      summary: lazy(() => import('./CartSummary')),
      actions: lazy(() => import('./CartSummary').then((part) => ({ default: part.CartActions }))),
      tabs: [items],
      columns: ['lineItems', 'customerEmail', 'cartState', 'totalPrice', 'discountCodes', 'country', 'lastModifiedAt'],
      cells: itemCells,
      sort: 'lastModifiedAt desc',
      lookupPaths: ['customerEmail', 'lineItems.variant.sku'],
    },
    OrderEdit: {
      tabs: [{ id: 'result', label: { en: 'Changes', de: 'Änderungen' }, content: lazy(() => import('./EditSummary')) }],
      actions: lazy(() => import('./EditSummary').then((part) => ({ default: part.EditActions }))),
      sort: 'createdAt desc',
    },
    QuoteRequest: { ...quoteScreens, columns: [...quoteColumns, 'quoteRequestState', 'comment', 'createdAt'] },
    Quote: { ...quoteScreens, columns: [...quoteColumns, 'quoteState', 'validTo', 'createdAt'] },
    StagedQuote: {
      summary: lazy(() => import('./QuoteSummary').then((part) => ({ default: part.StagedQuoteSummary }))),
      actions: quoteActions,
      tabs: [
        {
          id: 'offer',
          label: { en: 'Offer', de: 'Angebot' },
          content: lazy(() => import('./QuoteSummary').then((part) => ({ default: part.OfferTab }))),
        },
      ],
      columns: ['id', 'customer', 'businessUnit', 'stagedQuoteState', 'validTo', 'sellerComment', 'lastModifiedAt'],
      sort: 'lastModifiedAt desc',
    },
  },
};
