// Rows of the register about clients that no claim proves, and why: what a scenario cannot show, or does not show yet.

const TRUST = 'a client cannot be told to verify signatures, or with which keys'
const RECEIVER = 'the receiver of webhooks belongs to the application, which a scenario cannot reach'

export const NOT_GRADED: Readonly<Record<string, string>> = {
  'client-sig-procedure': TRUST,
  'client-sig-reject-tampered': TRUST,
  'client-sig-verify-one': TRUST,
  'client-sig-https-keys': TRUST,
  'client-sig-no-expired-key': TRUST,
  'client-sig-trust-store': TRUST,
  'client-extended-card-replace': 'a client cannot be told to fetch the extended card',
  'client-webhook-2xx': RECEIVER,
  'client-webhook-verify-auth': RECEIVER,
  'client-webhook-verify-task': RECEIVER,
  'client-webhook-idempotent': RECEIVER,
  'client-webhook-all-payloads': RECEIVER,
  'client-webhook-rate-limit': RECEIVER,
  'client-webhook-replay': RECEIVER,
  'client-webhook-https': 'the webhook of a scenario is on loopback, without TLS',
  'client-verify-certificate':
    'scenarios run on loopback without TLS, and a command cannot be told which certificates to trust',
  'client-intask-follow': 'authorization is given by the user, and a scenario cannot wait for one',
  'client-intask-chain': 'it is about agents that call other agents',
}
