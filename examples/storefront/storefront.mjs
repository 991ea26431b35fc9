// A storefront in one file: products by search, with a facet and prices, and a wish list for each visitor.
// The tutorial (docs/guide/tutorial.md) explains it. Start: CLIENT_ID=… CLIENT_SECRET=… node storefront.mjs
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const { KONTOR_URL = 'http://127.0.0.1:8989', PROJECT = 'demo', PORT = '3000', CLIENT_ID, CLIENT_SECRET } = process.env
const COUNTRY = 'DE', CURRENCY = 'EUR', LANGUAGE = 'en'

// Each visitor has an anonymous session with its own token for `/me`.
const visitors = new Map()

async function tokenOf(visitor) {
  if (!visitors.has(visitor)) {
    const answer = await fetch(`${KONTOR_URL}/oauth/${PROJECT}/anonymous/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const token = await answer.json()
    if (!answer.ok) throw new Error(token.message)
    visitors.set(visitor, token.access_token)
  }
  return visitors.get(visitor)
}

/** Asks below the project, with the token of the visitor. */
async function ask(visitor, path, body) {
  const answer = await fetch(`${KONTOR_URL}/${PROJECT}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${await tokenOf(visitor)}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const json = await answer.json()
  if (!answer.ok) throw new Error(json.message)
  return json
}

function search(visitor, words, wood) {
  const filters = [
    words && { fullText: { field: 'name', language: LANGUAGE, value: words } },
    wood && { exact: { field: 'variants.attributes.wood.label', fieldType: 'lenum', language: LANGUAGE, value: wood } },
  ].filter(Boolean)
  return ask(visitor, '/products/search', {
    ...(filters.length ? { query: { and: filters } } : {}),
    limit: 12,
    productProjectionParameters: { priceCurrency: CURRENCY, priceCountry: COUNTRY },
    facets: [{ distinct: { name: 'woods', field: 'variants.attributes.wood.label', fieldType: 'lenum', language: LANGUAGE } }],
  })
}

async function wishes(visitor) {
  const { results: [list] } = await ask(visitor, '/me/shopping-lists?limit=1')
  return list ?? ask(visitor, '/me/shopping-lists', { name: { [LANGUAGE]: 'Wishes' } })
}

async function wish(visitor, sku) {
  const { id, version } = await wishes(visitor)
  await ask(visitor, `/me/shopping-lists/${id}`, { version, actions: [{ action: 'addLineItem', sku }] })
}

const escape = text => String(text).replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

function card({ productProjection: { name, masterVariant: { sku, price, images } } }) {
  const money = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency: CURRENCY })
  const amount = price && money.format(price.value.centAmount / 10 ** price.value.fractionDigits)
  return `<article><img src="${escape(images[0]?.url)}" alt="" width="200"><h2>${escape(name[LANGUAGE])}</h2>
    <form method="post"><p>${amount ?? ''}</p><button name="sku" value="${escape(sku)}">I want this</button></form></article>`
}

async function page(visitor, words, wood) {
  const { total, results, facets: [woods] } = await search(visitor, words, wood)
  const { lineItems } = await wishes(visitor)
  const link = ({ key, count }) => `<a href="?q=${encodeURIComponent(words)}&wood=${encodeURIComponent(key)}">${escape(key)} (${count})</a>`
  return `<!doctype html><meta name="viewport" content="width=device-width"><title>Elm &amp; Tide</title>
    <style>body { font: 16px system-ui; margin: 2rem } main { display: flex; flex-wrap: wrap; gap: 2rem } h2 { font-size: 1rem }</style>
    <h1>Elm &amp; Tide</h1><form><input name="q" value="${escape(words)}" placeholder="chairs"> <button>Search</button></form>
    <p>${total} products. ${woods.buckets.map(link).join(' ')}</p>
    <p>Your wishes: ${lineItems.map(item => escape(item.name[LANGUAGE])).join(', ') || 'none yet'}</p>
    <main>${results.map(card).join('')}</main>`
}

createServer(async (request, response) => {
  const visitor = /visitor=([\w-]+)/.exec(request.headers.cookie)?.[1] ?? randomUUID()
  const { searchParams } = new URL(request.url, 'http://localhost')
  response.setHeader('Set-Cookie', `visitor=${visitor}; HttpOnly; SameSite=Lax; Path=/`)
  try {
    if (request.method === 'POST') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      await wish(visitor, form.get('sku'))
      return response.writeHead(303, { Location: request.url }).end()
    }
    const html = await page(visitor, searchParams.get('q') ?? '', searchParams.get('wood') ?? '')
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  } catch (problem) {
    response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`The shop did not answer: ${problem.message}\n`)
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`))
