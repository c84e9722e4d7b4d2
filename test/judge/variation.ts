// An agent that does something unusual and is right: the shape of the lists in the files beside.

import type { PlacedCheck } from '../../src/judge/checks/check.ts'
import type { BaseName } from '../mutants/bases.ts'
import type { Mutation } from '../mutants/mutant.ts'

export interface Variation extends Mutation {
  readonly name: string
  readonly story: string
  readonly of: BaseName
  /** Areas (or ids) of the checks that are tried. */
  readonly areas: readonly string[]
  /** Besides them. */
  readonly more?: readonly PlacedCheck[]
  /** Checks that rightly complain, and no others. */
  readonly told?: readonly string[]
  /** Checks whose complaint depends on the moment at which they look. */
  readonly may?: readonly string[]
}

export function variation(
  name: string,
  story: string,
  mutation: Mutation,
  areas: readonly string[],
  of: BaseName = 'spec',
): Variation {
  return { name, story, of, areas, ...mutation }
}

/** The same of several bases, whose names their names end with. */
export function allOf(
  names: readonly BaseName[],
  name: string,
  story: string,
  mutation: Mutation,
  areas: readonly string[],
): Variation[] {
  return names.map((of) => variation(`${name}-${of}`, story, mutation, areas, of))
}
