// Lists the methods that the SDK offers, and records which of them a test has called.

const METHODS = new Set(['get', 'head', 'post', 'delete'])
/** A placeholder for the ids and keys that a builder takes. */
const ANY_NAMES = new Proxy({}, { get: (_, name) => `{${String(name)}}` })

/** A call by its method and the template of its path, as the SDK has them. */
const named = ({ request }) => `${request.method} ${request.uriTemplate}`

/** The names of all calls below a builder. None of them is made. */
export function offered(builder) {
  const builders = Object.getOwnPropertyNames(Object.getPrototypeOf(builder)).filter((name) => name !== 'constructor')
  return builders.flatMap((name) => {
    if (METHODS.has(name)) return [named(builder[name]({ queryArgs: {}, headers: {} }))]
    const next = builder[name](ANY_NAMES)
    return 'request' in next ? [named(next)] : offered(next)
  })
}

/** Makes calls and remembers their names. */
export class Caller {
  #made = new Set()

  /** Returns the response to a call. */
  async answer(call) {
    this.#made.add(named(call))
    return call.execute()
  }

  /** Returns the body of the response to a call. Fails if its status is another. */
  async body(call, status = 200) {
    const answer = await this.answer(call)
    if (answer.statusCode !== status) throw new Error(`${named(call)}: ${answer.statusCode} instead of ${status}`)
    return answer.body
  }

  /** The calls among those named that were not made. */
  missing(names) {
    return names.filter((name) => !this.#made.has(name))
  }
}
