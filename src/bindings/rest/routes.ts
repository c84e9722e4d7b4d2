// Matches a path below the mount against the routes of a generation. Every route may be prefixed by a tenant
// (`/{tenant}/tasks/…`, 1.0 proto); ids are percent-decoded.

import type { Dialect, Route } from '../../dialects/dialect.ts'

interface CompiledRoute {
  route: Route
  pattern: RegExp
  names: readonly string[]
}

export interface RouteMatch {
  route: Route
  params: { [name: string]: string }
  tenant: string
}

const compiled = new WeakMap<Dialect, readonly CompiledRoute[]>()

/** The match, or the methods the path knows (empty: no such path). */
export function matchRoute(
  dialect: Dialect,
  method: string,
  path: string,
): RouteMatch | { allowed: readonly string[] } {
  let routes = compiled.get(dialect)
  if (routes === undefined) {
    routes = dialect.routes.map(compile)
    compiled.set(dialect, routes)
  }
  const direct = matchIn(routes, method, path)
  if ('route' in direct || direct.allowed.length > 0) return direct
  const slash = path.indexOf('/', 1)
  if (slash < 0) return direct
  const tenant = decodeSegment(path.slice(1, slash))
  if (tenant === undefined) return direct
  const prefixed = matchIn(routes, method, path.slice(slash))
  return 'route' in prefixed ? { ...prefixed, tenant } : prefixed
}

function matchIn(
  routes: readonly CompiledRoute[],
  method: string,
  path: string,
): RouteMatch | { allowed: readonly string[] } {
  const allowed: string[] = []
  for (const { route, pattern, names } of routes) {
    const found = pattern.exec(path)
    if (found === null) continue
    if (route.method !== method) {
      allowed.push(route.method)
      continue
    }
    const params: { [name: string]: string } = {}
    for (const [index, name] of names.entries()) {
      const value = decodeSegment(found[index + 1] ?? '')
      if (value === undefined) return { allowed: [] }
      params[name] = value
    }
    return { route, params, tenant: '' }
  }
  return { allowed }
}

function compile(route: Route): CompiledRoute {
  const names: string[] = []
  const pattern = route.path.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name)
    return '([^/]+?)'
  })
  // A custom verb (`:cancel`) belongs to the route, never to the id before it.
  const verbless = route.path.endsWith('}') ? '(?<!:cancel|:subscribe)' : ''
  return { route, pattern: new RegExp(`^${pattern}${verbless}$`), names }
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
