// Starts Kontor for tests, and gives each test a project of its own.
'use strict'
const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')
const { findBinary } = require('./binary.js')
const { Kontor } = require('./server.js')
const { KontorError } = require('./request.js')

/** Starts a server in memory at a free port. */
async function startKontor({ binary = findBinary(), flags = [], log = 'warn' } = {}) {
  const all = ['serve', '--in-memory', '--test-controls', '--listen', '127.0.0.1:0', '--log', log, ...flags]
  const server = spawn(binary, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stopOnExit = () => server.kill()
  process.once('exit', stopOnExit)
  const ended = new Promise(resolve => server.once('close', resolve))
  const stop = async () => {
    process.removeListener('exit', stopOnExit)
    server.kill()
    await ended
  }
  const url = await readAddress(server, binary)
  // A test run that forgets `stop` still ends.
  server.unref()
  server.stdout.unref?.()
  return new Kontor(url, { stop })
}

/** A server that runs already, e.g. in a container. */
function connectKontor(url, { testToken } = {}) {
  return new Kontor(url.replace(/\/+$/, ''), { testToken })
}

/** The address that the server prints when it is ready. */
function readAddress(server, binary) {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(new Error(`${binary} cannot be started: ${error.message}`)))
    const lines = createInterface({ input: server.stdout })
    lines.on('line', line => {
      const [url] = line.match(/http:\S+/) ?? []
      if (url) resolve(url)
    })
    lines.once('close', () => reject(new Error(`${binary} ended before it was ready`)))
  })
}

module.exports = { startKontor, connectKontor, findBinary, Kontor, KontorError }
