// How to authenticate. Secrets go to the server when the form is sent and are forgotten here; `$NAME` names an environment
// variable of the server instead.

import type { AuthForm } from '../../src/inspector/views.ts'

export const EMPTY_AUTH: AuthForm = { kind: 'none' }

const KINDS: readonly (readonly [AuthForm['kind'], string])[] = [
  ['none', 'No credentials'],
  ['bearer', 'Bearer token'],
  ['apiKey', 'API key, where the card asks for it'],
  ['basic', 'User and password (basic)'],
  ['header', 'Another header'],
  ['oauth', 'Log in with OAuth 2.0 or OpenID Connect'],
  ['certificate', 'Client certificate'],
]

type Field = Exclude<keyof AuthForm, 'kind' | 'flow'>

interface FieldText {
  name: Field
  title: string
  isSecret?: boolean
  isLong?: boolean
  hint?: string
}

const FIELDS: Readonly<Record<AuthForm['kind'], readonly FieldText[]>> = {
  none: [],
  bearer: [{ name: 'secret', title: 'Token', isSecret: true }],
  apiKey: [{ name: 'secret', title: 'Key', isSecret: true }],
  basic: [
    { name: 'name', title: 'User' },
    { name: 'secret', title: 'Password', isSecret: true },
  ],
  header: [
    { name: 'name', title: 'Name' },
    { name: 'secret', title: 'Value', isSecret: true },
  ],
  oauth: [
    { name: 'clientId', title: 'Client id' },
    { name: 'clientSecret', title: 'Client secret', isSecret: true, hint: 'Empty for a public client.' },
    { name: 'scope', title: 'Scopes', hint: 'Empty for what the card asks for.' },
    { name: 'issuer', title: 'Issuer', hint: 'Only where the card names none.' },
  ],
  certificate: [
    { name: 'cert', title: 'Certificate (PEM)', isLong: true },
    { name: 'key', title: 'Key (PEM)', isLong: true },
    { name: 'ca', title: 'Authority to trust (PEM)', isLong: true },
  ],
}

interface AuthProps {
  auth: AuthForm
  onChange(auth: AuthForm): void
}

export function AuthFields({ auth, onChange }: AuthProps) {
  return (
    <fieldset>
      <legend class="label">Authentication</legend>
      <label class="field">
        <span>How</span>
        <select
          value={auth.kind}
          onChange={(event) => onChange({ kind: event.currentTarget.value as AuthForm['kind'] })}
        >
          {KINDS.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {auth.kind === 'oauth' && <Flow auth={auth} onChange={onChange} />}
      {FIELDS[auth.kind].map((field) => (
        <AuthField key={field.name} field={field} auth={auth} onChange={onChange} />
      ))}
      {FIELDS[auth.kind].some(({ isSecret }) => isSecret === true) && (
        <p class="muted small">Write $NAME to take a secret from that environment variable of parley ui.</p>
      )}
    </fieldset>
  )
}

function AuthField({
  field: { name, title, isSecret, isLong, hint },
  auth,
  onChange,
}: AuthProps & { field: FieldText }) {
  const set = ({ currentTarget }: { currentTarget: { value: string } }) =>
    onChange({ ...auth, [name]: currentTarget.value })
  const common = { value: auth[name] ?? '', autocomplete: 'off', spellcheck: false, onInput: set } as const
  const id = `auth-${name}`
  return (
    <div class="field">
      <label for={id}>{title}</label>
      {isLong === true && <textarea class="code" id={id} rows={3} {...common} />}
      {isLong !== true && isSecret === true && <input id={id} type="password" {...common} />}
      {isLong !== true && isSecret !== true && <input id={id} type="text" {...common} />}
      {hint !== undefined && <span class="muted small hint">{hint}</span>}
    </div>
  )
}

function Flow({ auth, onChange }: AuthProps) {
  const set = ({ currentTarget }: { currentTarget: { value: string } }) => {
    const { flow: _, ...rest } = auth
    const flow = currentTarget.value as NonNullable<AuthForm['flow']> | ''
    onChange(flow === '' ? rest : { ...rest, flow })
  }
  return (
    <label class="field">
      <span>Flow</span>
      <select value={auth.flow ?? ''} onChange={set}>
        <option value="">what the card offers</option>
        <option value="client-credentials">client credentials</option>
        <option value="authorization-code">authorization code with PKCE</option>
        <option value="device-code">device code</option>
      </select>
    </label>
  )
}
