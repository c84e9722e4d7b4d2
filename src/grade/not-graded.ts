// Rows of the register about clients that no claim proves, and why: what a scenario cannot show, or does not show yet.

export const NOT_GRADED: Readonly<Record<string, string>> = {
  'client-intask-chain':
    'it is about clients that are agents themselves: what they tell their own callers is not in what they send to an agent',
}
