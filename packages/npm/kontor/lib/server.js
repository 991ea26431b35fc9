'use strict'
const { randomUUID } = require('node:crypto')
const { Project } = require('./project.js')
const { send } = require('./request.js')

/** A running server. */
class Kontor {
  #stop
  #headers

  constructor(url, { stop, testToken } = {}) {
    this.url = url
    this.#stop = stop
    this.#headers = testToken === undefined ? {} : { 'X-Test-Token': testToken }
  }

  /** Creates a project, with a client that has every scope. */
  async project(draft = {}) {
    const body = { ...draft, key: draft.key ?? `test-${randomUUID().slice(0, 8)}` }
    const client = await this.control('POST', '', body)
    return new Project(this, body.key, client)
  }

  /** Calls a test control: `path` is what follows `/_test/projects`. */
  control(method, path, body) {
    return send(method, `${this.url}/_test/projects${path}`, { headers: this.#headers, body })
  }

  /** Stops the server and waits for its end. A server that this process has not started continues. */
  async stop() {
    await this.#stop?.()
  }
}

module.exports = { Kontor }
