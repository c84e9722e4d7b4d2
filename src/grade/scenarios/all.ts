// Every scenario, in the order in which they are played and reported.

import type { Scenario } from '../scenario.ts'
import { choice } from './choice.ts'
import { conversation } from './conversation.ts'
import { discovery } from './discovery.ts'
import { endings } from './endings.ts'
import { errors } from './errors.ts'
import { errorsOfHttp } from './errors-of-http.ts'
import { grpc } from './grpc.ts'
import { lookups } from './lookups.ts'
import { push } from './push.ts'
import { receivers } from './receivers.ts'
import { requests } from './requests.ts'
import { results } from './results.ts'
import { security } from './security.ts'
import { signatures } from './signatures.ts'
import { streamEvents } from './stream-events.ts'
import { streamLimits } from './stream-limits.ts'
import { streams } from './streams.ts'
import { timestamps } from './timestamps.ts'
import { tokens } from './tokens.ts'
import { versions } from './versions.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...discovery,
  ...choice,
  ...requests,
  ...lookups,
  ...conversation,
  ...results,
  ...timestamps,
  ...streams,
  ...streamEvents,
  ...streamLimits,
  ...endings,
  ...errors,
  ...errorsOfHttp,
  ...versions,
  ...security,
  ...tokens,
  ...signatures,
  ...push,
  ...receivers,
  ...grpc,
]
