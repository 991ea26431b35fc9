import { lazy } from 'react';
import type { Area } from '../../app/areas';

const ALL = { name: 'all', fieldType: 'text' };
const addresses = {
  id: 'addresses',
  label: { en: 'Addresses', de: 'Adressen' },
  content: lazy(() => import('./AddressCards')),
};

export const area: Area = {
  routes: [{ path: 'business-units/tree', page: lazy(() => import('./UnitTreePage')) }],
  kinds: {
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
      labels: {
        email: { en: 'E-mail', de: 'E-Mail' },
        firstName: { en: 'First name', de: 'Vorname' },
        lastName: { en: 'Last name', de: 'Nachname' },
        customerNumber: { en: 'Number', de: 'Nummer' },
        companyName: { en: 'Company', de: 'Firma' },
        customerGroup: { en: 'Group', de: 'Gruppe' },
        isEmailVerified: { en: 'Verified', de: 'Bestätigt' },
        createdAt: { en: 'Customer since', de: 'Kunde seit' },
      },
      searchFields: [ALL, { name: 'email', fieldType: 'keyword' }],
      lookupPaths: ['firstName', 'lastName', 'companyName'],
      sort: 'createdAt desc',
      summary: lazy(() => import('./CustomerSummary')),
      actions: lazy(() => import('./CustomerActions')),
      tabs: [
        addresses,
        { id: 'orders', label: { en: 'Orders', de: 'Bestellungen' }, content: lazy(() => import('./CustomerOrders')) },
        { id: 'carts', label: { en: 'Carts', de: 'Warenkörbe' }, content: lazy(() => import('./CustomerCarts')) },
      ],
    },
    BusinessUnit: {
      columns: ['name', 'key', 'unitType', 'status', 'parentUnit', 'contactEmail', 'associates', 'lastModifiedAt'],
      searchFields: [ALL],
      listActions: lazy(() => import('./UnitListActions')),
      summary: lazy(() => import('./UnitSummary')),
      tabs: [
        { id: 'associates', label: { en: 'Associates', de: 'Mitglieder' }, content: lazy(() => import('./UnitAssociates')) },
        addresses,
        { id: 'approvals', label: { en: 'Approvals', de: 'Freigaben' }, content: lazy(() => import('./UnitApprovals')) },
        { id: 'quotes', label: { en: 'Quotes', de: 'Angebote' }, content: lazy(() => import('./UnitQuotes')) },
      ],
    },
  },
};
