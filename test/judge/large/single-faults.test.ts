// The faults that `npm test` leaves out.

import { describeFaults, OTHERS } from '../describe-faults.ts'

describeFaults(OTHERS)
