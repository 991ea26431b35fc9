#!/usr/bin/env node
// Runs the binary with the same arguments, standard streams, signals and exit code.
'use strict'
const { spawn } = require('node:child_process')
const { findBinary } = require('../lib/binary.js')

const server = spawn(findBinary(), process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal))
server.on('error', error => {
  console.error(`kontor: ${error.message}`)
  process.exit(1)
})
server.on('exit', (code, signal) => process.exit(signal ? 1 : code))
