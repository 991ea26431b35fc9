const { startKontor } = require('kontor')

let kontor, shop
beforeAll(async () => { kontor = await startKontor() })
beforeEach(async () => { shop = await kontor.project() })
afterAll(() => kontor.stop())

test('a category is found by its slug', async () => {
  await shop.post('/categories', { key: 'lamps', name: { en: 'Lamps' }, slug: { en: 'lamps' } })
  const page = await shop.get('/categories', { where: 'slug(en = "lamps")' })
  expect(page.results[0].key).toBe('lamps')
})
