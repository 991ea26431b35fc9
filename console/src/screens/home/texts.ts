import { defineTexts } from '../../i18n/texts';

export const useHomeTexts = defineTexts(
  {
    ordersToday: 'Orders today', revenueToday: 'Revenue today', openCarts: 'Open carts', refill: 'To refill', perDay: '{count} a day on average', days: 'The last {count} days', revenue: 'Revenue', orders: 'Orders', currency: 'Currency', noOrders: 'No orders in this time', noOrdersHint: 'Orders appear here as soon as a storefront creates the first one.',
    latest: 'Latest orders', stock: 'Stock to refill', stockHint: 'Fewer than {count} available', enough: 'Everything is in stock.', all: 'Show all', health: 'Health', ok: 'Everything is running', notOk: 'Something needs attention', search: 'Search {name}', upToDate: 'up to date', behind: '{count} changes behind', behind_one: '1 change behind',
    deliveries: 'Event deliveries', waiting: '{count} waiting', failed: '{count} failed', imports: 'Imports', disk: 'Disk', free: '{free} free of {total}', capped: 'From the latest {count} orders.', since24h: 'changed in the last 24 hours', chart: 'Revenue and orders by day', none: 'none waiting', unknownHealth: 'The server does not report its state.', from: 'Customer', total: 'Total',
  },
  {
    ordersToday: 'Bestellungen heute', revenueToday: 'Umsatz heute', openCarts: 'Offene Warenkörbe', refill: 'Nachzufüllen', perDay: 'im Schnitt {count} am Tag', days: 'Die letzten {count} Tage', revenue: 'Umsatz', orders: 'Bestellungen', currency: 'Währung', noOrders: 'Keine Bestellungen in dieser Zeit', noOrdersHint: 'Bestellungen erscheinen hier, sobald ein Shop die erste anlegt.',
    latest: 'Neueste Bestellungen', stock: 'Bestand nachzufüllen', stockHint: 'Weniger als {count} verfügbar', enough: 'Alles ist vorrätig.', all: 'Alle zeigen', health: 'Zustand', ok: 'Alles läuft', notOk: 'Etwas braucht Aufmerksamkeit', search: 'Suche {name}', upToDate: 'aktuell', behind: '{count} Änderungen zurück', behind_one: '1 Änderung zurück',
    deliveries: 'Zustellung von Ereignissen', waiting: '{count} warten', failed: '{count} fehlgeschlagen', imports: 'Importe', disk: 'Speicher', free: '{free} von {total} frei', capped: 'Aus den neuesten {count} Bestellungen.', since24h: 'in den letzten 24 Stunden geändert', chart: 'Umsatz und Bestellungen je Tag', none: 'nichts wartet', unknownHealth: 'Der Server meldet seinen Zustand nicht.', from: 'Kunde', total: 'Summe',
  },
);
