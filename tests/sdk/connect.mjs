// The SDK's entry point, as its own documentation builds it. Only the addresses of the two services are set.

import { createApiBuilderFromCtpClient } from '@commercetools/platform-sdk'
import { ClientBuilder } from '@commercetools/ts-client'

/** The entry point for a project of the server at `host`, for a client with the given scopes. */
export function connect({ host, projectKey, credentials, scopes }) {
  const client = new ClientBuilder()
    .withClientCredentialsFlow({ host, projectKey, credentials, scopes, httpClient: fetch })
    .withHttpMiddleware({ host, httpClient: fetch })
    .build()
  return createApiBuilderFromCtpClient(client).withProjectKey({ projectKey })
}
