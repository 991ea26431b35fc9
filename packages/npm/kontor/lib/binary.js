'use strict'

/** The path of the binary: `KONTOR_BIN`, the optional dependency for this platform, or `kontor` in `PATH`. */
function findBinary() {
  if (process.env.KONTOR_BIN) return process.env.KONTOR_BIN
  try {
    return require.resolve(`@kontor/${process.platform}-${process.arch}/bin/kontor`)
  } catch {
    return 'kontor'
  }
}

module.exports = { findBinary }
