// What the text allows, or what is our own fault, is not held against an agent: each variation in front of a correct
// agent leaves no check failed that did not fail before, except the ones it names. Here some of them; `npm run
// test:judge` judges the others.

import { describeVariations, SOME } from './describe-variations.ts'

describeVariations(SOME)
