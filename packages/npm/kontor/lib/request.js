'use strict'

/** A response with an error status. `body` is the error of the API. */
class KontorError extends Error {
  constructor(method, url, status, body) {
    super(`${method} ${url}: ${status} ${body?.message ?? ''}`)
    this.name = 'KontorError'
    this.status = status
    this.body = body
  }
}

/** Sends a request and returns the JSON of its response. A body other than a form is sent as JSON. */
async function send(method, url, { headers = {}, body } = {}) {
  if (body !== undefined && !(body instanceof URLSearchParams)) {
    headers = { 'Content-Type': 'application/json', ...headers }
    body = JSON.stringify(body)
  }
  const response = await fetch(url, { method, headers, body })
  const text = await response.text()
  const json = parse(text)
  if (!response.ok) throw new KontorError(method, url, response.status, json)
  return json
}

function parse(text) {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return { message: text }
  }
}

/** A query string, with `?` unless it is empty. */
function query(parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

module.exports = { KontorError, query, send }
