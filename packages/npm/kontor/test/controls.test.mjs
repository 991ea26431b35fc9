// Uses every control once. Needs the binary: KONTOR_BIN, @kontor/linux-x64, or kontor in PATH.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { connectKontor, KontorError, startKontor } from 'kontor'

let kontor
before(async () => { kontor = await startKontor() })
after(() => kontor.stop())

test('every control', async () => {
  const shop = await connectKontor(`${kontor.url}/`).project()
  const zone = await shop.post('/zones', { name: 'Europe', key: 'europe' })
  const count = async () => (await shop.get('/zones', { where: 'key = "europe"', limit: 1 })).total
  assert.equal(await count(), 1)
  const snapshot = await shop.snapshot()
  await shop.reset()
  assert.equal(await count(), 0)
  await shop.restore(snapshot)
  await shop.settle()
  await shop.advanceClock(3600)
  assert.match((await shop.setClock(new Date('2030-01-01'))).now, /^2030-01-01/)
  await shop.resetClock()
  await shop.requestToken()
  assert.equal((await shop.fault({ method: 'GET', path: '/states', status: 503 })).waiting, 1)
  await assert.rejects(shop.get('/states'), error => error instanceof KontorError && error.status === 503)
  assert.equal((await shop.requests({ path: '/states' }))[0].status, 503)
  assert.deepEqual(await shop.deliveries(), [])
  await shop.clearRequests()
  await shop.clearDeliveries()
  await shop.delete(`/zones/${zone.id}`, { version: 1 })
  await shop.remove()
  await assert.rejects(shop.settle(), { status: 404 })
})

test('scripts without modules', () => {
  assert.equal(createRequire(import.meta.url)('kontor').startKontor, startKontor)
})

test('a binary that is missing', async () => {
  await assert.rejects(startKontor({ binary: '/nowhere/kontor' }), /cannot be started/)
})
