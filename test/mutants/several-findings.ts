// How many findings a mutant may have: one, unless it is wrong in more than one thing. Who adds a mutant here says why its
// second finding is not the first one under another name.

interface Several {
  readonly most: number
  readonly why: string
}

export const SEVERAL: Readonly<Record<string, Several>> = {
  'requirement-unknown-scheme': {
    most: 2,
    why: 'The card asks for credentials by that requirement, and the agent answers without any.',
  },
  'signature-drops-required': {
    most: 2,
    why: 'Only a card with an empty REQUIRED member shows it, and such a card is wrong in itself.',
  },
  'card-unencrypted': { most: 2, why: 'Only an address elsewhere has to be encrypted, and nobody answers there.' },
  'version-legacy-answer': {
    most: 2,
    why: 'Answers of 0.3 break two rules of 1.0: enums by their names, and no kind.',
  },
  'history-unlimited-send': {
    most: 2,
    why: 'Whoever ignores the length neither limits the history nor refuses a negative one: two rules, which agents break one without the other.',
  },
  'part-two-contents': { most: 2, why: 'Objects in the metadata look like parts, and are changed, too.' },
  'auth-in-metadata': {
    most: 2,
    why: 'The metadata are also missing in some answers, which is another fault than what they hold.',
  },
}

/** Mutants that are still told under several names: none may be added, and none may get more. */
const OPEN: Readonly<Record<string, number>> = {
  'follow-up-new-task': 4,
  'list-time-exclusive': 3,
  'rest-refuses-application-a2a-json': 3,
  'legacy-cancel-without-id': 2,
  'old-push-foreign': 2,
  'old-push-other-task': 2,
  'push03-params-granted': 2,
  'spec03-timestamp-backwards': 2,
  'stream-context-replaced': 2,
  'stream-media-type-lost': 2,
}

/** The most findings a mutant may have. */
export function mostFindings(name: string): number {
  return SEVERAL[name]?.most ?? OPEN[name] ?? 1
}
