// Reads records of changes through the official TypeScript SDK of Change History. Its base address is that of the local service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiBuilderFromCtpClient } from '@commercetools/history-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'history-sdk'
const credentials = { clientId: 'history-client', clientSecret: 'history-secret' }

let server
let shop
let history

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
  const scopes = [`view_audit_log:${projectKey}`, `view_categories:${projectKey}`]
  const client = new ClientBuilder()
    .withClientCredentialsFlow({ host: server.baseUrl, projectKey, credentials, scopes, httpClient: fetch })
    .withHttpMiddleware({ host: `${server.baseUrl}/history`, httpClient: fetch })
    .build()
  history = createApiBuilderFromCtpClient(client).withProjectKeyValue({ projectKey })
})

after(() => stopShop(server))

test('a resource is created, changed and deleted, and its records tell so', async () => {
  const draft = { key: 'hats', name: { en: 'Hats' }, slug: { en: 'hats' } }
  const { body: created } = await shop.categories().post({ body: draft }).execute()
  const ID = created.id
  const actions = [{ action: 'changeName', name: { en: 'Headwear' } }]
  await shop.categories().withId({ ID }).post({ body: { version: 1, actions } }).execute()
  await shop.categories().withId({ ID }).delete({ queryArgs: { version: 2 } }).execute()

  const ofOne = history.withResourceTypeValue({ resourceType: 'categories' }).withIDValue({ ID })
  const { body: page } = await ofOne.get({ queryArgs: { withTotal: true } }).execute()
  assert.equal(page.total, 3)
  assert.deepEqual(
    page.results.map(({ type, version }) => [type, version]),
    [
      ['ResourceDeleted', 2],
      ['ResourceUpdated', 2],
      ['ResourceCreated', 1],
    ],
  )
  const [{ type, previousValue, nextValue }] = page.results[1].changes
  assert.deepEqual(
    { type, previousValue, nextValue },
    { type: 'ChangeLocalizedNameChange', previousValue: { en: 'Hats' }, nextValue: { en: 'Headwear' } },
  )
  assert.equal(page.results[1].modifiedBy.clientId, credentials.clientId)
})

test('records are found by what they tell', async () => {
  const ofCategories = history.withResourceTypeValue({ resourceType: 'categories' })
  const queryArgs = { 'date.from': 1, changes: ['changeName'], type: 'ResourceUpdated', limit: 1 }
  const { body: found } = await ofCategories.get({ queryArgs }).execute()
  assert.equal(found.count, 1)
  const { body: all } = await history.get({ queryArgs: { resourceTypes: ['category'] } }).execute()
  assert.equal(all.count, 3)
})

test('GraphQL answers with the fields that are asked for', async () => {
  const query = 'query($from: DateFilterValue) { categories(date: {from: $from}) { results { type } } }'
  const { body } = await history.graphql().post({ body: { query, variables: { from: 1 } } }).execute()
  assert.equal(body.data.categories.results.length, 3)
})

test('what may not be seen is refused', async () => {
  const ofCustomers = history.withResourceTypeValue({ resourceType: 'customers' })
  await assert.rejects(ofCustomers.get().execute(), { statusCode: 403 })
})
