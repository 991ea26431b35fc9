// One server for each test file, and a project for each test.
import { startKontor, type Kontor, type Project } from 'kontor'
import { test as base } from 'vitest'

export const test = base.extend<{ kontor: Kontor; shop: Project }>({
  kontor: [async ({}, use) => {
    const kontor = await startKontor()
    await use(kontor)
    await kontor.stop()
  }, { scope: 'file' }],
  shop: async ({ kontor }, use) => use(await kontor.project()),
})
