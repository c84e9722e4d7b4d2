// The examples for operators are what their platforms accept, and what they start, ask and signal is what Parley does: manifests are
// held against the schemas of Kubernetes, and every command line in them is run.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { startParley } from '../support/parley-process.ts'

const DEPLOY = join(import.meta.dirname, '../../examples/deploy')
const PROJECT = join(import.meta.dirname, '../../examples/my-agent')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts what a platform would, with another port and place for tasks; asks the probes, then stops it as the platform does. */
async function startsAndStops(command: readonly string[], probes: readonly string[]): Promise<void> {
  const from = command.indexOf('serve')
  expect(from).toBeGreaterThan(0)
  const args = command
    .slice(from)
    .join('\n')
    .replaceAll(/--port[=\n]\d+\n?|--output[=\n]json\n?|--host[=\n]\S+\n?/g, '')
    .replaceAll(/sqlite:\S+/g, `sqlite:${join(folder, `${command.length}.db`)}`)
    .split('\n')
    .filter((word) => word !== '')
  expect(args[1]).toBe('agent.ts')
  const serving = await startParley(args, { cwd: PROJECT })
  for (const path of probes) expect((await fetch(serving.url + path)).status, path).toBe(200)
  expect(await serving.stop('SIGTERM')).toMatchObject({ code: 0 })
}

interface Manifest {
  apiVersion: string
  kind: string
  spec: Record<string, never>
}

interface Pod {
  terminationGracePeriodSeconds: number
  containers: {
    args: string[]
    livenessProbe: Probe
    readinessProbe: Probe
    startupProbe: Probe
  }[]
}

interface Probe {
  httpGet: { path: string }
}

describe('kubernetes.yaml', () => {
  const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS() as Manifest)

  async function validate(manifest: Manifest): Promise<void> {
    const { apiVersion, kind } = manifest
    const models = (await import(`kubernetes-models/${apiVersion}`)) as Record<
      string,
      new (
        data: unknown,
      ) => { validate(): void }
    >
    const Model = models[kind]
    if (Model === undefined) throw new Error(`no schema of ${apiVersion} ${kind}`)
    new Model(manifest).validate()
  }

  test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    '%s fits its schema',
    async (_, manifest) => {
      await validate(manifest)
    },
  )

  test('the schemas refuse what is wrong', async () => {
    const [deployment] = manifests
    await expect(validate({ ...deployment, spec: { replicas: 'two' } } as never)).rejects.toThrow('replicas')
    const misspelt = JSON.parse(JSON.stringify(deployment).replace('containerPort', 'containerport')) as Manifest
    await expect(validate(misspelt)).rejects.toThrow(/containerPort/i)
  })

  test('its command, probes and signal are those of the server', async () => {
    const pod = (manifests as unknown as [{ spec: { template: { spec: Pod } } }])[0].spec.template.spec
    const [container] = pod.containers
    if (container === undefined) throw new Error('no container')
    const { livenessProbe, readinessProbe, startupProbe } = container
    expect(livenessProbe.httpGet.path).toBe('/healthz')
    expect(readinessProbe.httpGet.path).toBe('/readyz')
    // Five seconds until load balancers know, and at most ten to stop.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(15)
    const probes = [livenessProbe, readinessProbe, startupProbe].map(({ httpGet }) => httpGet.path)
    await startsAndStops(container.args, [...probes, '/metrics'])
  })
})

describe('parley.service', () => {
  const unit = read('parley.service')
  const settings = new Map(unit.match(/^\w+=.*$/gm)?.map((line) => line.split(/=(.*)/s) as [string, string]))

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!hasSystemd) process.stderr.write('SKIPPED: systemd-analyze is not installed, the unit is not verified.\n')

  test.skipIf(!hasSystemd)('systemd finds nothing wrong with it', () => {
    // The user and the program are on the operator's machine.
    const here = unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`).replace(/^User=.*$/m, 'User=root')
    const file = join(folder, 'parley.service')
    writeFileSync(file, here)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    expect({ status, complaints: stderr.split('\n').filter((line) => line.includes('parley.service')) }).toEqual({
      status: 0,
      complaints: [],
    })
  })

  test('what it starts is served, and stops within its time', async () => {
    expect(settings.get('KillSignal') ?? 'SIGTERM').toBe('SIGTERM')
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(10)
    await startsAndStops((settings.get('ExecStart') ?? '').split(' '), ['/healthz', '/readyz'])
  })
})

test('what the Dockerfile starts is served, without a shell in between', async () => {
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
  await startsAndStops(JSON.parse(command) as string[], ['/healthz', '/readyz'])
})
