import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests',
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: 1,
  // On a busy machine a browser may be slower than a test expects. The report names such tests as flaky.
  retries: 1,
  reporter: [['list']],
  use: {
    baseURL: process.env.KONTOR_CONSOLE_URL,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
