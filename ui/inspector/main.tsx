// The inspector as a page: a session first, then the state of the server, then whatever changes.

import { render } from 'preact'
import { keepOrder } from '../shared/plain-order.ts'
import { ApiError, follow, hasSession, startSession } from './api.ts'
import { App, NoSession } from './app.tsx'
import { apply, followHash, isGone } from './state.ts'
import './style.css'

const place = document.getElementById('app')

async function start(root: HTMLElement): Promise<void> {
  root.replaceChildren()
  keepOrder()
  try {
    await startSession()
  } catch (error) {
    if (!hasSession()) {
      render(<NoSession error={error instanceof ApiError ? error.view : undefined} />, root)
      return
    }
  }
  if (!hasSession()) {
    render(<NoSession error={undefined} />, root)
    return
  }
  followHash()
  render(<App />, root)
  await follow(apply, (gone) => {
    isGone.value = gone
  })
  render(<NoSession error={undefined} />, root)
}

if (place !== null) void start(place)
