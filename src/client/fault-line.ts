// Where a text stops being JSON. JSON.parse knows but tells only sometimes, and a person with a broken file needs the
// line.

const TOKEN = /[\s,:[\]{}]+|"(?:[^"\\\n\r\t]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The line, from 1, of the first thing that is no JSON; for misplaced but well-formed tokens, what JSON.parse says. */
export function faultLine(text: string): number {
  TOKEN.lastIndex = 0
  let at = 0
  while (at < text.length && TOKEN.test(text)) at = TOKEN.lastIndex
  if (at >= text.length) at = toldPosition(text)
  return text.slice(0, at).split('\n').length
}

function toldPosition(text: string): number {
  try {
    JSON.parse(text)
    return text.length
  } catch (error) {
    const told = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
    return told === undefined ? text.length : Number(told)
  }
}
