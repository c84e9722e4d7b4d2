// JSON pointers (RFC 6901): how a name is written as a step of one, and read again.

/** With its slash. */
export function pointerStep(name: string | number): string {
  return `/${typeof name === 'number' ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The names of a pointer; none for the whole document. */
export function pointerNames(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
