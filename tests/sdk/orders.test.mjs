// Runs an Order through the official TypeScript SDK from the npm registry: from a visitor's Cart to a returned parcel.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiBuilderFromCtpClient } from '@commercetools/platform-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'orders'
const credentials = { clientId: 'orders-client', clientSecret: 'orders-secret' }
const address = { country: 'DE', city: 'Berlin', streetName: 'Ahornweg' }

let server
let shop

const euros = (centAmount) => ({ currencyCode: 'EUR', centAmount })
/** Returns the body of the response to a call. */
const body = async (call) => (await call.execute()).body
/** An Order after update actions. */
const changed = (order, ...actions) =>
  body(shop.orders().withId({ ID: order.id }).post({ body: { version: order.version, actions } }))

before(async () => {
  const started = await startShop({ projectKey, credentials })
  server = started.server
  shop = started.shop
  const settings = await body(shop.get())
  const messagesConfiguration = { enabled: true, deleteDaysAfterCreation: 15 }
  await body(shop.post({ body: { version: settings.version, actions: [{ action: 'changeMessagesConfiguration', messagesConfiguration }] } }))
  await body(shop.productTypes().post({ body: { key: 'any', name: 'Any', description: 'Anything' } }))
  const rates = [{ name: '19 %', amount: 0.19, includedInPrice: true, country: 'DE' }]
  await body(shop.taxCategories().post({ body: { key: 'standard', name: 'Standard', rates } }))
  await body(shop.zones().post({ body: { key: 'germany', name: 'Germany', locations: [{ country: 'DE' }] } }))
  const taxCategory = { typeId: 'tax-category', key: 'standard' }
  const zoneRates = [{ zone: { typeId: 'zone', key: 'germany' }, shippingRates: [{ price: euros(490) }] }]
  await body(shop.shippingMethods().post({ body: { key: 'post', name: 'Post', taxCategory, isDefault: true, zoneRates } }))
  const lamp = {
    key: 'lamp',
    productType: { typeId: 'product-type', key: 'any' },
    name: { en: 'Lamp' },
    slug: { en: 'lamp' },
    taxCategory,
    publish: true,
    masterVariant: { sku: 'lamp', prices: [{ value: euros(2500) }] },
  }
  await body(shop.products().post({ body: lamp }))
  await body(shop.inventory().post({ body: { key: 'lamp', sku: 'lamp', quantityOnStock: 10 } }))
})

after(() => stopShop(server))

/** A visitor who has not signed in. */
function visitor() {
  const host = server.baseUrl
  const scopes = [`manage_my_orders:${projectKey}`, `view_published_products:${projectKey}`]
  const client = new ClientBuilder()
    .withAnonymousSessionFlow({ host, projectKey, credentials, scopes, httpClient: fetch })
    .withHttpMiddleware({ host, httpClient: fetch })
    .build()
  return createApiBuilderFromCtpClient(client).withProjectKey({ projectKey })
}

test('a visitor buys two lamps, and one comes back', async () => {
  const me = visitor().me()
  const draft = { currency: 'EUR', country: 'DE', inventoryMode: 'ReserveOnOrder', customerEmail: 'visitor@example.com' }
  let cart = await body(me.carts().post({ body: draft }))
  const actions = [
    { action: 'addLineItem', sku: 'lamp', quantity: 2 },
    { action: 'setShippingAddress', address },
    { action: 'setShippingMethod', shippingMethod: { typeId: 'shipping-method', key: 'post' } },
  ]
  cart = await body(me.carts().withId({ ID: cart.id }).post({ body: { version: cart.version, actions } }))
  assert.equal(cart.totalPrice.centAmount, 5490)
  assert.equal(cart.taxedPrice.totalGross.centAmount, 5490)

  let order = await body(me.orders().post({ body: { id: cart.id, version: cart.version } }))
  assert.equal(order.orderState, 'Open')
  assert.equal(order.anonymousId, cart.anonymousId)
  assert.equal((await body(me.orders().withId({ ID: order.id }).get())).id, order.id)
  const stock = await body(shop.inventory().withKey({ key: 'lamp' }).get())
  assert.equal(stock.availableQuantity, 8)

  // The seller takes it from here.
  const payment = await body(shop.payments().post({ body: { amountPlanned: euros(5490), transactions: [{ type: 'Charge', amount: euros(5490), state: 'Success' }] } }))
  const lamps = order.lineItems[0].id
  order = await changed(
    order,
    { action: 'setOrderNumber', orderNumber: 'V-1' },
    { action: 'addPayment', payment: { typeId: 'payment', id: payment.id } },
    { action: 'changePaymentState', paymentState: 'Paid' },
    { action: 'changeOrderState', orderState: 'Confirmed' },
    { action: 'addDelivery', deliveryKey: 'first', items: [{ id: lamps, quantity: 2 }], address },
    { action: 'changeShipmentState', shipmentState: 'Shipped' },
  )
  const [delivery] = order.shippingInfo.deliveries
  const trackingData = { carrier: 'Post', trackingId: 'T-1' }
  order = await changed(order, { action: 'addParcelToDelivery', deliveryId: delivery.id, parcelKey: 'box', trackingData, items: [{ id: lamps, quantity: 2 }] })
  assert.equal(order.shippingInfo.deliveries[0].parcels[0].trackingData.trackingId, 'T-1')
  order = await changed(order, { action: 'changeShipmentState', shipmentState: 'Delivered' }, { action: 'changeOrderState', orderState: 'Complete' })

  // One lamp is broken.
  const items = [{ lineItemId: lamps, quantity: 1, shipmentState: 'Returned', comment: 'Broken' }]
  order = await changed(order, { action: 'addReturnInfo', returnTrackingId: 'R-1', items })
  const returnItemId = order.returnInfo[0].items[0].id
  order = await changed(
    order,
    { action: 'setReturnShipmentState', returnItemId, shipmentState: 'Unusable' },
    { action: 'setReturnPaymentState', returnItemId, paymentState: 'Refunded' },
    { action: 'changePaymentState', paymentState: 'CreditOwed' },
  )
  assert.deepEqual([order.returnInfo[0].items[0].shipmentState, order.returnInfo[0].items[0].paymentState], ['Unusable', 'Refunded'])

  const found = await body(shop.orders().withOrderNumber({ orderNumber: 'V-1' }).get({ queryArgs: { expand: ['paymentInfo.payments[*]'] } }))
  assert.equal(found.paymentInfo.payments[0].obj.id, payment.id)
  const where = `resource(id="${order.id}")`
  const told = await body(shop.messages().get({ queryArgs: { where, sort: 'sequenceNumber asc', limit: 50 } }))
  const expected = [
    'OrderCreated', 'OrderPaymentAdded', 'OrderPaymentStateChanged', 'OrderStateChanged', 'DeliveryAdded', 'OrderShipmentStateChanged',
    'ParcelAddedToDelivery', 'OrderShipmentStateChanged', 'OrderStateChanged', 'ReturnInfoAdded', 'OrderReturnShipmentStateChanged', 'OrderPaymentStateChanged',
  ]
  assert.deepEqual(told.results.map((message) => message.type), expected)
})
