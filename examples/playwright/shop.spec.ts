import { expect } from '@playwright/test'
import { test } from './kontor.js'

// A test of a storefront passes `shop.url`, `shop.key`, `shop.clientId` and `shop.clientSecret` to it and opens a `page`.
test('a category is found by its slug', async ({ request, shop }) => {
  await shop.post('/categories', { key: 'lamps', name: { en: 'Lamps' }, slug: { en: 'lamps' } })
  const headers = { Authorization: `Bearer ${await shop.token()}` }
  const response = await request.get(`${shop.url}/${shop.key}/categories/key=lamps`, { headers })
  expect((await response.json()).slug).toEqual({ en: 'lamps' })
})
