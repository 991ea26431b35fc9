// One server for each worker, and a project for each test.
import { test as base } from '@playwright/test'
import { startKontor, type Kontor, type Project } from 'kontor'

export const test = base.extend<{ shop: Project }, { kontor: Kontor }>({
  kontor: [async ({}, use) => {
    const kontor = await startKontor()
    await use(kontor)
    await kontor.stop()
  }, { scope: 'worker' }],
  shop: async ({ kontor }, use) => use(await kontor.project()),
})
