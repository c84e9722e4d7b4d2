// A regular expression of ECMA-262, which the caller has compiled already, in the words of RE2. What the two call
// differently is spelled out (white space, the dot, escapes); what RE2 does not have is named.

export type Translation = { re2: string; groups: readonly string[] } | { lacks: string }

/** ECMA-262 WhiteSpace and LineTerminator; RE2's own \s knows only ASCII. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const ANY = '[^\\n\\r\\x{2028}\\x{2029}]'
const EVERYTHING = '\\x{0}-\\x{10ffff}'
/** Letters that mean the same after a backslash. */
const SHARED = new Set('dDwWtnvfr')
const CATEGORY = /^(?:C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/

class Lacking extends Error {}

export function toRe2(source: string, isUnicode: boolean): Translation {
  try {
    return new Translator(source, isUnicode).whole()
  } catch (error) {
    if (error instanceof Lacking) return { lacks: error.message }
    throw error
  }
}

class Translator {
  readonly #source: string
  readonly #isUnicode: boolean
  readonly #groups: string[] = []
  #at = 0

  constructor(source: string, isUnicode: boolean) {
    this.#source = source
    this.#isUnicode = isUnicode
  }

  whole(): Translation {
    let re2 = ''
    while (this.#at < this.#source.length) re2 += this.#next()
    return { re2, groups: this.#groups }
  }

  #next(): string {
    const char = this.#take()
    switch (char) {
      case '\\':
        return this.#escape(false)
      case '[':
        return this.#class()
      case '(':
        return this.#group()
      case '.':
        return ANY
      case '{':
        // Without the u flag a brace that counts nothing is itself.
        return /^\d+(?:,\d*)?\}/.test(this.#rest(24)) ? '{' : '\\{'
      case ']':
        return '\\]'
      default:
        return char
    }
  }

  #group(): string {
    const rest = this.#rest(3)
    if (!rest.startsWith('?')) return '('
    if (rest.startsWith('?:')) return '('
    if (rest.startsWith('?=') || rest.startsWith('?!')) throw new Lacking('a lookahead')
    if (rest.startsWith('?<=') || rest.startsWith('?<!')) throw new Lacking('a lookbehind')
    const name = /^\?<(\w+)>/.exec(this.#rest(200))?.[1]
    if (name === undefined) throw new Lacking('a group with flags, or with a name that is not a plain word')
    if (this.#groups.includes(name)) throw new Lacking('a name that two groups share')
    this.#groups.push(name)
    this.#at += name.length + 3
    return `(?P<${name}>`
  }

  #class(): string {
    const isNegated = this.#rest(1) === '^'
    if (isNegated) this.#at++
    let members = ''
    for (let char = this.#take(); char !== ']'; char = this.#take()) {
      if (char === '\\') members += this.#escape(true)
      else if (char === '[' || char === '^') members += `\\${char}`
      else if (!this.#isUnicode && isSurrogate(char)) throw new Lacking('half a character in a class')
      else members += char
    }
    if (members === '') return `[${isNegated ? '' : '^'}${EVERYTHING}]`
    return `[${isNegated ? '^' : ''}${members}]`
  }

  #escape(isInClass: boolean): string {
    const char = this.#take()
    if (SHARED.has(char)) return `\\${char}`
    if (char === 's') return isInClass ? SPACE : `[${SPACE}]`
    if (char === 'S') return isInClass ? NOT_SPACE : `[${NOT_SPACE}]`
    if (char === 'b') return isInClass ? '\\x{8}' : '\\b'
    if (char === 'B' && !isInClass) return '\\B'
    if (char === '0' && !/^\d/.test(this.#rest(1))) return '\\x{0}'
    if (/\d/.test(char) || (char === 'k' && /^<\w+>/.test(this.#rest(100)))) throw new Lacking('a back reference')
    if (char === 'c' && /^[A-Za-z]/.test(this.#rest(1))) return point(this.#take().charCodeAt(0) % 32)
    // Without the u flag a \c that names no letter is a backslash and a c.
    if (char === 'c') return '\\x{5c}c'
    if (char === 'x' || char === 'u') return this.#codePoint(char)
    if ((char === 'p' || char === 'P') && this.#isUnicode) return this.#property(char)
    return point(char.codePointAt(0) ?? 0)
  }

  #codePoint(letter: 'x' | 'u'): string {
    const braced = letter === 'u' && this.#isUnicode ? /^\{([0-9a-fA-F]+)\}/.exec(this.#rest(12)) : null
    const digits = braced ?? (letter === 'x' ? /^([0-9a-fA-F]{2})/ : /^([0-9a-fA-F]{4})/).exec(this.#rest(4))
    if (digits === null) return letter
    this.#at += digits[0].length
    let code = Number.parseInt(digits[1] ?? '', 16)
    const trail = /^\\u(d[c-f][0-9a-f]{2})/i.exec(this.#rest(6))
    if (code >= 0xd800 && code <= 0xdbff && trail !== null) {
      this.#at += 6
      code = (code - 0xd800) * 0x400 + (Number.parseInt(trail[1] ?? '', 16) - 0xdc00) + 0x10000
    }
    if (code >= 0xd800 && code <= 0xdfff) throw new Lacking('half a character')
    return point(code)
  }

  #property(letter: 'p' | 'P'): string {
    const written = /^\{([^}]*)\}/.exec(this.#rest(80))
    this.#at += written?.[0].length ?? 0
    const [name = '', value = name] = (written?.[1] ?? '').split('=')
    const isCategory = (name === value || name === 'gc' || name === 'General_Category') && CATEGORY.test(value)
    const isScript = (name === 'sc' || name === 'Script') && /^[A-Z][A-Za-z_]+$/.test(value)
    if (!isCategory && !isScript) throw new Lacking(`the property ${value}`)
    return `\\${letter}{${value}}`
  }

  #take(): string {
    const code = this.#isUnicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at)
    const char = code === undefined || Number.isNaN(code) ? '' : String.fromCodePoint(code)
    this.#at += Math.max(1, char.length)
    return char
  }

  #rest(length: number): string {
    return this.#source.slice(this.#at, this.#at + length)
  }
}

function point(code: number): string {
  return `\\x{${code.toString(16)}}`
}

function isSurrogate(char: string): boolean {
  return char >= '\ud800' && char <= '\udfff'
}
