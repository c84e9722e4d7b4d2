import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { duration } from './flag-values.ts'
import { addTargetOptions, clientOptions, parseHeader, type TargetFlags } from './target-options.ts'

function read(args: string[], warnings: string[] = []) {
  const command = addTargetOptions(new Command()).exitOverride()
  command.parse(args, { from: 'user' })
  return clientOptions(command.opts<TargetFlags>(), (line) => void warnings.push(line))
}

describe('target options', () => {
  test('reads repeatable flags in order', () => {
    expect(read(['--transport', 'rest', '--transport', 'JSONRPC', '-H', 'X-One: 1', '-H', 'X-Two: a:b'])).toEqual({
      transports: ['rest', 'jsonrpc'],
      headers: [
        ['X-One', '1'],
        ['X-Two', 'a:b'],
      ],
    })
  })

  test('warns about --insecure', () => {
    const warnings: string[] = []
    expect(read(['--insecure'], warnings)).toEqual({ tls: { insecure: true } })
    expect(warnings).toHaveLength(1)
  })

  test('a client certificate needs its key', () => {
    expect(() => read(['--client-cert', 'package.json'])).toThrow('--client-cert and --client-key are needed together.')
  })

  test('a file that is not there is named with its flag', () => {
    expect(() => read(['--ca-cert', 'no-such.pem'])).toThrow(
      'The file no-such.pem given with --ca-cert cannot be read: there is no such file.',
    )
  })

  test('an unknown version says which are known', () => {
    expect(() => read(['--a2a-version', '2.0'])).toThrow('--a2a-version takes 0.1, 0.3, 1.0, not "2.0".')
  })
})

describe('duration', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
  ])('%s is %d ms', (text, ms) => {
    expect(duration('--timeout')(text)).toBe(ms)
  })

  test.each(['30', '', 's', '-1s', '0s', '1w', '25d', '1e3s'])('refuses %j', (text) => {
    expect(() => duration('--timeout')(text)).toThrow('--timeout takes')
  })
})

describe('parseHeader', () => {
  test('a line without a name is refused without repeating it', () => {
    expect(() => parseHeader('secret')).toThrow(/^(?!.*secret)/)
  })
})
