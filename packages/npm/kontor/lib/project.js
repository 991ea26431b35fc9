'use strict'
const { query, send } = require('./request.js')

/** A project of a test. */
class Project {
  #server
  #token

  constructor(server, key, { id, secret }) {
    this.#server = server
    this.url = server.url
    this.key = key
    this.clientId = id
    this.clientSecret = secret
  }

  /** An access token of the project's client, requested once. */
  async token() {
    this.#token ??= await this.requestToken()
    return this.#token
  }

  /** A new access token. Tokens expire by the clock of the project, after two days. */
  async requestToken() {
    const headers = { Authorization: `Basic ${btoa(`${this.clientId}:${this.clientSecret}`)}` }
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const { access_token: token } = await send('POST', `${this.url}/oauth/token`, { headers, body })
    this.#token = token
    return token
  }

  get(path, parameters) { return this.request('GET', path + query(parameters)) }
  post(path, body) { return this.request('POST', path, body) }
  delete(path, parameters) { return this.request('DELETE', path + query(parameters)) }

  /** Sends a request to the project; `path` is what follows its key. */
  async request(method, path, body) {
    const headers = { Authorization: `Bearer ${await this.token()}` }
    return send(method, `${this.url}/${this.key}${path}`, { headers, body })
  }

  setClock(now) { return this.#control('clock', { now: now instanceof Date ? now.toISOString() : now }) }
  advanceClock(seconds) { return this.#control('clock', { advanceSeconds: seconds }) }
  resetClock() { return this.#control('clock') }

  fault(fault) { return this.#control('faults', fault) }
  async settle() { await this.#control('settle') }
  async reset() { await this.#control('reset') }
  async snapshot() { return (await this.#control('snapshot')).id }
  async restore(id) { await this.#control('restore', { id }) }
  async remove() { await this.#server.control('DELETE', `/${this.key}`) }

  async requests(filter) { return (await this.#read('requests', filter)).results }
  async deliveries(filter) { return (await this.#read('deliveries', filter)).results }
  async clearRequests() { await this.#server.control('DELETE', `/${this.key}/requests`) }
  async clearDeliveries() { await this.#server.control('DELETE', `/${this.key}/deliveries`) }

  #control(name, body = {}) { return this.#server.control('POST', `/${this.key}/${name}`, body) }
  #read(name, filter) { return this.#server.control('GET', `/${this.key}/${name}${query(filter)}`) }
}

module.exports = { Project }
