// Starts a server with one project. Returns the SDK's entry point with a client that may manage the project.

import assert from 'node:assert/strict'
import { connect } from './connect.mjs'
import { startServer } from './server.mjs'

/** Starts both; the credentials are those of the project's client. */
export async function startShop({ projectKey, credentials }) {
  const server = await startServer({ projectKey, ...credentials })
  const scopes = [`manage_project:${projectKey}`]
  return { server, shop: connect({ host: server.baseUrl, projectKey, credentials, scopes }) }
}

/** Ends the server as its operator does. */
export async function stopShop(server) {
  assert.equal(await server?.stop(), 0, 'SIGTERM ends the server in order')
}
