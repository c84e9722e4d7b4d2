// A binding as an object: how the operations of A2A travel over one transport, seen from a client and from a judge
// that tests an agent. Everything outside bindings/ asks these objects; none asks which binding it is.

import type { BindingId } from '../dialects/dialect.ts'
import type { TlsOptions } from '../net/http-request.ts'
import type { EndpointClient, EndpointOptions } from './endpoint-client.ts'
import type { ProbeHalf } from './probe.ts'

export interface Binding {
  readonly id: BindingId
  /** As cards spell it: `protocolBinding` of 1.0, `transport` of 0.3. */
  readonly cardName: string
  /** Other names of it in use, in upper case. */
  readonly alsoNamed: readonly string[]
  /** What a person calls it. */
  readonly title: string
  /** How rows of the requirement register name it. */
  readonly registerName: string
  /** Why an interface with this URL cannot be called; undefined when it can. */
  unusableUrl(url: string): string | undefined
  /** An address as a person should read it: with the scheme a card may leave out. */
  describeEndpoint(url: string, tls?: TlsOptions): string
  /** The same once it is known how to reach it: over TLS or not. */
  settle(url: string, tls?: TlsOptions): Promise<string>
  client(options: EndpointOptions): EndpointClient
  readonly probe: ProbeHalf
}
