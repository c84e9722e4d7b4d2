// The mutants that `npm test` leaves out.

import { describeProofs, OTHERS } from '../describe-proofs.ts'

describeProofs(OTHERS)
