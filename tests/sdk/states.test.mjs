// Runs a workflow of States from creation to deletion through the official TypeScript SDK from the npm registry. Only the
// addresses of the two services are set.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect } from './connect.mjs'
import { startServer } from './server.mjs'

const projectKey = 'sdk'
const credentials = { clientId: 'sdk-client', clientSecret: 'sdk-secret' }

let server
let shop

/** The entry point for the project, for a client with the given scopes. */
const connectTo = (given) => connect({ host: server.baseUrl, projectKey, ...given })

/** Returns the error of a refused request: the SDK rejects with an error that has the response. */
async function refusal(request) {
  try {
    await request.execute()
  } catch (error) {
    return error
  }
  assert.fail('the request was not refused')
}

before(async () => {
  server = await startServer({ projectKey, ...credentials })
  shop = connectTo({ credentials, scopes: [`manage_project:${projectKey}`, `manage_api_clients:${projectKey}`] })
})

after(async () => {
  assert.equal(await server?.stop(), 0, 'SIGTERM ends the server in order')
})

test('the project answers', async () => {
  const { statusCode, body } = await shop.get().execute()
  assert.equal(statusCode, 200)
  assert.equal(body.key, projectKey)
  assert.deepEqual(body.languages, ['en', 'de'])
})

test('a workflow of States is built, queried, changed and taken down', async (t) => {
  const states = shop.states()
  const made = {}

  await t.test('create, with defaults and transitions', async () => {
    for (const draft of [
      { key: 'closed', type: 'OrderState', initial: false, transitions: [] },
      { key: 'shipped', type: 'OrderState', initial: false, transitions: [{ typeId: 'state', key: 'closed' }] },
      { key: 'open', type: 'OrderState', name: { en: 'Open' }, transitions: [{ typeId: 'state', key: 'shipped' }] },
    ]) {
      const { statusCode, body } = await states.post({ body: draft }).execute()
      assert.equal(statusCode, 201)
      assert.equal(body.version, 1)
      assert.equal(body.builtIn, false)
      made[draft.key] = body
    }
    assert.equal(made.open.initial, true, 'initial is true unless said otherwise')
    assert.deepEqual(made.open.transitions, [{ typeId: 'state', id: made.shipped.id }])
    assert.deepEqual(made.closed.transitions, [])
  })

  await t.test('read by id and by key, with expansion', async () => {
    const byId = await states.withId({ ID: made.open.id }).get().execute()
    assert.deepEqual(byId.body, made.open)
    const byKey = await states
      .withKey({ key: 'open' })
      .get({ queryArgs: { expand: ['transitions[*].transitions[*]'] } })
      .execute()
    assert.equal(byKey.body.transitions[0].obj.key, 'shipped')
    assert.equal(byKey.body.transitions[0].obj.transitions[0].obj.key, 'closed')
    assert.equal((await states.withKey({ key: 'open' }).head().execute()).statusCode, 200)
    const missing = await refusal(states.withKey({ key: 'nowhere' }).get())
    assert.equal(missing.statusCode, 404)
  })

  await t.test('query with predicate, variables, sorting and paging', async () => {
    const page = await states
      .get({
        queryArgs: {
          where: ['type = "OrderState"', 'key in :keys'],
          'var.keys': ['open', 'shipped', 'closed'],
          sort: ['key desc'],
          limit: 2,
          offset: 1,
        },
      })
      .execute()
    assert.equal(page.statusCode, 200)
    assert.deepEqual(
      page.body.results.map((state) => state.key),
      ['open', 'closed'],
    )
    assert.deepEqual(
      { limit: page.body.limit, offset: page.body.offset, count: page.body.count, total: page.body.total },
      { limit: 2, offset: 1, count: 2, total: 3 },
    )
    const wrong = await refusal(states.get({ queryArgs: { where: 'colour = "red"' } }))
    assert.equal(wrong.statusCode, 400)
    assert.equal(wrong.body.errors[0].code, 'InvalidInput')
  })

  await t.test('update with several actions', async () => {
    const { body } = await states
      .withId({ ID: made.shipped.id })
      .post({
        body: {
          version: 1,
          actions: [
            { action: 'setName', name: { en: 'Shipped', de: 'Versandt' } },
            { action: 'setTransitions', transitions: [{ typeId: 'state', id: made.closed.id }, { typeId: 'state', id: made.open.id }] },
          ],
        },
      })
      .execute()
    assert.equal(body.version, 2)
    assert.deepEqual(body.name, { en: 'Shipped', de: 'Versandt' })
    assert.equal(body.transitions.length, 2)
  })

  await t.test('an old version is a ConcurrentModification that names the current one', async () => {
    const error = await refusal(
      states.withKey({ key: 'shipped' }).post({ body: { version: 1, actions: [{ action: 'changeInitial', initial: true }] } }),
    )
    assert.equal(error.statusCode, 409)
    assert.equal(error.body.statusCode, 409)
    assert.deepEqual(error.body.errors, [
      {
        code: 'ConcurrentModification',
        message: `Object ${made.shipped.id} has a different version than expected. Expected: 1 - Actual: 2.`,
        currentVersion: 2,
      },
    ])
  })

  await t.test('a refused action says why', async () => {
    const duplicate = await refusal(states.post({ body: { key: 'open', type: 'OrderState' } }))
    assert.equal(duplicate.statusCode, 400)
    assert.equal(duplicate.body.errors[0].code, 'DuplicateField')
    assert.equal(duplicate.body.errors[0].field, 'key')
    const both = await refusal(
      states.post({ body: { key: 'x', type: 'OrderState', transitions: [{ typeId: 'state', id: made.open.id, key: 'open' }] } }),
    )
    assert.equal(both.body.errors[0].code, 'InvalidJsonInput')
  })

  await t.test('a client with fewer scopes reads and does not write', async () => {
    const client = await shop
      .apiClients()
      .post({ body: { name: 'Reader', scope: `view_states:${projectKey}` } })
      .execute()
    assert.equal(client.statusCode, 201)
    const reader = connectTo({
      credentials: { clientId: client.body.id, clientSecret: client.body.secret },
      scopes: [`view_states:${projectKey}`],
    })
    assert.equal((await reader.states().withKey({ key: 'open' }).get().execute()).statusCode, 200)
    const error = await refusal(reader.states().post({ body: { key: 'y', type: 'OrderState' } }))
    assert.equal(error.statusCode, 403)
  })

  await t.test('delete by id and by key', async () => {
    const { body } = await states.withId({ ID: made.open.id }).delete({ queryArgs: { version: 1 } }).execute()
    assert.equal(body.id, made.open.id)
    await states.withKey({ key: 'shipped' }).delete({ queryArgs: { version: 2 } }).execute()
    await states.withKey({ key: 'closed' }).delete({ queryArgs: { version: 1 } }).execute()
    const page = await states.get({ queryArgs: { where: 'type = "OrderState"' } }).execute()
    assert.equal(page.body.total, 0)
  })
})

test('wrong credentials are refused by the authorization service', async () => {
  const stranger = connectTo({ credentials: { clientId: 'sdk-client', clientSecret: 'wrong' }, scopes: [`manage_project:${projectKey}`] })
  const error = await refusal(stranger.states().get())
  assert.equal(error.statusCode, 401)
})
