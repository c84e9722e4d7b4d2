/** Whether an address is of this very machine, also an IPv4 one on an IPv6 socket. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.')
}
