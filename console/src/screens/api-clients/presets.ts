export type Purpose = 'storefront' | 'backend' | 'importer' | 'reader' | 'terraform' | 'admin' | 'other';

/** Scopes of a client in a browser or an app. Its users can read the client's secret, so the scopes are few. */
const STOREFRONT = [
  'view_published_products',
  'view_categories',
  'create_anonymous_token',
  'manage_my_profile',
  'manage_my_orders',
  'manage_my_shopping_lists',
  'manage_my_payments',
];

/** Scopes of the server of a shop, which acts for its customers. */
const BACKEND = [
  'view_products',
  'view_categories',
  'view_product_selections',
  'view_standalone_prices',
  'view_cart_discounts',
  'view_discount_codes',
  'view_project_settings',
  'view_stores',
  'view_shipping_methods',
  'view_tax_categories',
  'view_types',
  'view_states',
  'create_anonymous_token',
  'manage_orders',
  'manage_customers',
  'manage_payments',
  'manage_shopping_lists',
];

const IMPORTER = ['manage_import_containers', 'manage_products', 'manage_categories', 'manage_product_types', 'manage_types'];

export const PURPOSES: Purpose[] = ['storefront', 'backend', 'importer', 'reader', 'terraform', 'admin', 'other'];

/** The scopes that a client for a purpose needs, of those that the API knows. */
export function scopesFor(purpose: Purpose, known: string[]): string[] {
  switch (purpose) {
    case 'storefront':
      return STOREFRONT.filter((scope) => known.includes(scope));
    case 'backend':
      return BACKEND.filter((scope) => known.includes(scope));
    case 'importer':
      return IMPORTER.filter((scope) => known.includes(scope));
    case 'reader':
      return known.filter((scope) => scope.startsWith('view_'));
    case 'terraform':
      return ['manage_project', 'manage_api_clients'];
    case 'admin':
      return ['manage_project'];
    case 'other':
      return [];
  }
}
