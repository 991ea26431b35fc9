// Calls every catalog method of the official TypeScript SDK from the npm registry. The last test fails if a release of the
// SDK adds a method that this file does not call.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Caller, offered } from './offered.mjs'
import { startShop, stopShop } from './shop.mjs'

const projectKey = 'catalog'
const credentials = { clientId: 'catalog-client', clientSecret: 'catalog-secret' }
/** The kinds that these tests are about, as paths name them. */
const KINDS = new Set([
  ...['product-types', 'attribute-groups', 'categories', 'tax-categories', 'channels', 'stores'],
  ...['products', 'product-projections', 'variants', 'variant-projections', 'product-tailoring'],
  ...['standalone-prices', 'product-discounts', 'inventory', 'product-selections', 'product-selection-assignments'],
])
/** How long indexing may take, and the interval of polls. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 100
/** The error code of searches until they have an index. */
const NOT_READY = ['ObjectNotFound', 'SearchIndexingInProgress']
/** A red pixel, as a body. */
const picture = {
  body: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
  headers: { 'Content-Type': 'image/png' },
}

const caller = new Caller()
const call = (request, status) => caller.body(request, status)
let server
let shop

before(async () => {
  ;({ server, shop } = await startShop({ projectKey, credentials }))
})

after(() => stopShop(server))

const en = (text) => ({ en: text })
const euros = (centAmount) => ({ currencyCode: 'EUR', centAmount })
const stored = (centAmount) => ({ type: 'centPrecision', ...euros(centAmount), fractionDigits: 2 })
const product = (key, more) => ({
  key,
  productType: { typeId: 'product-type', key: 'shirt' },
  name: en(key),
  slug: en(key),
  masterVariant: { sku: `${key}-s`, attributes: [{ name: 'size', value: 's' }], prices: [{ value: euros(1000) }] },
  publish: true,
  ...more,
})
const discount = { name: en('Sale'), value: { type: 'relative', permyriad: 5000 }, predicate: 'sku = "polo-s"' }
const berlin = { store: { typeId: 'store', key: 'berlin' } }
/** Changes the Project. */
const change = async (actions) => {
  const { version } = await call(shop.get())
  await call(shop.post({ body: { version, actions } }))
}

/** Asserts that a document has these fields. */
const shows = (document, fields) => {
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(document[name], value, name)
}

/**
 * The kinds whose documents are created, read, found, changed and deleted alike: where the SDK has them, a draft with a
 * key, an update action, and what it changes.
 */
const LIVES = {
  productTypes: {
    draft: (key) => ({ key, name: 'Shirt', description: 'Worn above' }),
    action: { action: 'changeName', name: 'Top' },
    changed: { name: 'Top' },
  },
  attributeGroups: {
    draft: (key) => ({ key, name: en('Sizes'), attributes: [{ key: 'size' }] }),
    action: { action: 'setAttributes', attributes: [] },
    changed: { attributes: [] },
  },
  categories: {
    draft: (key) => ({ key, name: en('Shirts'), slug: en(key) }),
    action: { action: 'changeOrderHint', orderHint: '0.5' },
    changed: { orderHint: '0.5' },
  },
  taxCategories: {
    draft: (key) => ({ key, name: key, rates: [] }),
    action: { action: 'setDescription', description: 'Usual' },
    changed: { description: 'Usual' },
  },
  channels: {
    draft: (key) => ({ key }),
    action: { action: 'setRoles', roles: ['ProductDistribution'] },
    changed: { roles: ['ProductDistribution'] },
  },
  stores: {
    draft: (key) => ({ key }),
    action: { action: 'setCountries', countries: [{ code: 'DE' }] },
    changed: { countries: [{ code: 'DE' }] },
  },
  products: {
    draft: (key) => product(key, { publish: false }),
    action: { action: 'setPriceMode', priceMode: 'Standalone' },
    changed: { priceMode: 'Standalone' },
  },
  standalonePrices: {
    draft: (key) => ({ key, sku: key, value: euros(100) }),
    action: { action: 'changeValue', value: euros(200) },
    changed: { value: stored(200) },
  },
  productDiscounts: {
    draft: (key) => ({ ...discount, key, sortOrder: key === 'by-id' ? '0.11' : '0.12', isActive: false }),
    action: { action: 'setValidUntil', validUntil: '2050-01-01T00:00:00.000Z' },
    changed: { validUntil: '2050-01-01T00:00:00.000Z' },
  },
  inventory: {
    draft: (key) => ({ key, sku: key, quantityOnStock: 5 }),
    action: { action: 'removeQuantity', quantity: 2 },
    changed: { quantityOnStock: 3, availableQuantity: 3 },
  },
  productSelections: {
    draft: (key) => ({ key, name: en('Summer') }),
    action: { action: 'changeName', name: en('Winter') },
    changed: { name: en('Winter'), mode: 'Individual' },
  },
  productTailoring: {
    draft: (key) => ({ key, ...berlin, product: { typeId: 'product', key: 'polo' } }),
    action: { action: 'setName', name: en('Berlin'), staged: false },
    changed: { current: { name: en('Berlin'), variants: [] } },
  },
  variants: {
    draft: (key) => ({ key, product: { typeId: 'product', key: 'polo' }, sku: key }),
    action: { action: 'publish' },
    changed: { published: true },
  },
}

test('what the others need is there', async () => {
  const size = { name: 'enum', values: [{ key: 's', label: 'Small' }, { key: 'm', label: 'Medium' }] }
  await call(
    shop.productTypes().post({
      body: {
        key: 'shirt',
        name: 'Shirt',
        description: 'Worn above',
        attributes: [{ name: 'size', label: en('Size'), type: size, isRequired: false, isSearchable: true }],
      },
    }),
    201,
  )
  const polo = product('polo', { variants: [{ sku: 'polo-m', attributes: [{ name: 'size', value: 'm' }] }] })
  for (const body of [polo, product('tee', { searchKeywords: { en: [{ text: 'Tee shirt' }] } })]) {
    await call(shop.products().post({ body }), 201)
  }
  await call(shop.stores().post({ body: { key: 'berlin' } }), 201)
})

for (const [kind, { draft, action, changed }] of Object.entries(LIVES)) {
  test(`${kind}: created, read, found, changed and deleted`, async () => {
    const all = shop[kind]()
    for (const key of ['by-id', 'by-key']) {
      const created = await call(all.post({ body: draft(key) }), 201)
      shows(created, { key, version: 1 })
      const one = key === 'by-id' ? all.withId({ ID: created.id }) : all.withKey({ key })
      assert.deepEqual(await call(one.get()), created)
      if (one.head) await call(one.head())

      const where = `key = "${key}"`
      const found = await call(all.get({ queryArgs: { where: 'key = :key', 'var.key': key, withTotal: true } }))
      assert.deepEqual(found.results, [created])
      shows(found, { count: 1, offset: 0, limit: 20, total: 1 })
      await call(all.head({ queryArgs: { where } }))

      const updated = await call(one.post({ body: { version: 1, actions: [action] } }))
      shows(updated, { id: created.id, version: 2, ...changed })
      const deleted = await call(one.delete({ queryArgs: { version: 2 } }))
      assert.equal(deleted.id, created.id)
      await assert.rejects(call(one.get()), { statusCode: 404 })
    }
  })
}

test('Product Projections: one side, the price for who asks, in a Store', async () => {
  const { id } = await call(shop.products().withKey({ key: 'polo' }).get())
  const price = { priceCurrency: 'EUR', priceCountry: 'DE' }
  const inStore = shop.inStoreKeyWithStoreKeyValue({ storeKey: 'berlin' }).productProjections()
  for (const projections of [shop.productProjections(), inStore]) {
    for (const one of [projections.withId({ ID: id }), projections.withKey({ key: 'polo' })]) {
      const body = await call(one.get({ queryArgs: { staged: false, ...price } }))
      assert.deepEqual(body.masterVariant.price.value, stored(1000))
      assert.deepEqual(body.variants.map((variant) => variant.sku), ['polo-m'])
      await call(one.head())
    }
  }
  const all = shop.productProjections()
  const found = await call(all.get({ queryArgs: { where: 'slug(en = "polo")', expand: 'productType', ...price } }))
  assert.equal(found.results[0].productType.obj.key, 'shirt')
  await call(all.head({ queryArgs: { where: 'key = "polo"' } }))
})

test('Product Selections: assigned Products, of both, and in the Store', async () => {
  const selections = shop.productSelections()
  const polo = await call(shop.products().withKey({ key: 'polo' }).get())
  const selection = await call(selections.post({ body: { key: 'summer', name: en('Summer') } }), 201)
  const variantSelection = { type: 'includeOnly', skus: ['polo-m'] }
  const added = { action: 'addProduct', product: { typeId: 'product', key: 'polo' }, variantSelection }
  await call(selections.withKey({ key: 'summer' }).post({ body: { version: 1, actions: [added] } }))
  const stores = shop.stores().withKey({ key: 'berlin' })
  const productSelection = { typeId: 'product-selection', key: 'summer' }
  const activated = { action: 'addProductSelection', productSelection, active: true }
  await call(stores.post({ body: { version: 1, actions: [activated] } }))

  const products = shop.products()
  const lists = [
    [selections.withId({ ID: selection.id }).products(), 'product'],
    [selections.withKey({ key: 'summer' }).products(), 'product'],
    [products.withId({ ID: polo.id }).productSelections(), 'productSelection'],
    [products.withKey({ key: 'polo' }).productSelections(), 'productSelection'],
    [shop.inStoreKeyWithStoreKeyValue({ storeKey: 'berlin' }).productSelectionAssignments(), 'product'],
  ]
  for (const [assignments, expand] of lists) {
    const { results, total } = await call(assignments.get({ queryArgs: { expand, limit: 5 } }))
    assert.equal(total, undefined, 'nothing is counted unless it is asked for')
    assert.equal(results.length, 1)
    assert.deepEqual(results[0].variantSelection, variantSelection)
    assert.equal(results[0][expand].obj.key, expand === 'product' ? 'polo' : 'summer')
    assert.equal((await call(assignments.get({ queryArgs: { withTotal: true } }))).total, 1)
  }
  const { version } = await call(stores.get())
  await call(stores.post({ body: { version, actions: [{ action: 'setProductSelections' }] } }))
})

test('Product tailoring in a Store', async () => {
  const { id } = await call(shop.products().withKey({ key: 'polo' }).get())
  const inStore = shop.inStoreKeyWithStoreKeyValue({ storeKey: 'berlin' })
  const all = inStore.productTailoring()
  const products = inStore.products()
  for (const product of [products.withProductId({ productID: id }), products.withProductKey({ productKey: 'polo' })]) {
    const body = { product: { typeId: 'product', key: 'polo' }, name: en('Berlin Polo'), publish: true }
    const created = await call(all.post({ body }), 201)
    assert.deepEqual((await call(all.get({ queryArgs: { where: 'published = true' } }))).results, [created])
    const one = product.productTailoring()
    assert.deepEqual(await call(one.get()), created)
    const shown = await call(inStore.productProjections().withKey({ key: 'polo' }).get())
    assert.deepEqual(shown.name, en('Berlin Polo'))

    const queryArgs = { sku: 'polo-m', staged: false }
    const pictured = await call(one.images().post({ queryArgs, ...picture }))
    assert.deepEqual(pictured.current.variants[0].images[0].dimensions, { w: 1, h: 1 })
    const { version } = await call(one.post({ body: { version: pictured.version, actions: [{ action: 'unpublish' }] } }))
    assert.equal((await call(one.delete({ queryArgs: { version } }))).id, created.id)
  }
})

test('Product Discounts: the one that matches a price', async () => {
  const { id } = await call(shop.products().withKey({ key: 'polo' }).get())
  const discounts = shop.productDiscounts()
  const sale = await call(discounts.post({ body: { ...discount, sortOrder: '0.5', isActive: true } }), 201)
  const asked = { productId: id, variantId: 1, staged: false, price: { value: euros(1000) } }
  assert.equal((await call(discounts.matching().post({ body: asked }))).id, sale.id)
  await assert.rejects(call(discounts.matching().post({ body: { ...asked, variantId: 2 } })), (error) => {
    return error.statusCode === 404 && error.body.errors[0].code === 'NoMatchingProductDiscountFound'
  })
})

test('Products: an image, and searches', async () => {
  await change([
    { action: 'changeProductSearchIndexingEnabled', enabled: true, mode: 'ProductProjectionsSearch' },
    { action: 'changeProductSearchIndexingEnabled', enabled: true, mode: 'ProductsSearch' },
  ])
  const { id } = await call(shop.products().withKey({ key: 'polo' }).get())
  const images = shop.products().withId({ ID: id }).images()
  const pictured = await call(images.post({ queryArgs: { variant: 1, filename: 'red' }, ...picture }))
  assert.match(pictured.masterData.staged.masterVariant.images[0].url, /red/)

  const projections = shop.productProjections()
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const searches = {
    'Product Search': () => shop.products().search().post({ body: { query: { exact: { field: 'key', value: 'tee' } } } }),
    'search by parameters': () => projections.search().get({ queryArgs: { 'text.en': 'tee', limit: 1 } }),
    'the same in a body': () => projections.search().post({ body: 'text.en=tee', headers: form }),
  }
  for (const [name, search] of Object.entries(searches)) {
    const { results } = await until(search, ({ total }) => total === 1)
    assert.equal(results.length, 1, name)
  }
  const suggested = await until(
    () => projections.suggest().get({ queryArgs: { 'searchKeywords.en': 'te' } }),
    (body) => body['searchKeywords.en'].length > 0,
  )
  assert.deepEqual(suggested['searchKeywords.en'], [{ text: 'Tee shirt' }])
})

/** Returns the body of a response as soon as it is as expected. */
async function until(request, isExpected) {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const body = await call(request()).catch((error) => {
      if (!NOT_READY.includes(error.body?.errors?.[0]?.code)) throw error
    })
    if (body && isExpected(body)) return body
    assert.ok(Date.now() < end, `not in time: ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

test('Variants that are resources of their own, and what is shown of them', async () => {
  await change([{ action: 'setProductCatalogModel', productCatalogModel: 'Modular' }])
  const { masterVariant: _, ...coat } = product('coat')
  const { id: productId } = await call(shop.products().post({ body: coat }), 201)
  const variants = shop.variants()
  const attributes = [{ name: 'size', value: 's' }]
  const body = { key: 'coat-s', product: { typeId: 'product', key: 'coat' }, sku: 'coat-s', attributes }
  const { id } = await call(variants.post({ body }), 201)
  const published = { items: [{ id, version: 1 }], actions: [{ action: 'publish' }] }
  shows(await call(variants.bulk().post({ body: published }), 207), { successCount: 1, failureCount: 0 })
  const pictured = await call(variants.withId({ ID: id }).images().post(picture))
  assert.equal(pictured.staged.images.length, 1)

  for (const where of [shop, shop.inStoreKeyWithStoreKeyValue({ storeKey: 'berlin' })]) {
    const projections = where.variantProjections()
    for (const one of [projections.withId({ ID: id }), projections.withKey({ key: 'coat-s' })]) {
      assert.deepEqual((await call(one.get())).attributes, [{ name: 'size', value: { key: 's', label: 'Small' } }])
      await call(one.head())
    }
    const queryArgs = { where: 'sku = "coat-s"' }
    assert.deepEqual((await call(projections.get({ queryArgs }))).results.map((found) => found.id), [id])
    await call(projections.head({ queryArgs }))

    const products = where.productProjections()
    for (const one of [products.withId({ ID: productId }), products.withKey({ key: 'coat' })]) {
      const shown = await call(one.variantAttributes().get({ queryArgs: { 'filter[attributes]': 'size' } }))
      assert.deepEqual(shown.attributes.map(({ name }) => name), ['size'])
      assert.deepEqual(shown.variants.map(({ key }) => key), ['coat-s'])
    }
  }
})

test('no call is left out', () => {
  const catalog = offered(shop).filter((name) => name.split(/[ /]/).some((part) => KINDS.has(part)))
  assert.ok(catalog.length > 150, 'the SDK was understood')
  assert.deepEqual(caller.missing(catalog), [])
})
