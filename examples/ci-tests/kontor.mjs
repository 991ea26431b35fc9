// Starts one Kontor for each test file and creates a project for each test. Copy and adapt it.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'

/** A running server. `KONTOR_BIN` names the binary; without it, the shell finds `kontor` in `PATH`. */
export async function startKontor() {
  const flags = ['serve', '--in-memory', '--test-controls', '--listen', '127.0.0.1:0', '--log', 'warn']
  const server = spawn(process.env.KONTOR_BIN ?? 'kontor', flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = line.match(/http:\S+/) ?? []
    if (url) return { url, project: () => makeProject(url), stop: () => server.kill() }
  }
  throw new Error('Kontor ended before it was ready')
}

/** A new project, and what a test does with it. Paths are below the project. */
async function makeProject(url) {
  const key = 'test-' + randomUUID().slice(0, 8)
  const { id, secret } = await ask(`${url}/_test/projects`, { key })
  const credentials = { Authorization: `Basic ${btoa(`${id}:${secret}`)}` }
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  const { access_token } = await ask(`${url}/oauth/token`, form, credentials)
  const token = { Authorization: `Bearer ${access_token}` }
  return {
    key, url, clientId: id, clientSecret: secret,
    get: path => ask(`${url}/${key}${path}`, undefined, token),
    post: (path, body) => ask(`${url}/${key}${path}`, body, token),
    control: (name, body = {}) => ask(`${url}/_test/projects/${key}/${name}`, body),
  }
}

/** Returns the JSON of a response. Throws an error with `status` and `body` if the server refuses the request. */
async function ask(url, body, headers) {
  if (body && !(body instanceof URLSearchParams)) {
    headers = { 'Content-Type': 'application/json', ...headers }
    body = JSON.stringify(body)
  }
  const answer = await fetch(url, { method: body ? 'POST' : 'GET', headers, body })
  const json = await answer.json()
  if (!answer.ok) throw Object.assign(new Error(`${answer.status} ${json.message}`), { status: answer.status, body: json })
  return json
}
