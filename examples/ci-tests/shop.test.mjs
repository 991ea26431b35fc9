// Four tests that run in parallel: each has its own project.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startKontor } from './kontor.mjs'

describe('our shop', { concurrency: true }, () => {
  let kontor
  before(async () => { kontor = await startKontor() })
  after(() => kontor.stop())

  test('finds what was created', async () => {
    const shop = await kontor.project()
    await shop.post('/categories', { key: 'lamps', name: { en: 'Lamps' }, slug: { en: 'lamps' } })
    const page = await shop.get(`/categories?where=${encodeURIComponent('slug(en = "lamps")')}`)
    assert.equal(page.total, 1)
    assert.equal(page.results[0].key, 'lamps')
  })

  test('is told when somebody else was faster', async () => {
    const shop = await kontor.project()
    const zone = await shop.post('/zones', { name: 'Europe' })
    const rename = name => shop.post(`/zones/${zone.id}`, { version: zone.version, actions: [{ action: 'changeName', name }] })
    await rename('First')
    await assert.rejects(rename('Second'), { status: 409 })
  })

  test('sees a password token end after its lifetime', async () => {
    const shop = await kontor.project()
    await shop.post('/customers', { email: 'ada@example.com', password: 'secret' })
    const { value } = await shop.post('/customers/password-token', { email: 'ada@example.com', ttlMinutes: 60 })
    await shop.control('clock', { advanceSeconds: 61 * 60 })
    await assert.rejects(shop.post('/customers/password/reset', { tokenValue: value, newPassword: 'other' }), { status: 400 })
  })

  test('has patience when the platform has a bad moment', async () => {
    const shop = await kontor.project()
    await shop.control('faults', { method: 'GET', path: '/categories', status: 503, times: 2 })
    const page = await patiently(() => shop.get('/categories'))
    assert.equal(page.total, 0)
  })
})

/** Retries a request while the response is 503, three times at most, as clients do. */
async function patiently(ask, attempts = 3) {
  try {
    return await ask()
  } catch (problem) {
    if (problem.status !== 503 || attempts === 1) throw problem
    return patiently(ask, attempts - 1)
  }
}
