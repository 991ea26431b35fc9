// Vendure on a free port, over SQLite in a folder, or over PostgreSQL at a URL. The shop has eleven lamps, one shipping method, one payment method, and the
// given number of promotions of one per cent each, the first of them with a coupon.
import { join } from "node:path";
import { DefaultLogger, LogLevel, bootstrap, dummyPaymentHandler } from "@vendure/core";
import { populateInitialData } from "@vendure/core/cli/index.js";

const LAMPS = 11;
const [folder, promotions, url] = process.argv.slice(2);
process.env.VENDURE_DISABLE_TELEMETRY = "true";
process.chdir(folder);

const app = await bootstrap({
  apiOptions: { port: 0, hostname: "127.0.0.1", adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: { tokenMethod: "bearer", requireVerification: false },
  dbConnectionOptions: url
    ? { type: "postgres", url, synchronize: true }
    : { type: "better-sqlite3", database: join(folder, "vendure.sqlite"), synchronize: true },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  importExportOptions: { importAssetsDir: folder },
  logger: new DefaultLogger({ level: LogLevel.Error }),
});
const address = `http://127.0.0.1:${app.getHttpServer().address().port}`;

let token;
async function admin(query, variables) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const body = JSON.stringify({ query, variables });
  const answer = await fetch(`${address}/admin-api`, { method: "POST", headers, body });
  token = answer.headers.get("vendure-auth-token") ?? token;
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const invoice = { code: dummyPaymentHandler.code, arguments: [{ name: "automaticSettle", value: "true" }] };
await populateInitialData(app, {
  defaultLanguage: "en",
  defaultZone: "Europe",
  countries: [{ name: "Germany", code: "DE", zone: "Europe" }],
  taxRates: [{ name: "Standard", percentage: 19 }],
  shippingMethods: [{ name: "Post", price: 490 }],
  paymentMethods: [{ name: "Invoice", handler: invoice }],
  collections: [],
});
await admin(`mutation { login(username: "superadmin", password: "superadmin") { __typename } }`);
for (let number = 0; number < LAMPS; number++) {
  const name = `Lamp ${number}`;
  const translations = [{ languageCode: "en", name, slug: `lamp-${number}`, description: "" }];
  const { createProduct } = await admin(
    `mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }`,
    { input: { translations } },
  );
  const variant = {
    productId: createProduct.id,
    sku: `lamp-${number}`,
    price: 1000 + number,
    stockOnHand: 1000000,
    translations: [{ languageCode: "en", name }],
  };
  await admin(
    `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
    { input: [variant] },
  );
}
const matches = {
  code: "minimum_order_amount",
  arguments: [{ name: "amount", value: "100" }, { name: "taxInclusive", value: "true" }],
};
const onePerCent = { code: "order_percentage_discount", arguments: [{ name: "discount", value: "1" }] };
for (let number = 0; number < Number(promotions); number++) {
  const input = {
    enabled: true,
    couponCode: number === 0 ? "TENTH" : undefined,
    conditions: [matches],
    actions: [onePerCent],
    translations: [{ languageCode: "en", name: `Promotion ${number}`, description: "" }],
  };
  await admin(`mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }`, { input });
}
console.log(`vendure listening on ${address}`);
