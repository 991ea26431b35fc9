import kontor from './index.js'

export const { startKontor, connectKontor, findBinary, Kontor, KontorError } = kontor
