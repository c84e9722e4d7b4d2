// Does an address mean this machine to everybody who reads it?

export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^(127\.|0\.0\.0\.0$)/.test(host)
}
