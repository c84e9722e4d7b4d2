// Why a file cannot be read, in words for the person who named it.

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
}

export function whyUnreadable(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause))
}
