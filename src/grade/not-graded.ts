// Rows of the register about clients that no claim proves, and why: what a scenario cannot show, or does not show yet.

export const NOT_GRADED: Readonly<Record<string, string>> = {
  'client-webhook-replay':
    'no text says how old is too old, and what a receiver ignores after it acknowledged it is not seen',
  'client-webhook-https':
    'receivers of scenarios are on loopback, where there is no authority that could vouch for them',
  'client-intask-follow': 'authorization is given by the user, and a scenario cannot wait for one',
  'client-intask-chain': 'it is about agents that call other agents',
}
