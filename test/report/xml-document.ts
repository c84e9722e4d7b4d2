// Just enough of an XML reader to prove that a document is well-formed and to look at its elements. Everything that
// is not allowed throws with the place.

export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// XML 1.0 §2.2: no control characters but tab, line feed and carriage return.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters XML forbids
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

export function parseXml(source: string): XmlElement {
  if (FORBIDDEN.test(source)) throw new Error('a character XML cannot carry')
  const document: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [document]
  const body = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === source) throw new Error('no XML declaration')
  for (const [token] of body.matchAll(/<[^>]*>|[^<]+/g)) {
    const parent = open.at(-1)
    if (parent === undefined) throw new Error(`nothing may follow the root: ${token}`)
    if (!token.startsWith('<')) {
      if (token.includes(']]>')) throw new Error(']]> in text')
      parent.text += unescaped(token)
    } else if (token.startsWith('</')) {
      const closed = open.pop()
      if (`</${closed?.name}>` !== token) throw new Error(`${token} closes ${closed?.name}`)
    } else {
      const element = elementOf(token)
      parent.children.push(element)
      if (!token.endsWith('/>')) open.push(element)
    }
  }
  const [root, ...more] = document.children
  if (open.length !== 1 || root === undefined || more.length > 0) throw new Error('one root element is needed')
  return root
}

function elementOf(token: string): XmlElement {
  const [, name = '', rest = ''] = /^<([a-zA-Z-]+)((?:\s+[a-zA-Z-]+="[^"<]*")*)\s*\/?>$/s.exec(token) ?? []
  if (name === '') throw new Error(`not a tag: ${token}`)
  const pairs = [...rest.matchAll(/([a-zA-Z-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, unescaped(value)])
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length) throw new Error(`an attribute twice: ${token}`)
  return { name, attributes: Object.fromEntries(pairs) as Record<string, string>, children: [], text: '' }
}

function unescaped(text: string): string {
  return text.replaceAll(/&([^;\s]*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1]
    const known = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code))
    if (known === undefined || !whole.endsWith(';')) throw new Error(`not an entity: ${whole}`)
    return known
  })
}
