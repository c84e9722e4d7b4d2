// The faults that `npm test` and single-faults-even.test.ts leave out.

import { describeFaults, OTHERS } from '../describe-faults.ts'

describeFaults(OTHERS.filter((_, at) => at % 2 === 1))
