// `parley serve my-agent.ts --watch`: the server in a process of its own, started again when a file of the agent changes. A module
// cannot be unloaded, so only a new process is sure to run what is on the disk.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { untilStopped } from './until-stopped.ts'
import { FileWatch } from './watch-files.ts'

/** What the served process tells the one that watches. */
export interface ServedNews {
  /** A file of the agent. */
  file?: string
  /** Where it listens. */
  port?: number
}

/** In the process that serves: undefined unless it is watched. Ends with the one that watches, however that ends. */
export function newsChannel(): ((news: ServedNews) => void) | undefined {
  if (process.send === undefined || process.env.PARLEY_WATCH !== '0') return undefined
  process.once('disconnect', () => process.emit('SIGTERM'))
  process.channel?.unref()
  return (news) => process.send?.(news)
}

/** `words` are those of the command line, the program first. */
export async function serveWatched(
  file: string,
  words: readonly string[],
  tell: (line: string) => void,
): Promise<void> {
  const files = new Set([file])
  let wasPort: number | undefined
  let child: ChildProcess | undefined
  const start = () => {
    // The port of the first start, also when any free one was asked for: clients and browsers stay where they are.
    const port = wasPort === undefined ? [] : ['--port', String(wasPort)]
    const served = spawn(
      process.execPath,
      [...process.execArgv, ...words.filter((word) => word !== '--watch'), ...port],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        // Ctrl-C is for the process that watches, which stops this one in order.
        detached: true,
        env: { ...process.env, PARLEY_WATCH: '0' },
      },
    )
    served.on('message', (news: ServedNews) => {
      wasPort = news.port ?? wasPort
      if (news.file === undefined || files.has(news.file)) return
      files.add(news.file)
      watch.follow(files)
    })
    served.on('exit', () => {
      if (child !== served) return
      child = undefined
      tell(`Waiting for a change of ${file}; Ctrl-C ends.\n`)
    })
    child = served
  }
  let restarting = Promise.resolve()
  const watch = new FileWatch(files, () => {
    restarting = restarting.then(async () => {
      tell(`\nA file of ${file} changed; starting it again.\n`)
      await stop()
      start()
    })
  })
  const stop = async () => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  }
  start()
  await untilStopped()
  watch.close()
  await restarting
  await stop()
}
