// HTTP+JSON, also called REST (1.0 §11).

import type { Binding } from '../binding.ts'
import { unusableHttpUrl } from '../http-probe.ts'
import { RestClient } from './client.ts'
import { restProbe } from './probe.ts'

export const restBinding = {
  id: 'rest',
  cardName: 'HTTP+JSON',
  alsoNamed: ['HTTP_JSON', 'REST'],
  title: 'HTTP+JSON',
  registerName: 'http-json',
  unusableUrl: unusableHttpUrl,
  describeEndpoint: (url) => url,
  settle: (url) => Promise.resolve(url),
  client: (options) => new RestClient(options),
  probe: restProbe,
} satisfies Binding
