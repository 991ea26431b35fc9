// Runs the purchases of a company through the official TypeScript SDK from the npm registry: an Order above a limit waits for
// an approver, and an even larger one is negotiated as a Quote.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'company'
const credentials = { clientId: 'company-client', clientSecret: 'company-secret' }

let server
let shop
let buyer
let approver

const body = async (call) => (await call.execute()).body
/** The requests that an Associate of the company can send. */
const as = (associate) =>
  shop.asAssociate().withAssociateIdValue({ associateId: associate.id }).inBusinessUnitKeyWithBusinessUnitKeyValue({ businessUnitKey: 'acme' })

before(async () => {
  const started = await startShop({ projectKey, credentials })
  server = started.server
  shop = started.shop
  await body(shop.productTypes().post({ body: { key: 'any', name: 'Any', description: 'Anything' } }))
  const crane = {
    key: 'crane',
    productType: { typeId: 'product-type', key: 'any' },
    name: { en: 'Crane' },
    slug: { en: 'crane' },
    publish: true,
    masterVariant: { sku: 'crane', prices: [{ value: { currencyCode: 'EUR', centAmount: 50000 } }] },
  }
  await body(shop.products().post({ body: crane }))
  const ofBuyers = [
    'CreateMyCarts', 'ViewMyCarts', 'UpdateMyCarts', 'CreateMyOrdersFromMyCarts', 'ViewMyOrders', 'CreateMyQuoteRequestsFromMyCarts',
    'ViewMyQuoteRequests', 'ViewMyQuotes', 'AcceptMyQuotes', 'DeclineMyQuotes', 'CreateMyOrdersFromMyQuotes',
  ]
  await body(shop.associateRoles().post({ body: { key: 'buyer', buyerAssignable: true, permissions: ofBuyers } }))
  const ofApprovers = ['CreateApprovalRules', 'UpdateApprovalFlows', 'ViewOthersOrders']
  await body(shop.associateRoles().post({ body: { key: 'approver', buyerAssignable: true, permissions: ofApprovers } }))
  const customer = async (email) => (await body(shop.customers().post({ body: { email, password: 'x' } }))).customer
  buyer = await customer('buyer@example.com')
  approver = await customer('approver@example.com')
  const associate = ({ id }, key) => ({
    customer: { typeId: 'customer', id },
    associateRoleAssignments: [{ associateRole: { typeId: 'associate-role', key } }],
  })
  const associates = [associate(buyer, 'buyer'), associate(approver, 'approver')]
  await body(shop.businessUnits().post({ body: { key: 'acme', unitType: 'Company', name: 'Acme', associates } }))
  const roles = (key) => ({ associateRole: { typeId: 'associate-role', key } })
  const rule = {
    key: 'limit',
    name: 'Above 1,000 EUR',
    status: 'Active',
    predicate: 'totalPrice > "1000.00 EUR"',
    requesters: [roles('buyer')],
    approvers: { tiers: [{ and: [{ or: [roles('approver')] }] }] },
  }
  await body(as(approver).approvalRules().post({ body: rule }))
})

after(() => stopShop(server))

/** A Cart of the buyer with so many cranes. */
function cartOf(quantity) {
  const lineItems = [{ sku: 'crane', quantity }]
  return body(as(buyer).carts().post({ body: { currency: 'EUR', taxMode: 'Disabled', shippingAddress: { country: 'DE' }, lineItems } }))
}

test('an Order above the limit waits for the approver', async () => {
  const small = await cartOf(2)
  await body(as(buyer).orders().post({ body: { cart: { typeId: 'cart', id: small.id }, version: small.version } }))
  assert.equal((await body(as(approver).approvalFlows().get())).total, 0)

  const cart = await cartOf(3)
  const order = await body(as(buyer).orders().post({ body: { cart: { typeId: 'cart', id: cart.id }, version: cart.version } }))
  assert.equal(order.orderState, 'Open')
  const [flow] = (await body(as(approver).approvalFlows().get({ queryArgs: { where: `order(id="${order.id}")` } }))).results
  assert.equal(flow.status, 'Pending')
  const approved = await body(as(approver).approvalFlows().withId({ ID: flow.id }).post({ body: { version: flow.version, actions: [{ action: 'approve' }] } }))
  assert.equal(approved.status, 'Approved')
  const confirmed = await body(as(buyer).orders().withId({ ID: order.id }).get())
  assert.equal(confirmed.orderState, 'Confirmed')
})

test('a quote is asked for, made, accepted and ordered', async () => {
  const cart = await cartOf(10)
  const request = await body(as(buyer).quoteRequests().post({ body: { cart: { typeId: 'cart', id: cart.id }, cartVersion: cart.version, comment: 'For less?' } }))
  assert.equal(request.quoteRequestState, 'Submitted')
  const toRequest = { quoteRequest: { typeId: 'quote-request', id: request.id }, quoteRequestVersion: request.version }
  const staged = await body(shop.stagedQuotes().post({ body: { ...toRequest, quoteRequestStateToAccepted: true } }))
  const offer = await body(shop.carts().withId({ ID: staged.quotationCart.id }).get())
  const discounts = [{ value: { type: 'relative', permyriad: 1000 }, target: { type: 'lineItems', predicate: 'true' } }]
  await body(shop.carts().withId({ ID: offer.id }).post({ body: { version: offer.version, actions: [{ action: 'setDirectDiscounts', discounts }] } }))
  const toStaged = { stagedQuote: { typeId: 'staged-quote', id: staged.id }, stagedQuoteVersion: staged.version }
  const quote = await body(shop.quotes().post({ body: { ...toStaged, stagedQuoteStateToSent: true } }))
  assert.equal(quote.totalPrice.centAmount, 450000)
  const accepted = { quote: { typeId: 'quote', id: quote.id }, version: quote.version, quoteStateToAccepted: true, orderNumber: 'Q-1' }
  const order = await body(as(buyer).orders().orderQuote().post({ body: accepted }))
  assert.deepEqual([order.origin, order.totalPrice.centAmount], ['Quote', 450000])
  assert.equal((await body(as(buyer).quotes().withId({ ID: quote.id }).get())).quoteState, 'Accepted')
  // It is above the limit, too.
  const flows = await body(as(approver).approvalFlows().get({ queryArgs: { where: `order(id="${order.id}")` } }))
  assert.equal(flows.results[0].status, 'Pending')
})
