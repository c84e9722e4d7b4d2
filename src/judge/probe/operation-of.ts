// Which operation a hand-made request is about, as far as it can be told.

import { isJsonObject } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { parsed } from './answer.ts'
import type { RawRequest } from './call-options.ts'
import type { Surface } from './surface.ts'

export function operationOf(surface: Surface, method: string, request: RawRequest): Operation | undefined {
  return surface.binding === 'jsonrpc' ? byMethod(surface, request.body) : byRoute(surface, method, request.path ?? '/')
}

function byMethod({ dialect }: Surface, body: RawRequest['body']): Operation | undefined {
  const value = typeof body === 'string' ? parsed(body) : body
  const name = isJsonObject(value) ? value.method : undefined
  const found = Object.entries(dialect.methods).find(([, known]) => known === name)
  return found?.[0] as Operation | undefined
}

function byRoute({ dialect }: Surface, method: string, path: string): Operation | undefined {
  const [bare = ''] = path.split('?')
  const found = dialect.routes.find((route) => {
    // A colon begins the verb of another route.
    const pattern = route.path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/:]+')
    return route.method === method && new RegExp(`^${pattern}$`).test(bare)
  })
  return found?.op
}
