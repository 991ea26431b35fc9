// Manages the settings of Checkout through the official TypeScript SDK of the Checkout API. Its base address is that of the local
// service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiBuilderFromCtpClient } from '@commercetools/checkout-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'checkout-sdk'
const credentials = { clientId: 'checkout-client', clientSecret: 'checkout-secret' }

let server
let checkout

before(async () => {
  ;({ server } = await startShop({ projectKey, credentials }))
  const scopes = ['manage_checkout_applications', 'manage_checkout_payment_integrations']
  const client = new ClientBuilder()
    .withClientCredentialsFlow({
      host: server.baseUrl,
      projectKey,
      credentials,
      scopes: scopes.map((scope) => `${scope}:${projectKey}`),
      httpClient: fetch,
    })
    .withHttpMiddleware({ host: `${server.baseUrl}/checkout`, httpClient: fetch })
    .build()
  checkout = createApiBuilderFromCtpClient(client).withProjectKey({ projectKey })
})

after(() => stopShop(server))

test('an Application and its Payment Integration are created, changed and found', async () => {
  const origin = 'https://shop.example'
  const draft = {
    key: 'storefront',
    name: 'Storefront',
    countries: ['DE'],
    allowedOrigins: { allowAll: false, origins: [origin] },
    mode: 'PaymentOnly',
    paymentsConfiguration: { paymentReturnUrl: `${origin}/back`, activePaymentComponentType: 'DropIn' },
  }
  const { body: application } = await checkout.applications().post({ body: draft }).execute()
  assert.deepEqual([application.version, application.key, application.status], [1, 'storefront', 'Active'])

  const actions = [{ action: 'setName', name: 'Web shop' }]
  const byKey = checkout.applications().withKey({ key: 'storefront' })
  const { body: renamed } = await byKey.post({ body: { version: 1, actions } }).execute()
  assert.deepEqual([renamed.version, renamed.name], [2, 'Web shop'])

  const integration = {
    key: 'cards',
    name: 'Cards',
    status: 'Active',
    type: 'card',
    application: { typeId: 'application', id: application.id },
    componentType: 'DropIn',
    connectorDeployment: { typeId: 'deployment', id: 'd-1' },
  }
  await checkout.paymentIntegrations().post({ body: integration }).execute()
  const { body: page } = await checkout.paymentIntegrations().get({ queryArgs: { limit: 5 } }).execute()
  assert.deepEqual(page.results.map(({ key, type }) => [key, type]), [['cards', 'card']])
})

test('an outdated version is a conflict that names the current one', async () => {
  const actions = [{ action: 'setName', name: 'Late' }]
  const byKey = checkout.applications().withKey({ key: 'storefront' })
  const refused = await byKey.post({ body: { version: 1, actions } }).execute().catch((error) => error)
  assert.equal(refused.statusCode, 409)
  const [error] = refused.body.errors
  assert.deepEqual([error.code, error.expectedVersion, error.currentVersion], ['ConcurrentModification', 1, 2])
})
