import { expect } from 'vitest'
import { test } from './kontor.js'

test('a category is found by its slug', async ({ shop }) => {
  await shop.post('/categories', { key: 'lamps', name: { en: 'Lamps' }, slug: { en: 'lamps' } })
  const page = await shop.get('/categories', { where: 'slug(en = "lamps")' })
  expect(page.results[0].key).toBe('lamps')
})

test('a password token ends after an hour', async ({ shop }) => {
  await shop.post('/customers', { email: 'ada@example.com', password: 'secret' })
  const { value } = await shop.post('/customers/password-token', { email: 'ada@example.com', ttlMinutes: 60 })
  await shop.advanceClock(61 * 60)
  const reset = shop.post('/customers/password/reset', { tokenValue: value, newPassword: 'other' })
  await expect(reset).rejects.toMatchObject({ status: 400 })
})

test('the shop has a bad moment', async ({ shop }) => {
  await shop.fault({ method: 'GET', path: '/categories', status: 503 })
  await expect(shop.get('/categories')).rejects.toMatchObject({ status: 503 })
  const [failed] = await shop.requests({ status: 503 })
  expect(failed).toMatchObject({ method: 'GET', path: `/${shop.key}/categories` })
})
