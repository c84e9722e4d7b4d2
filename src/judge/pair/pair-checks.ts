// What must hold of two agents that are to work together, as claims about the pair.

import type { JsonObject } from '../../model/json.ts'
import { header } from '../probe/answer.ts'
import { matchError } from '../probe/error-table.ts'
import { listAt } from '../probe/raw.ts'
import { surfaceName } from '../probe/surface.ts'
import { cardForms, declaredInterfaces } from '../runner/declared-interfaces.ts'
import { concurrentTasks } from './concurrent-tasks.ts'
import { delegate } from './delegate.ts'
import { isLoopback } from './loopback.ts'
import type { PairCheck } from './pair-check.ts'
import type { PairMember } from './pair-member.ts'
import { resultParts } from './result-parts.ts'
import { startsTasks } from './starts-tasks.ts'

export const PAIR_CHECKS: readonly PairCheck[] = [
  {
    id: 'pair-discovery',
    title: 'MUST be found by the other agent through its card',
    level: 'MUST',
    sections: ['8.2', '8.3'],
    statement:
      'An agent that knows only the address of the other finds its card there, and in it an interface it can call.',
    why: 'Agents find each other through cards; an agent whose card names an internal address cannot be called by others.',
    causes: ['the card names localhost or an internal host', 'the card needs credentials', 'the endpoint moved'],
    fix: 'Serve the card publicly as JSON, with absolute interface URLs that other machines can reach.',
    probe:
      'Fetches the card without credentials, as the other agent would, and compares the addresses in it with the one it was fetched from.',
    writes: false,
    direction: 'each-way',
    async body({ to }) {
      const x = await to.t.fetch(to.t.cardUrl, { headers: { 'A2A-Version': '1.0' } })
      to.t.expectAnswered(x)
      if (x.status === 401 || x.status === 403) {
        to.t.caution(`the card of the ${to.name} agent needs credentials, which the other agent may not have`)
        return
      }
      to.t.expect(x.status === 200, `the card of the ${to.name} agent is answered with HTTP ${x.status}`, {
        expected: 'HTTP 200',
        actual: `HTTP ${x.status} ${header(x, 'content-type') ?? ''}`.trim(),
        at: x,
      })
      const isPublic = !isLoopback(to.t.cardUrl)
      for (const entry of declaredInterfaces(to.t.card)) {
        const expected = 'an absolute URL that other machines can reach'
        const claim = {
          expected,
          actual: entry.url,
          pointer: `${entry.pointer}/url`.replace('/url/url', '/url'),
          at: x,
        }
        to.t.expect(URL.canParse(entry.url), `the card names the address ${entry.url}, which is not a URL`, claim)
        to.t.expect(
          !(isPublic && isLoopback(entry.url)),
          `the card names ${entry.url}, which is a different machine for every other host`,
          claim,
        )
      }
      to.t.note(
        `${to.facts.surfaces.map(surfaceName).join(', ')} can be called; card forms: ${cardForms(to.t.card).join(', ')}`,
      )
    },
  },
  {
    id: 'pair-common-ground',
    title: 'SHOULD share a protocol version and a binding',
    level: 'SHOULD',
    sections: ['3.6', '5.1'],
    statement:
      'There is a protocol version and a binding both agents speak, and media types that one sends and the other accepts.',
    why: 'An agent usually calls others in the protocol version it speaks itself; without a common version and binding a translating proxy is needed.',
    causes: ['one agent was never upgraded', 'one offers only HTTP+JSON and the other only JSON-RPC'],
    fix: 'Offer a protocol version and a binding the other agent speaks, or put a translating proxy between the two.',
    probe:
      'Compares the interfaces that answered, and the default output modes of one with the input modes of the other.',
    writes: false,
    direction: 'both',
    async body({ from, to }) {
      const other = new Set(to.facts.surfaces.map(surfaceName))
      const shared = from.facts.surfaces.map(surfaceName).filter((name) => other.has(name))
      for (const [sender, receiver] of [
        [from, to],
        [to, from],
      ] as const) {
        const taken = sentAndTaken(sender, receiver)
        from.t.note(
          `what the ${sender.name} sends and the ${receiver.name} takes: ${taken.join(', ') || 'nothing declared'}`,
        )
      }
      if (shared.length > 0) {
        from.t.allow(`both speak ${shared.join(', ')}`)
        return
      }
      const spoken = (side: PairMember) => side.facts.surfaces.map(surfaceName).join(', ')
      from.t.fail('the two agents share no protocol version and binding', {
        expected: `one of ${spoken(from)} on the second agent`,
        actual: spoken(to),
        at: [from.facts.cardExchange, to.facts.cardExchange].filter((exchange) => exchange !== undefined),
      })
    },
  },
  {
    id: 'pair-hand-over',
    title: 'MUST accept what the other agent produces, or refuse its content type',
    level: 'MUST',
    sections: ['3.1.1', '3.3.2'],
    statement:
      'The parts one agent returns can be sent to the other as a message: it works on them, or answers ContentTypeNotSupportedError.',
    why: 'Agents are chained: the result of one is the input of the next. Any other error looks like a broken agent to the caller.',
    causes: ['parts with files or data are not expected', 'unknown members of a part are refused as invalid'],
    fix: 'Accept every kind of part the protocol has, and return ContentTypeNotSupportedError for content you cannot work with.',
    probe:
      'Lets one agent finish tasks, decodes their artifacts and messages in its dialect, and sends the parts to every interface of the other in that one’s dialect.',
    writes: true,
    direction: 'each-way',
    async body({ from, to }) {
      for (const side of [from, to]) await startsTasks(side)
      const collected = await resultParts(from.t)
      for (const surface of to.facts.surfaces) {
        const receiver = to.on(surface)
        for (const { what, parts } of collected) {
          const configuration = { returnImmediately: true }
          const x = await receiver.send({ text: '' }, { parts, configuration })
          receiver.expectAnswered(x)
          if (x.error === undefined) {
            receiver.sendResultOf(x)
            continue
          }
          const { generation, binding } = surface
          const { revision } = to.agent.run
          const isRefusal = matchError(generation, binding, x.error, 'ContentTypeNotSupported', revision).fits
          if (!isRefusal) receiver.expectError(x, 'ContentTypeNotSupported')
          receiver.note(`${what} is refused over ${surfaceName(surface)} with ContentTypeNotSupported`)
        }
      }
    },
  },
  {
    id: 'pair-concurrency',
    title: 'MUST keep the tasks of a conversation with two agents apart',
    level: 'MUST',
    sections: ['3.4.1', '3.4.2', '4.1.1'],
    statement: 'Tasks run on both agents at the same time; ids, contexts and contents of one never show up in another.',
    why: 'An orchestrator always has several tasks open; content of another task would lead it to act on the wrong input.',
    causes: [
      'state kept in a global variable',
      'the last context is reused',
      'two agents share a store without separating their tasks',
    ],
    fix: 'Keep all state of a task under its own id, and never answer for a task of another agent.',
    probe:
      'Starts several tasks on each agent alternately, each with a unique marker, waits for all, and reads each back.',
    writes: true,
    direction: 'both',
    body: concurrentTasks,
  },
  {
    id: 'pair-delegation',
    title: 'MUST carry a task to the other agent and its result back',
    level: 'MUST',
    sections: ['2.1', '3.1.1'],
    statement: 'A task that one agent is told to pass on reaches the other agent, and its result comes back.',
    why: 'This is what the protocol is for: an agent that calls another on behalf of its caller.',
    causes: [
      'the client side supports only one protocol version',
      'the card of the other agent is not read',
      'the agent does not wait for the answer of the other',
    ],
    fix: 'Read the other agent’s card, call it in the protocol version and binding it declares, and finish your own task when the answer has arrived.',
    probe:
      'Puts a recording listener in front of the other agent, tells the first agent to pass a task with a unique marker on to it, and looks for the marker in the requests that arrived.',
    writes: true,
    direction: 'each-way',
    body: delegate,
  },
]

/** Media types that pass from one to the other, by their cards. */
function sentAndTaken(sender: PairMember, receiver: PairMember): string[] {
  const taken = modesOf(receiver.facts.card, 'defaultInputModes')
  return modesOf(sender.facts.card, 'defaultOutputModes').filter((mode) => taken.includes(mode))
}

function modesOf(card: JsonObject | undefined, member: string): string[] {
  return (listAt(card, member) ?? []).filter((mode) => typeof mode === 'string')
}
