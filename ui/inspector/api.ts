// How the page talks to the server it came from: a session token, which it got for the one-time token of the link, in a
// header of every request. Nothing else is kept in the browser.

import type { Change, ErrorView } from '../../src/inspector/views.ts'

const KEY = 'parley-session'

export class ApiError extends Error {
  readonly view: ErrorView

  constructor(view: ErrorView) {
    super(view.message)
    this.view = view
  }
}

/** The token leaves the address before anything else happens. */
export async function startSession(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname)
  const { session } = await request<{ session: string }>('POST', 'session', { token })
  sessionStorage.setItem(KEY, session)
}

export function hasSession(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

export function get<T>(path: string): Promise<T> {
  return request<T>('GET', path)
}

export function post<T = { ok: true }>(path: string, body: object = {}): Promise<T> {
  return request<T>('POST', path, body)
}

/** A piece of a file, as it is. */
export function postBytes(path: string, bytes: Blob): Promise<{ ok: true }> {
  return request('POST', path, bytes)
}

async function request<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetched(method, path, body)
  const json = (await response.json()) as T & { error?: ErrorView }
  if (!response.ok) throw new ApiError(json.error ?? { code: 'failed', message: `HTTP ${response.status}` })
  return json
}

async function fetched(method: string, path: string, body?: object): Promise<Response> {
  const isFile = body instanceof Blob
  try {
    return await fetch(`/api/${path}`, {
      method,
      headers: {
        'X-Parley-Session': sessionStorage.getItem(KEY) ?? '',
        ...(body === undefined ? {} : { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    })
  } catch {
    throw new ApiError({
      code: 'gone',
      message: 'The inspector no longer answers; is parley ui still running?',
    })
  }
}

/** Has the browser save it, as a download. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Follows the changes until the server is gone; then says so and tries again. Ends when the session is not known any more. */
export async function follow(onChanges: (changes: Change[]) => void, onGone: (isGone: boolean) => void): Promise<void> {
  for (;;) {
    try {
      const response = await fetched('GET', 'feed')
      if (response.status === 401) return sessionStorage.removeItem(KEY)
      onGone(false)
      await readEvents(response, onChanges)
    } catch {
      // Said below.
    }
    onGone(true)
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

async function readEvents(response: Response, onChanges: (changes: Change[]) => void): Promise<void> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += value
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (data.startsWith('data: ')) onChanges(JSON.parse(data.slice(6)) as Change[])
    }
  }
}
