// The legal variations that `npm test` leaves out.

import { describeVariations, OTHERS } from '../describe-variations.ts'

describeVariations(OTHERS)
