// Runs the OAuth flows of the authorization service through the official TypeScript SDK from the npm registry. Only the
// addresses of the two services are set.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiBuilderFromCtpClient } from '@commercetools/platform-sdk'
import { ClientBuilder } from '@commercetools/ts-client'
import { startServer } from './server.mjs'

const projectKey = 'flows'
const credentials = { clientId: 'flows-client', clientSecret: 'flows-secret' }
const scopes = [`view_states:${projectKey}`, `manage_my_profile:${projectKey}`]

let server
let shop

before(async () => {
  server = await startServer({ projectKey, ...credentials })
  shop = api(builder().withClientCredentialsFlow(options({ scopes: [`manage_project:${projectKey}`] })))
})

after(async () => {
  assert.equal(await server?.stop(), 0, 'SIGTERM ends the server in order')
})

/** A client that sends requests to the server, without a flow yet. */
function builder() {
  return new ClientBuilder().withHttpMiddleware({ host: server.baseUrl, httpClient: fetch })
}

/** Resources that all flows use. */
function options(more) {
  return { host: server.baseUrl, projectKey, credentials, scopes, httpClient: fetch, ...more }
}

/** The SDK's entry point for the project. */
function api(client) {
  return createApiBuilderFromCtpClient(client.build()).withProjectKey({ projectKey })
}

/** Keeps the tokens that the SDK got, so that a test can look at them. */
function cache() {
  let kept
  return {
    get: () => kept,
    set: (tokens) => {
      kept = tokens
    },
  }
}

/** Returns the error of a refused request: the SDK rejects with an error that has the response. */
async function refusal(request) {
  try {
    await request.execute()
  } catch (error) {
    return error
  }
  assert.fail('the request was not refused')
}

test('client credentials: the scopes that were asked for, and no others', async () => {
  const tokens = cache()
  const reader = api(builder().withClientCredentialsFlow(options({ scopes: [`view_states:${projectKey}`], tokenCache: tokens })))
  assert.equal((await reader.states().get().execute()).statusCode, 200)
  assert.equal((await refusal(reader.zones().get())).statusCode, 403)
  assert.equal(tokens.get().refreshToken, undefined)
  assert.ok(tokens.get().expirationTime > Date.now())
})

test('anonymous session: a token of its own, under an id that nobody else gets', async () => {
  const tokens = cache()
  const anonymous = { ...credentials, anonymousId: 'visitor-1' }
  const visitor = api(builder().withAnonymousSessionFlow(options({ credentials: anonymous, tokenCache: tokens })))
  assert.equal((await visitor.states().get().execute()).statusCode, 200)
  assert.equal((await refusal(visitor.zones().get())).statusCode, 403)
  assert.ok(tokens.get().refreshToken)

  const intruder = api(builder().withAnonymousSessionFlow(options({ credentials: anonymous, tokenCache: cache() })))
  const error = await refusal(intruder.states().get())
  assert.equal(error.statusCode, 400)
  assert.match(error.message, /already in use/)
})

test('refresh token: the session of somebody else goes on', async () => {
  const tokens = cache()
  const visitor = api(builder().withAnonymousSessionFlow(options({ tokenCache: tokens })))
  await visitor.states().get().execute()
  const { refreshToken } = tokens.get()

  const again = api(builder().withRefreshTokenFlow(options({ refreshToken })))
  assert.equal((await again.states().get().execute()).statusCode, 200)
  assert.equal((await refusal(again.zones().get())).statusCode, 403, 'with the scopes of the session')

  const wrong = api(builder().withRefreshTokenFlow(options({ refreshToken: `${projectKey}:no-such-token` })))
  const error = await refusal(wrong.states().get())
  assert.equal(error.statusCode, 400)
})

test('existing token: it is sent as it is', async () => {
  const tokens = cache()
  await api(builder().withClientCredentialsFlow(options({ tokenCache: tokens }))).states().get().execute()
  const holder = api(builder().withExistingTokenFlow(`Bearer ${tokens.get().token}`, { force: true }))
  assert.equal((await holder.states().get().execute()).statusCode, 200)
  const error = await refusal(api(builder().withExistingTokenFlow('Bearer no-such-token', { force: true })).states().get())
  assert.equal(error.statusCode, 401)
  assert.equal(error.body.errors[0].code, 'invalid_token')
})

test('a token that is revoked is fetched anew without anybody noticing', async () => {
  const tokens = cache()
  const reader = api(builder().withClientCredentialsFlow(options({ tokenCache: tokens })))
  await reader.states().get().execute()
  const { token } = tokens.get()
  const revoked = await fetch(`${server.baseUrl}/oauth/token/revoke`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${credentials.clientId}:${credentials.clientSecret}`)}` },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
  })
  assert.equal(revoked.status, 200)
  assert.equal((await reader.states().get().execute()).statusCode, 200)
  assert.notEqual(tokens.get().token, token)
})

test('password: a Customer of the shop sees and changes who they are', async () => {
  const user = { username: 'ann+shop@example.com', password: 'se&cret=ä' }
  const { body: signedUp } = await shop
    .customers()
    .post({ body: { email: user.username, password: user.password, firstName: 'Ann' } })
    .execute()
  const tokens = cache()
  const customer = api(builder().withPasswordFlow(options({ credentials: { ...credentials, user }, tokenCache: tokens })))
  const { body: me } = await customer.me().get().execute()
  assert.equal(me.id, signedUp.customer.id)
  assert.ok(tokens.get().refreshToken)
  const { body: changed } = await customer
    .me()
    .post({ body: { version: me.version, actions: [{ action: 'setFirstName', firstName: 'Anna' }] } })
    .execute()
  assert.equal(changed.firstName, 'Anna')
  assert.equal((await refusal(customer.customers().get())).statusCode, 403, 'nobody else')

  // Another device continues with the refresh token.
  const again = api(builder().withRefreshTokenFlow(options({ refreshToken: tokens.get().refreshToken })))
  assert.equal((await again.me().get().execute()).body.id, me.id)

  const wrong = { ...credentials, user: { ...user, password: 'wrong' } }
  const error = await refusal(api(builder().withPasswordFlow(options({ credentials: wrong }))).me().get())
  assert.equal(error.statusCode, 400)
  assert.equal(error.code, 'invalid_customer_account_credentials')
})

test('password in a Store: the token is good there alone', async () => {
  await shop.stores().post({ body: { key: 'berlin', name: { en: 'Berlin' } } }).execute()
  await shop.stores().post({ body: { key: 'paris', name: { en: 'Paris' } } }).execute()
  const user = { username: 'bob@example.com', password: 'secret' }
  await shop
    .inStoreKeyWithStoreKeyValue({ storeKey: 'berlin' })
    .customers()
    .post({ body: { email: user.username, password: user.password, stores: [{ typeId: 'store', key: 'berlin' }] } })
    .execute()
  const oauthUri = `/oauth/${projectKey}/in-store/key=berlin/customers/token`
  const bob = api(
    builder().withPasswordFlow(
      options({ credentials: { ...credentials, user }, oauthUri, scopes: [`manage_my_profile:${projectKey}`] }),
    ),
  )
  const inStore = (storeKey) => bob.inStoreKeyWithStoreKeyValue({ storeKey }).me().get()
  assert.equal((await inStore('berlin').execute()).body.email, user.username)
  assert.equal((await refusal(inStore('paris'))).statusCode, 403)
  assert.equal((await refusal(bob.me().get())).statusCode, 403)
})
