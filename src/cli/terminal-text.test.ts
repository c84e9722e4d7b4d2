import { describe, expect, test } from 'vitest'
import { terminalLine, terminalText } from './terminal-text.ts'

describe('terminalText', () => {
  test('keeps ordinary text, line breaks and tabs', () => {
    expect(terminalText('Grüße\tan\nalle 👋')).toBe('Grüße\tan\nalle 👋')
  })

  test('makes escape sequences visible instead of obeying them', () => {
    expect(terminalText('\u001b[2Jgone\u0007')).toBe('␛[2Jgone␇')
  })

  test('takes out C1 controls and characters that reorder text', () => {
    expect(terminalText('a\u009bb\u202ec')).toBe('a\ufffdb\ufffdc')
  })

  test('a lone carriage return cannot overwrite a line, CRLF stays a line break', () => {
    expect(terminalText('a\rb\r\nc')).toBe('a␍b\nc')
  })

  test('terminalLine folds a text into one line', () => {
    expect(terminalLine(' two\n lines ')).toBe('two lines')
  })
})
