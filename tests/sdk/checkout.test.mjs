// Runs the checkout of a visitor through the official TypeScript SDK from the npm registry: an anonymous Cart, sign-in,
// address, shipping method, totals with taxes, a Discount Code, the Order.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiBuilderFromCtpClient } from '@commercetools/platform-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'storefront'
const credentials = { clientId: 'checkout-client', clientSecret: 'checkout-secret' }
const scopes = ['manage_my_orders', 'manage_my_profile', 'view_published_products', 'create_anonymous_token'].map(
  (scope) => `${scope}:${projectKey}`,
)
const email = 'ada@example.com'
const password = 'secret'
const address = { country: 'DE', firstName: 'Ada', city: 'Berlin', postalCode: '10115' }

let server
let shop

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
  await stock()
})

after(() => stopShop(server))

/** Products, shipping methods and discounts of the shop. */
async function stock() {
  const taxCategory = { typeId: 'tax-category', key: 'full' }
  const post = (request, body) => request.post({ body }).execute()
  const rate = { name: '19 %', amount: 0.19, includedInPrice: true, country: 'DE' }
  await post(shop.taxCategories(), { key: 'full', name: 'Full', rates: [rate] })
  await post(shop.zones(), { key: 'home', name: 'Home', locations: [{ country: 'DE' }] })
  const shippingRates = [{ price: { currencyCode: 'EUR', centAmount: 490 } }]
  const zoneRates = [{ zone: { typeId: 'zone', key: 'home' }, shippingRates }]
  await post(shop.shippingMethods(), { key: 'post', name: 'Post', taxCategory, isDefault: true, zoneRates })
  await post(shop.productTypes(), { key: 'any', name: 'Any', description: 'Anything' })
  await post(shop.products(), {
    key: 'table',
    productType: { typeId: 'product-type', key: 'any' },
    name: { en: 'Table' },
    slug: { en: 'table' },
    taxCategory,
    publish: true,
    masterVariant: { sku: 'round', prices: [{ value: { currencyCode: 'EUR', centAmount: 11900 } }] },
  })
  await post(shop.cartDiscounts(), {
    key: 'tenth',
    name: { en: 'Tenth' },
    value: { type: 'relative', permyriad: 1000 },
    cartPredicate: 'lineItemTotal(sku = "round") >= "200.00 EUR"',
    target: { type: 'lineItems', predicate: 'true' },
    sortOrder: '0.5',
    requiresDiscountCode: true,
  })
  const cartDiscounts = [{ typeId: 'cart-discount', key: 'tenth' }]
  await post(shop.discountCodes(), { code: 'SAVE', cartDiscounts, maxApplicationsPerCustomer: 1 })
  await post(shop.customers(), { email, password, firstName: 'Ada' })
}

/** A storefront's client, by one of the flows for those who buy. */
function storefront(withFlow) {
  const client = new ClientBuilder().withHttpMiddleware({ host: server.baseUrl, httpClient: fetch })
  const options = { host: server.baseUrl, projectKey, credentials, scopes, httpClient: fetch }
  return createApiBuilderFromCtpClient(withFlow(client, options).build()).withProjectKey({ projectKey })
}

/** Returns the error of a refused request. */
async function refusal(request) {
  try {
    await request.execute()
  } catch (error) {
    return error.body.errors[0]
  }
  assert.fail('the request was not refused')
}

test('a visitor fills a Cart, signs in, and orders', async () => {
  const visitor = storefront((client, options) => client.withAnonymousSessionFlow(options))
  const lineItems = [{ sku: 'round', quantity: 1 }]
  const { body: begun } = await visitor
    .me()
    .carts()
    .post({ body: { currency: 'EUR', country: 'DE', lineItems } })
    .execute()
  assert.ok(begun.anonymousId)
  assert.equal(begun.totalPrice.centAmount, 11900)
  const more = [{ action: 'addLineItem', sku: 'round', quantity: 1 }]
  const { body: filled } = await visitor
    .me()
    .carts()
    .withId({ ID: begun.id })
    .post({ body: { version: begun.version, actions: more } })
    .execute()
  assert.equal(filled.lineItems.length, 1)
  assert.equal(filled.lineItems[0].quantity, 2)
  assert.equal(filled.taxedPrice, undefined, 'nobody knows yet where it goes')

  const { body: signedIn } = await visitor
    .me()
    .login()
    .post({ body: { email, password, activeCartSignInMode: 'MergeWithExistingCustomerCart' } })
    .execute()
  assert.equal(signedIn.cart.id, begun.id)
  assert.equal(signedIn.cart.customerId, signedIn.customer.id)

  const user = { username: email, password }
  const customer = storefront((client, options) =>
    client.withPasswordFlow({ ...options, credentials: { ...credentials, user } }),
  )
  const { body: active } = await customer.me().activeCart().get().execute()
  assert.equal(active.id, begun.id)
  const cart = customer.me().carts().withId({ ID: active.id })
  let version = active.version

  /** Does update actions and answers the Cart. */
  const update = async (...actions) => {
    const { body } = await cart.post({ body: { version, actions } }).execute()
    version = body.version
    return body
  }

  const placed = await update({ action: 'setShippingAddress', address })
  assert.equal(placed.taxedPrice.totalGross.centAmount, 23800)
  assert.equal(placed.taxedPrice.totalNet.centAmount, 20000)
  const { body: methods } = await customer
    .shippingMethods()
    .matchingCart()
    .get({ queryArgs: { cartId: active.id } })
    .execute()
  assert.deepEqual(
    methods.results.map((method) => method.key),
    ['post'],
  )
  const shipped = await update({
    action: 'setShippingMethod',
    shippingMethod: { typeId: 'shipping-method', id: methods.results[0].id },
  })
  assert.equal(shipped.totalPrice.centAmount, 24290)
  assert.equal(shipped.taxedShippingPrice.totalGross.centAmount, 490)

  assert.equal((await refusal(cart.post({ body: { version, actions: [{ action: 'addDiscountCode', code: 'NONE' }] } }))).code, 'DiscountCodeNonApplicable')
  const saved = await update({ action: 'addDiscountCode', code: 'SAVE' })
  assert.equal(saved.discountCodes[0].state, 'MatchesCart')
  assert.equal(saved.lineItems[0].discountedPricePerQuantity[0].discountedPrice.value.centAmount, 10710)
  assert.equal(saved.totalPrice.centAmount, 21420 + 490)
  const { totalNet, totalGross, totalTax, taxPortions } = saved.taxedPrice
  assert.equal(totalGross.centAmount, 21910)
  assert.equal(totalNet.centAmount + totalTax.centAmount, totalGross.centAmount)
  assert.equal(taxPortions[0].amount.centAmount, totalTax.centAmount)

  const { body: order } = await customer.me().orders().post({ body: { id: active.id, version } }).execute()
  assert.equal(order.orderState, 'Open')
  assert.equal(order.totalPrice.centAmount, 21910)
  assert.equal(order.shippingInfo.shippingMethodName, 'Post')
  const { body: ordered } = await cart.get().execute()
  assert.equal(ordered.cartState, 'Ordered')

  // The code was for one Order of each Customer.
  const draft = { currency: 'EUR', country: 'DE', shippingAddress: address, lineItems: [{ sku: 'round', quantity: 2 }] }
  const carts = customer.me().carts()
  assert.equal((await refusal(carts.post({ body: { ...draft, discountCodes: ['SAVE'] } }))).code, 'DiscountCodeNonApplicable')
  const { body: next } = await carts.post({ body: draft }).execute()
  const added = [{ action: 'addDiscountCode', code: 'SAVE' }]
  const { body: again } = await carts
    .withId({ ID: next.id })
    .post({ body: { version: next.version, actions: added } })
    .execute()
  assert.equal(again.discountCodes[0].state, 'MaxApplicationReached')
  assert.equal(again.totalPrice.centAmount, 23800)
  const refused = await refusal(customer.me().orders().post({ body: { id: again.id, version: again.version } }))
  assert.equal(refused.code, 'DiscountCodeNonApplicable')
})
