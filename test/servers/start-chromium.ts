// A Chromium for a whole test run: every test file opens windows in it that share nothing with those of other files. It is
// driven over its own debugging port, so nothing stands between a test and its pages.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM, FLAGS } from '../browser/chromium.ts'
import { ChildServer, freePort } from './child-server.ts'

/** What playwright-core starts a browser with, as far as it matters here: pages in the background are as fast as others. */
const HEADLESS = [
  '--headless',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--hide-scrollbars',
  '--mute-audio',
  '--password-store=basic',
]

export async function startChromium(): Promise<ChildServer> {
  if (CHROMIUM === undefined) throw new Error('Chromium is not installed: run scripts/install-test-servers.sh')
  const directory = mkdtempSync(join(tmpdir(), 'parley-chromium-'))
  const port = await freePort()
  const server = new ChildServer(
    {
      name: 'Chromium',
      command: CHROMIUM,
      args: [...FLAGS, ...HEADLESS, `--remote-debugging-port=${port}`, `--user-data-dir=${directory}`],
      directory,
      readyText: 'DevTools listening on',
    },
    port,
    `http://127.0.0.1:${port}`,
  )
  await server.start()
  return server
}
