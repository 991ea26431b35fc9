// Runs a Product from its draft to its deletion through the official TypeScript SDK from the npm registry. Only the
// addresses of the two services are set.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'products'
const credentials = { clientId: 'products-client', clientSecret: 'products-secret' }

let server
let shop

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
})

after(() => stopShop(server))

test('a Product is created, found, changed, published and deleted', async (t) => {
  await shop
    .productTypes()
    .post({
      body: {
        key: 'shirt',
        name: 'Shirt',
        description: 'Worn above',
        attributes: [
          { name: 'size', label: { en: 'Size' }, isRequired: false, type: { name: 'enum', values: [{ key: 's', label: 'Small' }] } },
        ],
      },
    })
    .execute()
  const { body: created } = await shop
    .products()
    .post({
      body: {
        key: 'polo',
        productType: { typeId: 'product-type', key: 'shirt' },
        name: { en: 'Polo' },
        slug: { en: 'polo' },
        masterVariant: {
          sku: 'polo-s',
          attributes: [{ name: 'size', value: 's' }],
          prices: [{ value: { currencyCode: 'EUR', centAmount: 1999 } }],
        },
      },
    })
    .execute()
  assert.equal(created.masterData.published, false)
  assert.deepEqual(created.masterData.current.masterVariant.attributes, [
    { name: 'size', value: { key: 's', label: 'Small' } },
  ])
  const products = shop.products()
  let version = created.version

  /** Does update actions and answers the Product. */
  const update = async (...actions) => {
    const { body } = await products.withKey({ key: 'polo' }).post({ body: { version, actions } }).execute()
    assert.equal(body.version, version + 1)
    version = body.version
    return body
  }

  await t.test('read by id and key, with the type in place', async () => {
    const { body } = await products
      .withId({ ID: created.id })
      .get({ queryArgs: { expand: ['productType'] } })
      .execute()
    assert.equal(body.productType.obj.key, 'shirt')
    assert.equal((await products.withKey({ key: 'polo' }).head().execute()).statusCode, 200)
  })

  await t.test('found by what a variant is', async () => {
    const where = 'masterData(staged(masterVariant(sku=:sku)))'
    const found = await products.get({ queryArgs: { where, 'var.sku': 'polo-s', withTotal: true } }).execute()
    assert.equal(found.body.total, 1)
    assert.equal(found.body.results[0].id, created.id)
  })

  await t.test('changed on one side, then published', async () => {
    const priceId = created.masterData.staged.masterVariant.prices[0].id
    const staged = await update(
      { action: 'changeName', name: { en: 'Polo shirt' } },
      { action: 'changePrice', priceId, price: { value: { currencyCode: 'EUR', centAmount: 2499 } } },
      { action: 'addVariant', sku: 'polo-m' },
    )
    assert.equal(staged.masterData.hasStagedChanges, true)
    assert.equal(staged.masterData.current.name.en, 'Polo')
    const published = await update({ action: 'publish' })
    assert.equal(published.masterData.hasStagedChanges, false)
    assert.equal(published.masterData.current.masterVariant.prices[0].value.centAmount, 2499)
    assert.equal(published.masterData.current.variants[0].id, 2)
  })

  await t.test('refused with what is wrong', async () => {
    const taken = products.post({
      body: {
        productType: { typeId: 'product-type', key: 'shirt' },
        name: { en: 'Other' },
        slug: { en: 'other' },
        masterVariant: { sku: 'polo-s' },
      },
    })
    const error = await taken.execute().then(() => assert.fail('it was not refused'), (error) => error)
    assert.equal(error.statusCode, 400)
    assert.equal(error.body.errors[0].code, 'DuplicateField')
    assert.equal(error.body.errors[0].field, 'sku')
    assert.equal(error.body.errors[0].conflictingResource.id, created.id)
  })

  await t.test('deleted, when it is not published any more', async () => {
    await update({ action: 'unpublish' })
    const { body } = await products.withId({ ID: created.id }).delete({ queryArgs: { version } }).execute()
    assert.equal(body.id, created.id)
    const gone = await products.withId({ ID: created.id }).get().execute().catch((error) => error)
    assert.equal(gone.statusCode, 404)
  })
})
