// The order of the test files: those that take longest begin first, so that none of them is left over at the end with
// the other cores idle. A machine that has run them before knows better, and its own order is taken.

import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** Some of them compute and some mostly wait: side by side they use the cores best. */
const LONGEST = [
  ...['single-faults', 'walk/readme', 'mutants/mutants', 'mutants/large', 'same-verdicts', 'legal-variations'],
  ...['shared-store-outage', 'judge/turns', 'test/browser/'],
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((part) => moduleId.includes(part))
      return at === -1 ? LONGEST.length : at
    }
    // A process goes on with the next file only if that is of the same project.
    const projects = [...new Set(files.map(({ project }) => project.name))].sort()
    const project = (file: TestSpecification) => projects.indexOf(file.project.name)
    return (await super.sort(files)).toSorted((a, b) => project(a) - project(b) || place(a) - place(b))
  }
}
