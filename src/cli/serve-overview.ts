// What `parley serve` prints when it is ready: the agents, their cards, and commands that can be pasted.

import { grpcurlLine, grpcurlTrust } from './grpcurl-line.ts'
import { ownCommand } from './invocation.ts'
import { type ServeTlsFlags, trustFlag } from './serve-tls.ts'

export interface ListedAgent {
  path: string
  card: string
  /** `host:port`, where gRPC is served. */
  grpc?: string
}

export function agentsAt(
  base: string,
  agents: readonly { path: string; cardPath: string }[],
  grpc: readonly { path: string; port: number }[],
): ListedAgent[] {
  return (
    agents
      .map(({ path, cardPath }) => {
        const port = grpc.find((each) => each.path === path)?.port
        const listed = { path: path || '/', card: base + cardPath }
        return port === undefined ? listed : { ...listed, grpc: `${new URL(base).hostname}:${port}` }
      })
      // By characters: sorting by language loads its tables, which takes longer than everything else here.
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  )
}

/** `isOwn`: agents of the user, of which nothing is known but where they are. */
export function overview(
  base: string,
  agents: readonly ListedAgent[],
  { tls, isOwn }: { tls: ServeTlsFlags; isOwn: boolean },
): string {
  const trust = trustFlag('--ca-cert', tls)
  const width = Math.max(...agents.map(({ path }) => path.length))
  const rows = agents.map(
    ({ path, card, grpc }) => `  ${path.padEnd(width)}  ${card}${grpc === undefined ? '' : `  gRPC ${grpc}`}`,
  )
  const [first] = agents
  const [talkTo, streamFrom] = isOwn
    ? [first, withoutSlash(first?.path ?? '')]
    : [agents.find(({ path }) => path === '/echo'), '/spec']
  const grpcurl = talkTo?.grpc === undefined ? '' : `\n  ${grpcurlLine(talkTo.grpc, grpcurlTrust(tls))}`
  return `
Agents and their cards:
${rows.join('\n')}

Try one of these in another terminal:
  curl -s${trustFlag('--cacert', tls)} ${base}${withoutSlash(talkTo?.path ?? '')} -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}}'${grpcurl}
  ${ownCommand()} send ${base}${streamFrom} "${isOwn ? 'hello' : 'streaming please'}" --stream${trust}
  ${ownCommand()} test ${base}${streamFrom}${trust}

Ctrl-C stops the server.`
}

function withoutSlash(path: string): string {
  return path === '/' ? '' : path
}
