// Starts the server for a test, as a user would, and stops it afterwards.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const READY = 'kontor listening on '

/** The binary that `cargo build` made. Compiled tests run from a folder of their own, so the search for the workspace goes upwards. */
function built() {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'Cargo.lock'))) {
    if (folder === dirname(folder)) throw new Error(`no workspace above ${import.meta.url}`)
    folder = dirname(folder)
  }
  return join(process.env.CARGO_TARGET_DIR ?? join(folder, 'target'), 'debug', 'kontor')
}

/**
 * A running server with one project and its first client.
 * `KONTOR_BIN` names the binary; without it, it is the one that `cargo build` makes.
 */
export async function startServer({ projectKey, clientId, clientSecret }) {
  const process_ = spawn(
    process.env.KONTOR_BIN ?? built(),
    ['serve', '--in-memory', '--projection-search', '--listen', '127.0.0.1:0', '--project', projectKey, '--client-id', clientId, '--client-secret', clientSecret],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise((resolve) => process_.once('exit', (code, signal) => resolve(code ?? signal)))
  const ready = new Promise((resolve, reject) => {
    process_.once('error', reject)
    createInterface({ input: process_.stdout }).on('line', (line) => {
      if (line.startsWith(READY)) resolve(line.slice(READY.length).trim())
    })
    ended.then((code) => reject(new Error(`the server ended with ${code} before it was ready`)))
  })
  const stop = async () => {
    process_.kill('SIGTERM')
    return ended
  }
  return { baseUrl: await ready, stop }
}
