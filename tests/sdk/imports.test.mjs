// Imports a small shop through the official TypeScript SDK of the Import API. Its base address is that of the local service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createApiBuilderFromCtpClient } from '@commercetools/importapi-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'import-sdk'
const credentials = { clientId: 'import-client', clientSecret: 'import-secret' }
const container = { importContainerKey: 'shop' }

let server
let shop
let imports

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
  const client = new ClientBuilder()
    .withClientCredentialsFlow({ host: server.baseUrl, projectKey, credentials, httpClient: fetch })
    .withHttpMiddleware({ host: `${server.baseUrl}/import`, httpClient: fetch })
    .build()
  imports = createApiBuilderFromCtpClient(client).withProjectKeyValue({ projectKey })
  await imports.importContainers().post({ body: { key: 'shop' } }).execute()
})

after(() => stopShop(server))

/** Sends resources; the ids of their operations. */
async function send(of, type, resources) {
  const into = of.importContainers().withImportContainerKeyValue(container)
  const { body, statusCode } = await into.post({ body: { type, resources } }).execute()
  assert.equal(statusCode, 201)
  assert.equal(body.operationStatus.length, resources.length)
  return body.operationStatus.map(({ operationId }) => operationId)
}

/** Waits until as many operations of the container have come to a state. */
async function until(state, count) {
  const ofContainer = imports.importContainers().withImportContainerKeyValue(container)
  for (;;) {
    const { body } = await ofContainer.importSummaries().get().execute()
    if (body.states[state] === count) return body
    await wait(50)
  }
}

test('a shop is loaded in any sequence', async () => {
  const money = { type: 'centPrecision', currencyCode: 'EUR', centAmount: 1_000, fractionDigits: 2 }
  const product = {
    key: 'hat',
    productType: { typeId: 'product-type', key: 'clothes' },
    name: { en: 'Hat' },
    slug: { en: 'hat' },
    categories: [{ typeId: 'category', key: 'hats' }],
    masterVariant: {
      key: 'hat-1',
      sku: 'hat-1',
      attributes: [{ type: 'text', name: 'color', value: 'red' }],
      prices: [{ key: 'euro', value: money }],
    },
    publish: true,
  }
  const [ofProduct] = await send(imports.productDrafts(), 'product-draft', [product])
  await until('unresolved', 1)
  const { body: waiting } = await imports.importOperations().withIdValue({ id: ofProduct }).get().execute()
  assert.equal(waiting.state, 'unresolved')

  const parent = { typeId: 'category', key: 'clothes' }
  const category = (key, further) => ({ key, name: { en: key }, slug: { en: key }, orderHint: '0.5', ...further })
  await send(imports.categories(), 'category', [category('hats', { parent }), category('clothes')])
  const color = { name: 'color', label: { en: 'Color' }, isRequired: false, type: { name: 'text' }, isSearchable: true }
  await send(imports.productTypes(), 'product-type', [
    { key: 'clothes', name: 'Clothes', description: 'To wear', attributes: [color] },
  ])
  await send(imports.inventories(), 'inventory', [{ key: 'hats', sku: 'hat-1', quantityOnStock: 7 }])
  const { total } = await until('imported', 5)
  assert.equal(total, 5)

  const { body: found } = await shop.productProjections().withKey({ key: 'hat' }).get().execute()
  assert.equal(found.masterVariant.prices[0].value.centAmount, 1_000)
  assert.deepEqual(found.masterVariant.attributes, [{ name: 'color', value: 'red' }])
  assert.equal(found.categories.length, 1)
})

test('what is sent again changes what differs', async () => {
  await send(imports.inventories(), 'inventory', [{ key: 'hats', sku: 'hat-1', quantityOnStock: 9 }])
  await until('imported', 6)
  const { body: entry } = await shop.inventory().withKey({ key: 'hats' }).get().execute()
  assert.deepEqual([entry.version, entry.quantityOnStock], [2, 9])
})

test('what does not fit is refused, and says where', async () => {
  const wrong = { key: 'hats', sku: 'hat-1', quantityOnStock: 'many' }
  await assert.rejects(send(imports.inventories(), 'inventory', [wrong]), ({ statusCode, body }) => {
    assert.equal(statusCode, 400)
    assert.equal(body.errors[0].resourceIndex, 0)
    return true
  })
})
