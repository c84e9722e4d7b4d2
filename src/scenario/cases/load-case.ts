// From a case file to a case that can be run, or to one error that lists everything wrong with it. A case that could not
// fail is wrong too.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { MODEL_GENERATION } from '../../dialects/index.ts'
import type { FaultInput } from '../../mock/index.ts'
import { parseScript } from '../../mock/script/load-script.ts'
import { ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { readSource, textOfFile } from '../../yaml/file.ts'
import { YamlSource } from '../../yaml/source.ts'
import { caseShape, type WrittenCase } from './case-shape.ts'

export interface Case extends WrittenCase {
  readonly file: string
  /** The agent's script as JSON, when the case has one of its own. */
  readonly script: JsonValue | undefined
  /** The agent's faults as the case writes them. */
  readonly faults: readonly FaultInput[]
}

/** How a case is played: a case may ask for several ways. */
export interface Variant {
  readonly generation: DialectId
  readonly streaming: boolean
  readonly binding: BindingId
}

export function loadCase(path: string): Case {
  return parseCase(textOfFile(path, 'case', 'case-unreadable'), path)
}

export function parseCase(text: string, file = 'case.yaml'): Case {
  const source = new YamlSource(file, text)
  const written = readSource(source, caseShape, 'case-invalid', (read) =>
    check(read, source, downstreamIn(source).script),
  )
  const { script, faults } = downstreamIn(source)
  // Their shape was checked with the rest.
  return { ...written, file, script, faults: (faults ?? []) as unknown as FaultInput[] }
}

/** As it is written: the mock reads it itself. */
function downstreamIn(source: YamlSource): { script: JsonValue | undefined; faults: JsonValue | undefined } {
  const json = source.toJson(source.root)
  return isJsonObject(json) ? { script: json.downstream_script, faults: json.downstream_faults } : NOTHING
}

const NOTHING = { script: undefined, faults: undefined }

function check(written: WrittenCase, source: YamlSource, script: JsonValue | undefined): void {
  const { gateway_input: input, llm_interactions: model, downstream_script: own, follow_ups: followUps = [] } = written
  if (model !== undefined && model.value.length > 0)
    source.report(
      model.position,
      'llm_interactions is not supported: no language model takes part here; leave it empty or out',
    )
  if ((input.prompt === undefined) === (input.parts === undefined))
    source.report(source.root, 'gateway_input needs exactly one of prompt and parts')
  for (const { value, position } of followUps) {
    const isSaid = value.prompt !== undefined || value.parts !== undefined
    if (isSaid === ((value.action ?? 'send') !== 'send') || (value.prompt !== undefined && value.parts !== undefined))
      source.report(position, 'a follow-up needs exactly one of prompt, parts, or an action other than send')
  }
  if (own !== undefined && !Array.isArray(own.value)) {
    try {
      parseScript(JSON.stringify(script), source.file)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      source.report(own.position, `downstream_script: ${error.message.replaceAll(`${source.file}:`, '')}`)
    }
  }
  if (!hasAssertion(written))
    source.report(
      source.root,
      'the case asserts nothing, so it could not fail; add expected_gateway_output, expected_artifacts or expected_downstream_requests',
    )
}

function hasAssertion({ follow_ups: followUps = [], ...written }: WrittenCase): boolean {
  const outputs = [written, ...followUps.map(({ value }) => value)].flatMap(
    (each) => each.expected_gateway_output ?? [],
  )
  return (
    outputs.length > 0 ||
    (written.expected_artifacts?.length ?? 0) > 0 ||
    // An empty list is a claim: the agent received nothing.
    written.expected_downstream_requests !== undefined ||
    written.downstream_auth?.oauth2?.expected_token_requests !== undefined
  )
}

export function variantsOf(
  written: Case,
  only: Partial<{ [K in keyof Variant]: readonly Variant[K][] }> = {},
): Variant[] {
  const generations = only.generation ?? written.generation ?? [MODEL_GENERATION]
  const streamings = only.streaming ?? written.streaming ?? [true]
  const bindings = only.binding ?? written.binding ?? ['jsonrpc']
  return generations.flatMap((generation) =>
    streamings.flatMap((streaming) => bindings.map((binding) => ({ generation, streaming, binding }))),
  )
}

export function describeVariant({ generation, streaming, binding }: Variant): string {
  return `${generation} ${binding} ${streaming ? 'streaming' : 'blocking'}`
}
