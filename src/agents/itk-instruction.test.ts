import { describe, expect, test } from 'vitest'
import { bytesField, callAgent, instructionPart, join, respond, steps, varintField } from '../../test/peers/itk-wire.ts'
import type { Part } from '../model/task.ts'
import { instructionIn } from './itk-instruction.ts'

const read = (...parts: Part[]) => instructionIn({ messageId: 'm', role: 'ROLE_USER', parts })

describe('an instruction', () => {
  test('to respond, and to hold the task', () => {
    expect(read(instructionPart(respond('hello ✓', true)))).toEqual({
      is: 'response',
      text: 'hello ✓',
      holdsTask: true,
    })
  })

  test('to call keeps what is meant for the other agent as bytes', () => {
    const instruction = respond('there')
    const call = callAgent({ transport: 'http_json', cardUri: 'http://a.example', instruction, isStreaming: true })
    expect(read(instructionPart(call))).toMatchObject({
      is: 'call',
      call: { transport: 'http_json', cardUri: 'http://a.example', isStreaming: true, resubscribes: false },
    })
    const found = read(instructionPart(call))
    expect(found?.is === 'call' && Buffer.from(found.call.instruction).equals(Buffer.from(instruction))).toBe(true)
  })

  test.each([
    ['resubscribe', { resubscribes: true }, { resubscribes: true, webhook: undefined }],
    ['push', { webhook: 'http://hook.example' }, { resubscribes: false, webhook: 'http://hook.example' }],
  ])('to call in the manner %s', (_, asked, seen) => {
    const call = callAgent({ transport: 'jsonrpc', cardUri: 'http://a', instruction: respond('x'), ...asked })
    expect(read(instructionPart(call))).toMatchObject({ is: 'call', call: seen })
  })

  test('in steps, in order', () => {
    expect(read(instructionPart(steps(respond('1'), steps(respond('2')))))).toMatchObject({
      steps: [{ text: '1' }, { is: 'steps', steps: [{ text: '2' }] }],
    })
  })

  test('as base64 text, behind parts that are none', () => {
    const text = Buffer.from(respond('x')).toString('base64')
    expect(read({ text: 'not one' }, { data: {} }, { text })).toMatchObject({ is: 'response', text: 'x' })
  })

  test('with members of later versions', () => {
    const later = join(varintField(9, 300), bytesField(10, new Uint8Array(200)), respond('x'), varintField(11, 1))
    expect(read(instructionPart(later))).toMatchObject({ is: 'response', text: 'x' })
  })
})

describe('what is no instruction', () => {
  const endless = Uint8Array.from(Array.from({ length: 20 }, () => 255))
  test.each([
    ['nothing', new Uint8Array()],
    ['a length beyond the end', Uint8Array.from([0x12, 0x7f, 0x0a])],
    ['a number without end', endless],
    ['an unknown kind of field', Uint8Array.from([0x0b])],
    ['field number 0', Uint8Array.from([0x02, 0x00])],
    ['text that is not UTF-8', bytesField(2, bytesField(1, Uint8Array.from([0xff])))],
    ['more steps than a traversal has', steps(...Array.from({ length: 100 }, () => respond('x')))],
    [
      'steps in steps without end',
      Array.from({ length: 50 }).reduce<Uint8Array>((inside) => steps(inside), respond('x')),
    ],
  ])('%s', (_, bytes) => {
    expect(read(instructionPart(bytes))).toBeUndefined()
  })
})
