// Every other one of the faults that `npm test` leaves out: a process uses one core, and all of them took longest.

import { describeFaults, OTHERS } from '../describe-faults.ts'

describeFaults(OTHERS.filter((_, at) => at % 2 === 0))
