// Tests the server with a generated, typed client. This file does not compile if the schema lacks a name or has
// another shape, and fails if a response differs.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getSdk } from './generated/client.js'
import { startServer } from '../sdk/server.mjs'

const projectKey = 'typed'
const clientId = 'typed-client'
const clientSecret = 'typed-secret'
const en = (value: string) => [{ locale: 'en', value }]

interface GraphQLError {
  message: string
  path?: (string | number)[]
  extensions: { code: string; [field: string]: unknown }
}

/** What the client is refused with. */
class Refused extends Error {
  constructor(readonly status: number, readonly errors: GraphQLError[]) {
    super(JSON.stringify(errors))
  }
}

let server: { baseUrl: string; stop: () => Promise<unknown> }
let shop: ReturnType<typeof getSdk>

before(async () => {
  server = await startServer({ projectKey, clientId, clientSecret })
  const granted = await fetch(`${server.baseUrl}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: 'Basic ' + Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  shop = getSdk(async <R, V>(query: string, variables?: V): Promise<R> => {
    const answer = await fetch(`${server.baseUrl}/${projectKey}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    const body = (await answer.json()) as { data?: R; errors?: GraphQLError[] }
    if (body.errors) throw new Refused(answer.status, body.errors)
    return body.data as R
  })
})

after(async () => {
  await server.stop()
})

test('a workflow of States from creation to deletion', async () => {
  const open = (await shop.CreateState({
    draft: { key: 'open', type: 'ReviewState', name: en('Open'), roles: ['ReviewIncludedInStatistics'] },
  })).createState!
  assert.equal(open.version, 1)
  assert.equal(open.name, 'Open')
  assert.deepEqual(open.roles, ['ReviewIncludedInStatistics'])
  assert.equal(open.createdBy?.clientId, clientId)
  assert.equal(open.transitions, null)

  const done = (await shop.CreateState({
    draft: { key: 'done', type: 'ReviewState', initial: false, transitions: [{ typeId: 'state', id: open.id }] },
  })).createState!
  assert.deepEqual(done.transitionsRef, [{ typeId: 'state', id: open.id }])
  assert.deepEqual(done.transitions, [{ id: open.id, key: 'open' }])

  const changed = (await shop.UpdateState({
    id: open.id,
    version: 1,
    actions: [
      { setName: { name: [...en('Opened'), { locale: 'de', value: 'Offen' }] } },
      { setTransitions: { transitions: [{ key: 'done' }] } },
    ],
  })).updateState!
  assert.equal(changed.version, 2)
  assert.equal(changed.name, 'Offen')
  assert.equal(changed.nameAllLocales?.length, 2)

  const page = (await shop.States({ where: 'type = "ReviewState"', sort: ['key asc'], limit: 1, offset: 1 })).states
  assert.deepEqual([page.offset, page.count, page.total, page.exists], [1, 1, 2, true])
  assert.equal(page.results[0]?.key, 'open')
  assert.equal((await shop.StateById({ id: done.id })).state?.key, 'done')
  assert.equal((await shop.StateById({ id: 'nobody' })).state, null)

  await shop.DeleteState({ id: done.id, version: done.version })
  assert.equal((await shop.StateById({ id: done.id })).state, null)
})

test('a refusal carries the code and the fields of the other face', async () => {
  const { createState: state } = await shop.CreateState({ draft: { key: 'refused', type: 'OrderState' } })
  const refusal = (request: Promise<unknown>) =>
    request.then(() => assert.fail('the request was not refused'), (error: Refused) => error)
  const stale = await refusal(shop.UpdateState({ id: state!.id, version: 7, actions: [{ changeInitial: { initial: false } }] }))
  assert.equal(stale.status, 200)
  assert.deepEqual(stale.errors[0]?.path, ['updateState'])
  assert.deepEqual(stale.errors[0]?.extensions, { code: 'ConcurrentModification', currentVersion: 1 })
  const twice = await refusal(shop.CreateState({ draft: { key: 'refused', type: 'OrderState' } }))
  assert.deepEqual(twice.errors[0]?.extensions, { code: 'DuplicateField', field: 'key', duplicateValue: 'refused' })
})

test('a tree of Categories with custom fields and assets', async () => {
  const text = (name: string) => ({ name, label: en(name), required: false, inputHint: 'SingleLine' as const })
  const { createTypeDefinition: type } = await shop.CreateType({
    draft: {
      key: 'category-fields',
      name: en('Fields'),
      resourceTypeIds: ['category'],
      fieldDefinitions: [
        { ...text('season'), type: { Enum: { values: [{ key: 'w', label: 'Winter' }] } } },
        { ...text('related'), type: { Reference: { referenceTypeId: 'category' } } },
        { ...text('words'), type: { Set: { elementType: { String: {} } } } },
      ],
    },
  })
  assert.deepEqual(type!.fieldDefinitions.map((field) => field.type.name), ['Enum', 'Reference', 'Set'])

  const root = (await shop.CreateCategory({ draft: { key: 'root', name: en('Root'), slug: en('root') } })).createCategory!
  const child = (await shop.CreateCategory({
    draft: {
      key: 'child',
      name: en('Child'),
      slug: en('child'),
      parent: { key: 'root' },
      assets: [{ name: en('Picture'), sources: [{ uri: 'a.png', dimensions: { width: 3, height: 2 } }] }],
      custom: {
        typeKey: 'category-fields',
        fields: [
          { name: 'season', value: '"w"' },
          { name: 'related', value: JSON.stringify({ typeId: 'category', id: root.id }) },
          { name: 'words', value: '["a", "b"]' },
        ],
      },
    },
  })).createCategory!
  assert.deepEqual(child.ancestors, [{ key: 'root' }])
  assert.deepEqual(child.assets[0]?.sources[0]?.dimensions, { width: 3, height: 2 })
  const fields = child.custom!.customFieldsRaw!
  assert.deepEqual(fields.map((field) => field.name), ['season', 'related'])
  assert.deepEqual(fields[1]?.referencedResource, { key: 'root' })
  assert.equal(child.custom?.type?.key, 'category-fields')

  const moved = (await shop.UpdateCategory({
    key: 'child',
    version: 1,
    actions: [
      { changeSlug: { slug: en('kid') } },
      { setCustomField: { name: 'season', value: null } },
      { addAsset: { position: 0, asset: { name: en('First'), sources: [{ uri: 'b.png' }] } } },
    ],
  })).updateCategory!
  assert.equal(moved.slug, 'kid')
  assert.deepEqual(moved.assets.map((asset) => asset.sources[0]?.uri), ['b.png', 'a.png'])
  assert.deepEqual(moved.custom?.customFieldsRaw?.map((field) => field.name), ['related'])

  const tree = (await shop.CategoryTree({ key: 'root' })).category!
  assert.equal(tree.childCount, 1)
  assert.equal(tree.children?.[0]?.key, 'child')
})

test('Zones, Tax Categories, Channels, Stores, Payments, Reviews and Custom Objects', async () => {
  const made = await shop.CreateOthers({
    zone: { name: 'Europe', locations: [{ country: 'DE' }] },
    tax: { name: 'Books', rates: [{ name: '7 %', amount: 0.07, includedInPrice: true, country: 'DE' }] },
    channel: {
      key: 'shop-1',
      roles: ['ProductDistribution'],
      address: { country: 'DE' },
      geoLocation: { type: 'Point', coordinates: [13.4, 52.5] },
    },
    store: { key: 'berlin', distributionChannels: [{ key: 'shop-1' }], countries: [{ code: 'DE' }] },
  })
  assert.deepEqual(made.createZone?.locations, [{ country: 'DE' }])
  assert.equal(made.createTaxCategory?.rates[0]?.amount, 0.07)
  assert.deepEqual(made.createChannel?.geoLocation, { type: 'Point', coordinates: [13.4, 52.5] })
  // A mutation can refer to a resource that an earlier mutation of the same request created.
  assert.deepEqual(made.createStore?.distributionChannels, [{ key: 'shop-1' }])

  const { createPayment: payment } = await shop.CreatePayment({
    draft: {
      amountPlanned: { currencyCode: 'EUR', centAmount: 1000 },
      paymentMethodInfo: { name: en('Card') },
      transactions: [{ type: 'Charge', amount: { currencyCode: 'EUR', centAmount: 500 }, state: 'Pending' }],
    },
  })
  assert.deepEqual(payment!.amountPlanned, { type: 'centPrecision', centAmount: 1000, currencyCode: 'EUR' })
  assert.equal(payment!.transactions[0]?.state, 'Pending')

  const { createReview: review } = await shop.CreateReview({
    draft: { text: 'fine', rating: 5, target: { typeId: 'channel', key: 'shop-1' } },
  })
  assert.equal(review!.targetRef?.typeId, 'channel')
  assert.equal(review!.target && 'key' in review!.target ? review!.target.key : undefined, 'shop-1')

  const { createOrUpdateCustomObject: object } = await shop.PutCustomObject({
    draft: { container: 'box', key: 'a', value: '{"list": [1, null, "x"]}' },
  })
  assert.deepEqual(object!.value, { list: [1, null, 'x'] })
})

test('the Project, and the Messages that it then keeps', async () => {
  const { project } = await shop.ProjectVersion()
  const { updateProject: changed } = await shop.UpdateProject({
    version: project.version,
    actions: [
      { changeMessagesConfiguration: { messagesConfiguration: { enabled: true, deleteDaysAfterCreation: 7 } } },
      { setShippingRateInputType: { shippingRateInputType: { CartClassification: { values: [{ key: 's', label: en('Small') }] } } } },
    ],
  })
  assert.deepEqual(changed!.messages, { enabled: true, deleteDaysAfterCreation: 7 })
  assert.deepEqual(changed!.shippingRateInputType, { type: 'CartClassification', values: [{ key: 's' }] })
  assert.equal((await shop.Project()).project.carts.priceRoundingMode, 'HalfEven')

  const category = (await shop.CreateCategory({ draft: { key: 'told', name: en('Told'), slug: en('told') } })).createCategory!
  await shop.UpdateCategory({ key: 'told', version: 1, actions: [{ changeSlug: { slug: en('retold') } }] })
  const { messages } = await shop.Messages({ where: `resource(id = "${category.id}")` })
  assert.deepEqual(messages.results.map((message) => message.payload.type), ['CategoryCreated', 'CategorySlugChanged'])
  assert.deepEqual(messages.results[0]?.payload, { type: 'CategoryCreated', category: { key: 'told' } })
  assert.deepEqual(messages.results[1]?.payload, { type: 'CategorySlugChanged', slug: 'retold', oldSlug: 'told' })
  assert.equal(messages.results[0]?.userProvidedIdentifiers?.key, 'told')
})

test('Products, as they are, in one language, and in a Store', async () => {
  const { createProduct: product } = await shop.CreateShelf({
    type: {
      key: 'shelf',
      name: 'Shelf',
      description: 'What stands on one',
      attributeDefinitions: [
        { name: 'color', label: en('Color'), type: { text: {} }, isRequired: false, isSearchable: true },
      ],
    },
    product: {
      key: 'cup',
      productType: { key: 'shelf' },
      name: [...en('Cup'), { locale: 'de', value: 'Tasse' }],
      slug: en('cup'),
      publish: true,
      masterVariant: {
        sku: 'red',
        attributes: [{ name: 'color', value: '"red"' }],
        prices: [{ value: { centPrecision: { currencyCode: 'EUR', centAmount: 500 } } }],
      },
    },
    store: { key: 'corner' },
  })
  const variant = product!.masterData.current!.masterVariant
  assert.deepEqual(variant.attributesRaw, [{ name: 'color', value: 'red' }])
  assert.equal(variant.price?.value.centAmount, 500)

  const seen = await shop.LookAtProducts({ key: 'cup', store: 'corner', locales: ['de'] })
  assert.deepEqual(seen.product!.masterData.current!.nameAllLocales, [{ locale: 'de', value: 'Tasse' }])
  assert.deepEqual(seen.product!.masterData.current!.allVariants, [{ id: 1, sku: 'red' }])
  assert.equal(seen.inStore.product!.id, product!.id)
  assert.equal(seen.inStore.productSelectionAssignments.total, 0)
  assert.equal(seen.inStore.productTailoring, null)
  assert.equal(seen.limits.products.variants.limit, 100)

  const { updateProduct: changed } = await shop.ChangeProduct({
    key: 'cup',
    version: product!.version,
    actions: [{ changeName: { name: en('Mug') } }],
  })
  assert.equal(changed!.masterData.staged!.name, 'Mug')
  assert.equal(changed!.masterData.hasStagedChanges, true)
})

test('a Business Unit, and what its Associate sees', async () => {
  const { customer } = (await shop.SignUp({ draft: { email: 'ada@example.com', password: 'secret' } })).customerSignUp
  const { createBusinessUnit: unit } = await shop.CreateUnit({
    role: { key: 'clerk', buyerAssignable: true, permissions: ['ViewMyShoppingLists', 'UpdateAssociates'] },
    unit: {
      key: 'works',
      unitType: 'Company',
      name: 'Works',
      associates: [
        { customer: { id: customer.id }, associateRoleAssignments: [{ associateRole: { key: 'clerk' }, inheritance: 'Enabled' }] },
      ],
    },
  })
  assert.equal(unit!.topLevelUnit.key, 'works')
  const seen = await shop.LookAsAssociate({ unit: 'works', key: 'works', associate: customer.id })
  assert.deepEqual(seen.asAssociate.businessUnits, { total: 1, results: [{ key: 'works', ancestors: [] }] })
  assert.equal(seen.asAssociate.shoppingLists.total, 0)
  assert.deepEqual(seen.associate!.associateRoles, [{ key: 'clerk' }])
})

test('a search that is off says so, and Variants are changed each for itself', async () => {
  const asked = shop.SearchProjections({
    text: 'cup',
    locale: 'en',
    filters: [{ model: { value: { path: 'variants.sku', values: ['red'] } } }],
    facets: [{ model: { terms: { path: 'variants.attributes.color', alias: 'colors' } } }],
    prices: { currency: 'EUR' },
    keywords: [{ searchKeyword: 'c', locale: 'en' }],
  })
  await assert.rejects(asked, (refusal: Refused) => refusal.errors[0]!.extensions.code === 'SearchDeactivated')

  const seen = await shop.LookAtVariants({ key: 'none', productId: 'none' })
  assert.deepEqual(seen, { variantProjection: null, variantProjections: { total: 0 } })
  const { bulkUpdateVariants: changed } = await shop.ChangeVariants({
    input: { items: [{ key: 'none', version: 1 }], actions: [{ publish: {} }] },
  })
  assert.equal(changed.failureCount, 1)
  assert.deepEqual(changed.results, [{ status: 'Fail', resource: null, errors: [{ code: 'ResourceNotFound' }] }])
})
