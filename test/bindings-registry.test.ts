// A binding is a row: adding an id without its row, or a row under another's name, does not compile.

import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Binding } from '../src/bindings/binding.ts'
import { BINDINGS, bindingNamed, bindingSpelled } from '../src/bindings/registry.ts'
import { BINDING_IDS, type BindingId } from '../src/dialects/dialect.ts'

type Rows<Ids extends string> = { readonly [Id in Ids]: Binding & { readonly id: Id } }

describe('the registry of bindings', () => {
  test('is exhaustive by its type', () => {
    expectTypeOf<keyof typeof BINDINGS>().toEqualTypeOf<BindingId>()
    // One id more than there are rows.
    expectTypeOf(BINDINGS).not.toExtend<Rows<BindingId | 'carrier-pigeon'>>()
    // A row that claims to be another.
    expectTypeOf<typeof BINDINGS.jsonrpc>().not.toExtend<{ id: 'rest' }>()
  })

  test('finds each row by what cards call it', () => {
    for (const id of BINDING_IDS) {
      expect(BINDINGS[id].id).toBe(id)
      expect(bindingSpelled(BINDINGS[id].cardName)).toBe(id)
      expect(bindingNamed(BINDINGS[id].cardName.toLowerCase())).toBe(id)
    }
    expect(bindingNamed('CARRIER-PIGEON')).toBeUndefined()
  })
})
