// The schemas of this generation, ready to be asked.

import { SchemaSet } from '../../../schema/schema-set.ts'
import { DEFINITIONS, type SchemaName } from './definitions.ts'
import { TOLERATED } from './tolerated.ts'

export const schemas: SchemaSet<SchemaName> = new SchemaSet(DEFINITIONS, TOLERATED)
