// Every schema in schemas/ is what the program itself uses: written by `npx vitest run test/schemas.test.ts -u`, never by hand.

import { describe, expect, test } from 'vitest'
import { REPORT_SCHEMA } from '../src/run/report-shape.ts'

describe('schemas', () => {
  test.each([['report', REPORT_SCHEMA]])('%s', async (name, schema) => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../schemas/${name}.schema.json`)
  })
})
