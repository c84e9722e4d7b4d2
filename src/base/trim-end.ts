// Takes characters off the end of a text. A regular expression such as /=+$/ looks at every run of them from each of its
// characters on, which on a text of a stranger is quadratic; this looks at the end only.

export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
