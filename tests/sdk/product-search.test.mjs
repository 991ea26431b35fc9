// Runs Product Search through the official TypeScript SDK from the npm registry: facets, matching variants and projections
// in the SDK's own types.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'search'
const credentials = { clientId: 'search-client', clientSecret: 'search-secret' }
/** How long indexing may take, and the interval of polls. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 100

let server
let shop

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
})

after(() => stopShop(server))

const search = async (body) => (await shop.products().search().post({ body }).execute()).body

/** Searches until there is an index that has found everything. */
const found = async (body, total) => {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    try {
      const answer = await search(body)
      if (answer.total === total || Date.now() > end) return answer
    } catch (error) {
      if (error.body?.errors?.[0]?.code !== 'ObjectNotFound' || Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

test('Products are searched with facets', async (t) => {
  await assert.rejects(search({}), (error) => error.statusCode === 404 && error.body.errors[0].code === 'ObjectNotFound')
  const { body: project } = await shop.get().execute()
  await shop
    .post({
      body: {
        version: project.version,
        actions: [{ action: 'changeProductSearchIndexingEnabled', enabled: true, mode: 'ProductsSearch' }],
      },
    })
    .execute()
  await shop
    .productTypes()
    .post({
      body: {
        key: 'shirt',
        name: 'Shirt',
        description: 'Worn above',
        attributes: [
          { name: 'size', label: { en: 'Size' }, isRequired: false, isSearchable: true, type: { name: 'enum', values: [{ key: 's', label: 'Small' }, { key: 'l', label: 'Large' }] } },
        ],
      },
    })
    .execute()
  const variant = (size, centAmount) => ({
    sku: `polo-${size}`,
    attributes: [{ name: 'size', value: size }],
    prices: [{ value: { currencyCode: 'EUR', centAmount } }],
  })
  const { body: polo } = await shop
    .products()
    .post({
      body: {
        key: 'polo',
        productType: { typeId: 'product-type', key: 'shirt' },
        name: { en: 'Polo shirt' },
        slug: { en: 'polo' },
        publish: true,
        masterVariant: variant('s', 1999),
        variants: [variant('l', 2499)],
      },
    })
    .execute()

  await t.test('by words, with the variants that match', async () => {
    const query = {
      and: [
        { fullText: { field: 'name', language: 'en', value: 'shirts' } },
        { exact: { field: 'variants.attributes.size.key', fieldType: 'enum', value: 'l' } },
      ],
    }
    const answer = await found({ query, markMatchingVariants: true }, 1)
    assert.deepEqual(answer.results, [
      { id: polo.id, matchingVariants: { allMatched: false, matchedVariants: [{ id: 2, sku: 'polo-l' }] } },
    ])
  })

  await t.test('with facets, and projections beside the ids', async () => {
    const answer = await search({
      facets: [
        { distinct: { name: 'sizes', field: 'variants.attributes.size.key', fieldType: 'enum', level: 'variants', sort: { by: 'key', order: 'asc' } } },
        { ranges: { name: 'prices', field: 'variants.prices.centAmount', ranges: [{ to: 2000 }, { from: 2000 }] } },
        { stats: { name: 'amounts', field: 'variants.prices.centAmount' } },
        { count: { name: 'all' } },
      ],
      productProjectionParameters: { priceCurrency: 'EUR' },
    })
    assert.deepEqual(answer.facets, [
      { name: 'sizes', buckets: [{ key: 'l', count: 1 }, { key: 's', count: 1 }] },
      { name: 'prices', buckets: [{ key: '*-2000', count: 1 }, { key: '2000-*', count: 1 }] },
      { name: 'amounts', min: 1999, max: 2499, mean: 2249, sum: 4498, count: 2 },
      { name: 'all', value: 1 },
    ])
    assert.equal(answer.results[0].productProjection.masterVariant.price.value.centAmount, 1999)
  })
})
