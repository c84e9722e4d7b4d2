// `npm run bench`: our server against the JavaScript SDK on Express and against bare node:http, in one interleaved run on
// one machine. Ratios carry over to other machines; the absolute numbers do not. Names of parts after the command, as in
// `npm run bench -- stores`, run only these.

import { cpus } from 'node:os'
import { printBefore } from './before.ts'
import { Load, type ServerName } from './bench-servers.ts'
import { printFleet } from './fleet.ts'
import { measureFanOut, measurePages, measureSubscribers, measureTasks } from './footprint.ts'
import { compareGrpc, measureGrpcSubscribers } from './grpc.ts'
import { compareMock } from './mock.ts'
import { measureReportPage } from './page.ts'
import { measurePatience } from './patience.ts'
import { printPeers } from './peers.ts'
import { compareProxy } from './proxy.ts'
import { against, fixed, type Goal, printTable, type Row, rounded } from './report.ts'
import { printStartUp } from './start-up.ts'
import { printReplicas, printStores } from './store-tables.ts'
import { compareThroughput, type Throughput } from './throughput.ts'
import { CHUNKS, streamedEvents } from './work.ts'

const few = 1_000
const many = 50_000

const PARTS: Readonly<Record<string, (load: Load) => Promise<void>>> = {
  throughput: printThroughput,
  grpc: printGrpc,
  startup: printStartUp,
  footprint: printFootprint,
  stores: printStores,
  replicas: printReplicas,
  mock: printMock,
  proxy: printProxy,
  peers: printPeers,
  before: printBefore,
  patience: printPatience,
  page: printPage,
  fleet: printFleet,
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS)
const unknown = chosen.find((name) => PARTS[name] === undefined)
if (unknown === undefined) await runParts()
else {
  console.error(`There is no part "${unknown}"; choose from ${Object.keys(PARTS).join(', ')}.`)
  process.exitCode = 2
}

async function runParts(): Promise<void> {
  const started = performance.now()
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${new Date().toISOString().slice(0, 10)}`,
  )
  const load = await Load.start()
  for (const name of chosen) await PARTS[name]?.(load)
  await load.stop()
  console.log(`\nTook ${((performance.now() - started) / 1000).toFixed(0)} s.`)
}

async function printPage(): Promise<void> {
  const times = await measureReportPage()
  if (typeof times === 'string') {
    console.log(`\nThe HTML report was not measured: ${times}`)
    return
  }
  printTable(
    'The HTML report in Chromium (goals: open within 1 s with 600 results, within 3 s with 5,000)',
    ['file, kB', 'open, ms', 'worst frame of scrolling, ms', 'evidence, ms'],
    times.map(({ results, fileBytes, openMs, worstFrameMs, evidenceMs }) => ({
      what: `${results} results`,
      cells: [fileBytes / 1000, openMs, worstFrameMs, evidenceMs].map((value) => rounded(value)),
    })),
  )
}

async function printThroughput(load: Load): Promise<void> {
  const throughput = await compareThroughput(load)
  printTable(
    'Answers per second of CPU time (32 connections, JSON-RPC, memory store; medians of 7 rounds in turns)',
    ['ours', 'SDK', 'ceiling', 'ours / SDK', 'ours / ceiling', 'SDK / ceiling', 'all threads: ours / SDK', '/ ceiling'],
    throughput.map(({ work, rates, shares, allThreads, target }) => ({
      what: work,
      cells: [
        ...[rates.parley, rates.sdk, rates.ceiling].map(rounded),
        against({ value: shares.sdk, atLeast: target.sdk }, 1),
        against({ value: shares.ceiling, ...(target.ceiling === undefined ? {} : { atLeast: target.ceiling }) }),
        shares.sdkOfCeiling.toFixed(3),
        fixed(allThreads.sdk, 1),
        fixed(allThreads.ceiling, 2),
      ],
    })),
  )

  const pages = await measurePages(load, { few, many })
  const perEvent = CHUNKS.map((chunks) => microsecondsPerEvent(throughput, chunks))
  const [short = 0, long = 0] = perEvent
  printTable(
    'Does it stay the same when there is more of it',
    ['small', 'large', 'large / small'],
    [
      {
        what: `CPU ms per list page, ${few} and ${many} tasks stored`,
        cells: [pages.few.toFixed(3), pages.many.toFixed(3), against({ value: pages.growth, atMost: 1.2 })],
      },
      {
        what: `CPU us per streamed event, ${CHUNKS.join(' and ')} chunks`,
        cells: [short.toFixed(2), long.toFixed(2), against({ value: long / short, atMost: 1.2 })],
      },
    ],
  )
}

async function printGrpc(): Promise<void> {
  const results = await compareGrpc()
  printTable(
    'The same over gRPC, beside the SDK on @grpc/grpc-js and bare node:http2 (32 connections, medians of 7 rounds in turns)',
    ['ours', 'SDK', 'ceiling', 'ours / SDK', 'ours / ceiling'],
    results.map(({ work, rates, ofSdk, ofCeiling }) => ({
      what: work,
      cells: [
        ...[rates.parley, rates.sdk, rates.ceiling].map(rounded),
        ...(work.startsWith('stream')
          ? // Whichever is lower.
            [against({ value: ofSdk, atLeast: 4 }, 1), fixed(ofCeiling, 2)]
          : [against({ value: ofSdk, atLeast: 2 }, 1), against({ value: ofCeiling, atLeast: 0.6 })]),
      ],
    })),
  )
  const [short = 0, long = 0] = CHUNKS.map((chunks) => {
    const found = results.find(({ work }) => work === `stream ${chunks} chunks`)
    return 1e6 / ((found?.rates.parley ?? 0) * streamedEvents(chunks))
  })
  printTable(
    'Streams and subscribers over gRPC',
    ['measured'],
    [
      {
        what: `CPU us per streamed message, ${CHUNKS.join(' and ')} chunks (${fixed(short, 2)} and ${fixed(long, 2)}): large / small`,
        cells: [against({ value: long / short, atMost: 1.2 })],
      },
      {
        what: 'kB resident per idle subscriber (2,000, 250 on a connection)',
        cells: [against({ value: (await measureGrpcSubscribers(250)) / 1000, atMost: 30 })],
      },
      {
        what: '  the same with a connection each',
        cells: [fixed((await measureGrpcSubscribers(1)) / 1000, 2)],
      },
    ],
  )
}

async function printPatience(): Promise<void> {
  const { quick, whole, forecast } = await measurePatience()
  const told =
    forecast === undefined
      ? 'none'
      : `${forecast.turns} turns, ${fixed(forecast.secondsPerTurn, 1)} s each, ${forecast.isSerial ? 'one' : 'several'} at a time`
  printTable(
    'parley test against an agent that needs two seconds a turn (by the clock)',
    ['seconds', 'turns of the agent'],
    [
      { what: '--quick', cells: [against({ value: quick.seconds, atMost: 60 }, 1), String(quick.turns)] },
      {
        what: 'all checks over one interface',
        cells: [against({ value: whole.seconds, atMost: 90 }, 1), String(whole.turns)],
      },
      { what: 'forecast for one turn at a time', cells: [fixed(forecast?.seconds ?? 0, 0), told] },
    ],
  )
}

async function printFootprint(load: Load): Promise<void> {
  const perTask = [await measureTasks(load, 'parley', many), await measureTasks(load, 'sdk', many / 5)]
  const subscribers = await ofEach((name) => measureSubscribers(load, name))
  const burst = await ofEach((name) => measureFanOut(load, name, 'burst'))
  const turns = await ofEach((name) => measureFanOut(load, name, 'turns'))
  printTable(
    'Footprint and fan-out',
    ['ours', 'SDK', 'bare node:http'],
    [
      compared(
        `kB resident per finished task (${rounded(many)}; SDK ${rounded(many / 5)})`,
        perTask.map(({ first }) => first.bytes / 1000),
        { atMost: 2 },
      ),
      compared(
        '  without the reserves of the collector',
        perTask.map(({ first }) => first.leanBytes / 1000),
        {},
      ),
      compared(
        '  of as many again, when the collector has taken its room',
        perTask.map(({ next }) => next.bytes / 1000),
        {},
      ),
      compared(
        'kB resident per idle subscriber (2,000)',
        subscribers.map(({ idle }) => idle.bytes / 1000),
        { atMost: 25 },
      ),
      compared(
        '  without the reserves of the collector',
        subscribers.map(({ idle }) => idle.leanBytes / 1000),
        {},
      ),
      compared(
        'kB of heap left per gone subscriber',
        subscribers.map(({ heapLeft }) => heapLeft / 1000),
        { atMost: 0.1 },
      ),
      compared('frames/s to 1,000 subscribers, all at once', burst, { atLeast: 150_000 }, 0),
      compared('frames/s to 1,000 subscribers, one per turn', turns, {}, 0),
    ],
  )
}

async function printMock(load: Load): Promise<void> {
  const mocks = await compareMock(load)
  printTable(
    'Answers per second of CPU time, the mock beside the plain server (medians of 7 rounds in pairs)',
    ['plain', 'mock', 'mock / plain'],
    mocks.map(({ work, plain, mock, share: part }) => ({
      what: work,
      cells: [rounded(plain), rounded(mock), against({ value: part, atLeast: 0.8 })],
    })),
  )
}

async function printProxy(load: Load): Promise<void> {
  const compared = await compareProxy(load)
  printTable(
    'The proxy next to a bare relay and a direct call (answers per second of CPU time; ms per answer on one connection)',
    ['direct', 'relay', 'proxy', 'proxy / relay', 'proxy / direct', 'direct ms', 'relay ms', 'proxy ms'],
    compared.map(({ work, direct, relay, proxy, ofRelay, ofDirect, ms }) => ({
      what: work,
      cells: [
        ...[direct, relay, proxy].map(rounded),
        against({ value: ofRelay, atLeast: 0.7 }),
        fixed(ofDirect, 2),
        ...[ms.direct, ms.relay, ms.proxy].map((value) => fixed(value, 2)),
      ],
    })),
  )
}

/** Ours, the SDK's, the bare one's. */
async function ofEach<T>(measure: (name: ServerName) => Promise<T>): Promise<readonly [T, T, T]> {
  return [await measure('parley'), await measure('sdk'), await measure('ceiling')]
}

function compared(what: string, values: readonly number[], goal: Omit<Goal, 'value'>, digits = 2): Row {
  const [ours = 0, ...others] = values
  return { what, cells: [against({ value: ours, ...goal }, digits), ...others.map((value) => fixed(value, digits))] }
}

function microsecondsPerEvent(results: readonly Throughput[], chunks: number): number {
  const found = results.find(({ work }) => work === `stream ${chunks} chunks`)
  return 1e6 / ((found?.rates.parley ?? 0) * streamedEvents(chunks))
}
