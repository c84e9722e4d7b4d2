// Certificates end and are replaced while the server runs: the files are read again on SIGHUP and when one of them changes. What
// cannot be used is reported, and the certificate before it stays in use.

import { ParleyError } from '../model/errors.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import { readServeTls, type ServeTlsFlags } from './serve-tls.ts'
import { FileWatch } from './watch-files.ts'

/** Network file systems tell nothing about changes. */
const LOOK_EVERY_MS = 60_000

export interface CertificateNews {
  event: 'certificate-replaced' | 'certificate-rejected'
  message: string
}

/** Nothing to do, and to stop, for a server without TLS. */
export function watchCertificates(
  flags: ServeTlsFlags,
  apply: (tls: ServerTls) => void | Promise<void>,
  tell: (news: CertificateNews) => void,
): () => void {
  const files = [flags.tlsCert, flags.tlsKey, flags.tlsClientCa].filter((file) => file !== undefined)
  if (files.length === 0) return () => {}
  const read = async () => {
    try {
      const tls = readServeTls(flags)
      if (tls !== undefined) await apply(tls)
      tell({ event: 'certificate-replaced', message: `The certificate was read again from ${flags.tlsCert}.` })
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      tell({ event: 'certificate-rejected', message: `${error.message} The previous certificate stays in use.` })
    }
  }
  const watch = new FileWatch(files, read)
  const timer = setInterval(() => watch.look(), LOOK_EVERY_MS).unref()
  const onHangUp = () => void read()
  process.on('SIGHUP', onHangUp)
  return () => {
    clearInterval(timer)
    watch.close()
    process.off('SIGHUP', onHangUp)
  }
}
