import { useMemo } from 'react';
import { useApp, useProject } from '../api/project';
import { useSession } from '../api/session';
import { may, segmentOf } from '../model/model';
import type { Kind } from '../model/types';
import { pluralize } from '../model/values';
import type { IconName } from '../ui/Icon';
import { areas, type AreaEntry, type GroupId } from './areas';
import { usePreferences, type Language } from './preferences';

export interface Entry {
  path: string;
  label: string;
  kind?: Kind;
}

export interface Group {
  id: GroupId;
  icon: IconName;
  label: string;
  entries: Entry[];
}

/** The groups of the navigation with their kinds. A kind that is not listed is in the last group. */
const GROUPS: { id: GroupId; icon: IconName; label: Record<Language, string>; kinds: string[] }[] = [
  {
    id: 'orders',
    icon: 'orders',
    label: { en: 'Orders', de: 'Bestellungen' },
    kinds: ['Order', 'Cart', 'OrderEdit', 'Payment', 'QuoteRequest', 'StagedQuote', 'Quote', 'RecurringOrder'],
  },
  {
    id: 'products',
    icon: 'products',
    label: { en: 'Products', de: 'Produkte' },
    kinds: ['Product', 'Category', 'InventoryEntry', 'StandalonePrice', 'ProductSelection', 'ProductTailoring', 'Variant'],
  },
  {
    id: 'customers',
    icon: 'customers',
    label: { en: 'Customers', de: 'Kunden' },
    kinds: ['Customer', 'CustomerGroup', 'BusinessUnit', 'AssociateRole', 'PaymentMethod'],
  },
  {
    id: 'discounts',
    icon: 'discounts',
    label: { en: 'Discounts', de: 'Rabatte' },
    kinds: ['CartDiscount', 'DiscountCode', 'ProductDiscount', 'DiscountGroup'],
  },
  { id: 'content', icon: 'content', label: { en: 'Content', de: 'Inhalte' }, kinds: ['CustomObject', 'Review', 'ShoppingList'] },
  {
    id: 'settings',
    icon: 'settings',
    label: { en: 'Settings', de: 'Einstellungen' },
    kinds: [
      'Project',
      'Channel',
      'Store',
      'Zone',
      'ShippingMethod',
      'TaxCategory',
      'ProductType',
      'AttributeGroup',
      'Type',
      'State',
      'RecurrencePolicy',
    ],
  },
  {
    id: 'developers',
    icon: 'developers',
    label: { en: 'Developers', de: 'Entwickler' },
    kinds: ['ApiClient', 'Subscription', 'Extension', 'Message'],
  },
  { id: 'more', icon: 'grid', label: { en: 'More', de: 'Weitere' }, kinds: [] },
];

/** Kinds that people look for most often: they are first among what a text finds. */
const LOOKED_FOR_FIRST = ['Order', 'Customer', 'Product', 'DiscountCode'];
const RANKS = new Map([...LOOKED_FOR_FIRST, ...GROUPS.flatMap((group) => group.kinds)].reverse().map((name, at) => [name, -at]));

/** The place of a kind among what a text finds: less is earlier. */
export const findingRank = (kind: Kind): number => RANKS.get(kind.name) ?? 1;

/** German names of kinds. English names come from the model. */
const GERMAN: Record<string, string> = {
  ApiClient: 'API-Clients',
  Application: 'Anwendungen',
  AssociateRole: 'Rollen in Firmen',
  AttributeGroup: 'Attributgruppen',
  BusinessUnit: 'Firmen',
  Cart: 'Warenkörbe',
  CartDiscount: 'Warenkorbrabatte',
  Category: 'Kategorien',
  Channel: 'Kanäle',
  Customer: 'Kunden',
  CustomerGroup: 'Kundengruppen',
  CustomObject: 'Custom Objects',
  DiscountCode: 'Rabattcodes',
  DiscountGroup: 'Rabattgruppen',
  Extension: 'Extensions',
  InventoryEntry: 'Bestand',
  McpServer: 'MCP-Server',
  Message: 'Messages',
  Order: 'Bestellungen',
  OrderEdit: 'Bestelländerungen',
  Payment: 'Zahlungen',
  PaymentIntegration: 'Zahlungsanbindungen',
  PaymentMethod: 'Zahlungsarten',
  Product: 'Produkte',
  ProductDiscount: 'Produktrabatte',
  ProductProjection: 'Produktprojektionen',
  ProductSelection: 'Produktauswahlen',
  ProductTailoring: 'Produktanpassungen',
  ProductType: 'Produkttypen',
  Project: 'Projekt',
  Quote: 'Angebote',
  QuoteRequest: 'Angebotsanfragen',
  RecurrencePolicy: 'Wiederholungen',
  RecurringOrder: 'Wiederkehrende Bestellungen',
  Review: 'Bewertungen',
  ShippingMethod: 'Versandarten',
  ShoppingList: 'Einkaufslisten',
  StagedQuote: 'Angebotsentwürfe',
  StandalonePrice: 'Einzelpreise',
  State: 'Zustände',
  Store: 'Stores',
  Subscription: 'Subscriptions',
  TaxCategory: 'Steuerkategorien',
  Type: 'Typen',
  Variant: 'Varianten',
  VariantProjection: 'Variantenprojektionen',
  Zone: 'Zonen',
};
const ENGLISH: Record<string, string> = {
  InventoryEntry: 'Inventory',
  Project: 'Project',
  ApiClient: 'API Clients',
  McpServer: 'MCP Servers',
};

function kindLabel(kind: Kind, language: Language): string {
  if (language === 'de' && GERMAN[kind.name]) return GERMAN[kind.name]!;
  return ENGLISH[kind.name] ?? pluralize(kind.name);
}

/** `Cart Discount`: the name of one document, as the API has it. */
export const kindName = (kind: Kind): string =>
  kind.name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/^Api /, 'API ')
    .replace(/^Mcp /, 'MCP ');

export function useKindLabel(): (kind: Kind) => string {
  const { language } = usePreferences();
  return (kind) => kindLabel(kind, language);
}

/** Whether the operator's role allows what needs these scopes. */
export function mayOpen(
  { scopes, required, administrator }: { scopes?: string[]; required?: string; administrator?: boolean },
  own: ReadonlySet<string>,
  isAdministrator: boolean,
): boolean {
  if (administrator && !isAdministrator) return false;
  if (own.has('manage_project')) return true;
  return (!scopes || scopes.some((scope) => own.has(scope))) && (!required || own.has(required));
}

/** Returns the groups of the navigation with the entries that the operator's role may see. */
export function useNavigation(): Group[] {
  const { model, configuration } = useApp();
  const { scopes } = useProject();
  const { administrator } = useSession();
  const { language } = usePreferences();
  return useMemo(() => {
    const listed = model.kinds.filter((kind) => !kind.hidden && may.view(kind, scopes));
    const named = new Set(GROUPS.flatMap((group) => group.kinds));
    const allowed = (entry: AreaEntry) =>
      mayOpen(entry, scopes, administrator) && (!entry.testControls || configuration.testControls);
    const extra = areas.flatMap((area) => area.navigation ?? []).filter(allowed);
    const toEntry = (kind: Kind): Entry => ({ path: segmentOf(kind), label: kindLabel(kind, language), kind });
    return GROUPS.map((group) => {
      const kinds =
        group.id === 'more'
          ? listed.filter((kind) => !named.has(kind.name))
          : group.kinds.map((name) => listed.find((kind) => kind.name === name)).filter((kind) => kind !== undefined);
      const entries = [
        ...kinds.map(toEntry),
        ...extra.filter((entry) => entry.group === group.id).map((entry) => ({ path: entry.path, label: entry.label[language] })),
      ];
      return { id: group.id, icon: group.icon, label: group.label[language], entries };
    }).filter((group) => group.entries.length > 0);
  }, [model, configuration, scopes, administrator, language]);
}
