// The agents behind a limiting front that `npm test` leaves out.

import { describeComingBack } from '../describe-limits.ts'

describeComingBack(['push', 'secured', 'legacy'])
