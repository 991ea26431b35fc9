// Generates `generated/client.ts`: the types of the schema and a function for each operation of `operations/`.
//
// `SCHEMA` names another file to generate from, for example the official schema of the platform: the operations
// and the test stay the same, because the names and shapes are.

import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as genericSdk from '@graphql-codegen/typescript-generic-sdk'
import * as operations from '@graphql-codegen/typescript-operations'
import { buildSchema, parse, printSchema } from 'graphql'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const source = process.env.SCHEMA ?? here('../../docs/api/schema.graphql')
const schema = parse(printSchema(buildSchema(readFileSync(source, 'utf8'))))
const documents = readdirSync(here('operations')).map((name) => {
  const location = here(`operations/${name}`)
  return { location, document: parse(readFileSync(location, 'utf8')) }
})

const text = await codegen({
  filename: 'client.ts',
  schema,
  documents,
  config: {
    documentMode: 'string',
    enumsAsTypes: true,
    scalars: { Json: 'unknown', Long: 'number', DateTime: 'string', Locale: 'string', Country: 'string', Currency: 'string' },
    useTypeImports: true,
  },
  plugins: [{ typescript: {} }, { operations: {} }, { genericSdk: {} }],
  pluginMap: { typescript, operations, genericSdk },
})
mkdirSync(here('generated'), { recursive: true })
writeFileSync(here('generated/client.ts'), text)
