// Rows of the register about clients that no claim proves, and why: what a scenario cannot show, or does not show yet.

const TRUST = 'no intent says whether a client shall verify signatures, and with which keys'
const RECEIVER = 'the receiver of webhooks belongs to the application, which a scenario cannot reach'

export const NOT_GRADED: Readonly<Record<string, string>> = {
  'client-sig-procedure': TRUST,
  'client-sig-reject-tampered': TRUST,
  'client-sig-verify-one': TRUST,
  'client-sig-https-keys': TRUST,
  'client-sig-no-expired-key': TRUST,
  'client-sig-trust-store': TRUST,
  'client-extended-card-replace': 'no intent asks for the extended card',
  'client-webhook-2xx': RECEIVER,
  'client-webhook-verify-auth': RECEIVER,
  'client-webhook-verify-task': RECEIVER,
  'client-webhook-idempotent': RECEIVER,
  'client-webhook-all-payloads': RECEIVER,
  'client-webhook-rate-limit': RECEIVER,
  'client-webhook-replay': RECEIVER,
  'client-webhook-https': 'the webhook of a scenario is on loopback, without TLS',
  'client-verify-certificate':
    'scenarios are played on loopback without TLS, and a command cannot be told whom to trust',
  'client-intask-follow': 'who authorizes a task is the user, for whom a scenario cannot wait',
  'client-intask-chain': 'it is about agents that call other agents',
}
