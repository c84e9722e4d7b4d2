// Cards that are wrong or that lie.

import { at, list, type Mutant, mutant, put, text } from './mutant.ts'

const INTERFACE = 'supportedInterfaces.0'
const SKILL = 'skills.0'
const OAUTH = 'securitySchemes.oauth.oauth2SecurityScheme'

export const cardMutants: Mutant[] = [
  ...['name', 'description', 'version', 'capabilities', 'defaultInputModes', 'defaultOutputModes', 'skills'].map(
    (member) =>
      mutant(`card-without-${member}`, `The card has no ${member}.`, {
        card: (card) => put(card, member, undefined),
      }),
  ),
  mutant('card-without-skills-entries', 'The list of skills is empty.', {
    card: (card) => put(card, 'skills', []),
  }),
  mutant('card-empty-modes', 'The list of input modes is empty.', {
    card: (card) => put(card, 'defaultInputModes', []),
  }),
  mutant('card-not-json', 'The well-known path answers with a web page.', {
    reply: (reply, call) => {
      if (!call.isCard) return
      reply.text = '<html><body>Welcome!</body></html>'
      reply.headers['content-type'] = 'text/html'
    },
  }),
  mutant('card-in-envelope', 'The card comes wrapped like a JSON-RPC result.', {
    card: (card) => ({ jsonrpc: '2.0', id: 1, result: card }),
  }),
  mutant('card-missing', 'The well-known path is not served.', {
    reply: (reply, call) => {
      if (call.isCard) reply.status = 404
    },
  }),
  mutant('card-latin1', 'The card says it is ISO 8859-1.', {
    reply: (reply, call) => {
      if (call.isCard) reply.headers['content-type'] = 'application/json; charset=iso-8859-1'
    },
  }),
  mutant('card-snake-case', 'Members are spelled like in the proto file.', {
    card: (card) => {
      card.default_input_modes = card.defaultInputModes ?? []
      delete card.defaultInputModes
      return card
    },
  }),
  mutant('card-extra-snake-case', 'One optional member is spelled like in the proto file.', {
    card: (card) => put(card, 'icon_url', 'https://parley.invalid/icon.png'),
  }),
  mutant('card-string-version', 'The version is a number.', { card: (card) => put(card, 'version', 1) }),
  mutant('card-streaming-text', 'A capability is the text "true".', {
    card: (card) => put(card, 'capabilities.streaming', 'true'),
  }),
  mutant('card-push-number', 'A capability is the number 1.', {
    card: (card) => put(card, 'capabilities.pushNotifications', 1),
  }),
  mutant('card-provider-half', 'The provider has no url.', {
    card: (card) => put(card, 'provider.url', undefined),
  }),
  mutant('card-secret', 'A token was left in the description.', {
    card: (card) =>
      put(card, 'description', 'Call with Authorization: Bearer sk-live-0123456789abcdefABCDEF0123456789'),
  }),
  mutant('card-legacy-members', 'The url of the old card is still there.', {
    card: (card) => {
      card.url = text(card, `${INTERFACE}.url`)
      card.preferredTransport = 'JSONRPC'
      return card
    },
  }),
  mutant('card-binding-rest', 'The binding is called REST.', {
    card: (card) => {
      for (const entry of list(card, 'supportedInterfaces'))
        if (text(entry, 'protocolBinding') === 'HTTP+JSON') put(entry, 'protocolBinding', 'REST')
      return card
    },
  }),
  mutant('card-binding-lower-case', 'The binding is written in lower case.', {
    card: (card) => {
      for (const entry of list(card, 'supportedInterfaces'))
        put(entry, 'protocolBinding', text(entry, 'protocolBinding').toLowerCase())
      return card
    },
  }),
  mutant('card-interface-relative', 'The url of an interface is a path.', {
    card: (card) => {
      for (const entry of list(card, 'supportedInterfaces'))
        if (text(entry, 'protocolBinding') === 'HTTP+JSON') put(entry, 'url', new URL(text(entry, 'url')).pathname)
      return card
    },
  }),
  mutant('card-interface-dead', 'An interface is declared where nothing answers.', {
    card: (card) => {
      for (const entry of list(card, 'supportedInterfaces'))
        if (text(entry, 'protocolBinding') === 'HTTP+JSON')
          put(entry, 'url', text(entry, 'url').replace(/\/\w+$/, '/nothing-here'))
      return card
    },
  }),
  mutant('card-interface-without-binding', 'An interface does not say its binding.', {
    card: (card) => put(card, 'supportedInterfaces.1.protocolBinding', undefined),
  }),
  mutant('card-version-patch', 'The protocol version has a patch part.', {
    card: (card) => put(card, `${INTERFACE}.protocolVersion`, '1.0.1'),
  }),
  mutant('card-two-minors', 'Two minor versions of one binding stand side by side.', {
    card: (card) => {
      const entry = at(card, INTERFACE)
      const older = { ...(entry as object), protocolVersion: '1.1' }
      put(card, 'supportedInterfaces', [...list(card, 'supportedInterfaces'), older])
      return card
    },
  }),
  ...['id', 'name', 'description', 'tags'].map((member) =>
    mutant(`skill-without-${member}`, `A skill has no ${member}.`, {
      card: (card) => put(card, `${SKILL}.${member}`, undefined),
    }),
  ),
  mutant('skill-no-tags', 'A skill has an empty list of tags.', {
    card: (card) => put(card, `${SKILL}.tags`, []),
  }),
  mutant('skill-twice', 'Two skills share an id.', {
    card: (card) => put(card, 'skills.1.id', text(card, `${SKILL}.id`)),
  }),
  mutant('mode-not-media-type', 'A mode is a word, not a media type.', {
    card: (card) => put(card, 'defaultInputModes.0', 'text'),
  }),
  mutant('extension-without-uri', 'An extension has no uri.', {
    card: (card) => put(card, 'capabilities.extensions', [{ description: 'Nameless.' }]),
  }),
  mutant('extension-unversioned', 'The uri of an extension has no version.', {
    card: (card) => put(card, 'capabilities.extensions', [{ uri: 'https://parley.invalid/extension' }]),
  }),
  mutant('scheme-two-kinds', 'A security scheme is two kinds at once.', {
    card: (card) => put(card, 'securitySchemes.bearer.mtlsSecurityScheme', {}),
  }),
  mutant('scheme-legacy', 'A security scheme has the shape of the older generation.', {
    card: (card) => put(card, 'securitySchemes.bearer', { type: 'http', scheme: 'bearer' }),
  }),
  mutant('scheme-key-location', 'The API key travels in "body".', {
    card: (card) => put(card, 'securitySchemes.key.apiKeySecurityScheme.location', 'body'),
  }),
  mutant('scheme-key-nameless', 'The API key has no name.', {
    card: (card) => put(card, 'securitySchemes.key.apiKeySecurityScheme.name', undefined),
  }),
  mutant('scheme-http-nameless', 'The HTTP scheme is not named.', {
    card: (card) => put(card, 'securitySchemes.bearer.httpAuthSecurityScheme', {}),
  }),
  mutant('scheme-oidc-relative', 'The discovery url is no url.', {
    card: (card) => put(card, 'securitySchemes.oidc.openIdConnectSecurityScheme.openIdConnectUrl', 'openid'),
  }),
  mutant('scheme-oidc-missing', 'The discovery url is missing.', {
    card: (card) => put(card, 'securitySchemes.oidc.openIdConnectSecurityScheme.openIdConnectUrl', undefined),
  }),
  mutant('scheme-oauth-two-flows', 'OAuth has two flows.', {
    card: (card) =>
      put(card, `${OAUTH}.flows.clientCredentials`, { tokenUrl: 'https://parley.invalid/token', scopes: {} }),
  }),
  mutant('scheme-oauth-no-token-url', 'The OAuth flow has no token url.', {
    card: (card) => put(card, `${OAUTH}.flows.authorizationCode.tokenUrl`, undefined),
  }),
  mutant('scheme-oauth-no-scopes', 'The OAuth flow has no scopes.', {
    card: (card) => put(card, `${OAUTH}.flows.authorizationCode.scopes`, undefined),
  }),
  mutant('scheme-oauth-password', 'OAuth uses the password flow.', {
    card: (card) => put(card, `${OAUTH}.flows`, { password: { tokenUrl: 'https://parley.invalid/token', scopes: {} } }),
  }),
  mutant('scheme-oauth-http', 'The metadata of OAuth is fetched without TLS.', {
    card: (card) => put(card, `${OAUTH}.oauth2MetadataUrl`, 'http://parley.invalid/metadata'),
  }),
  mutant('requirement-unknown-scheme', 'A requirement names a scheme that is not declared.', {
    card: (card) => put(card, 'securityRequirements', [{ schemes: { nosuch: { list: [] } } }]),
  }),
  mutant('requirement-legacy', 'Requirements have the shape of the older generation.', {
    card: (card) => put(card, 'securityRequirements', [{ bearer: [] }]),
  }),
  mutant('requirement-bare-list', 'The scopes of a requirement are a bare list.', {
    card: (card) => put(card, 'securityRequirements', [{ schemes: { bearer: [] } }]),
  }),
  mutant('card-uncacheable', 'The card says nothing about caching.', {
    reply: (reply, call) => {
      if (call.isCard) delete reply.headers['cache-control']
    },
  }),
  mutant('card-etag-random', 'Every answer has another entity tag.', {
    reply: (reply, call) => {
      if (call.isCard && reply.status === 200) reply.headers.etag = `"${crypto.randomUUID()}"`
    },
  }),
  mutant('card-no-etag', 'The card has no entity tag.', {
    reply: (reply, call) => {
      if (call.isCard) delete reply.headers.etag
    },
  }),
  mutant('card-unconditional', 'If-None-Match is ignored.', {
    request: (call) => {
      if (call.isCard) delete call.headers['if-none-match']
    },
  }),
  mutant('card-future-date', 'Last-Modified is no date.', {
    reply: (reply, call) => {
      if (call.isCard) reply.headers['last-modified'] = 'tomorrow'
    },
  }),
  mutant(
    'card-behind-auth',
    'The public card wants credentials.',
    {
      answer: (call) =>
        call.isCard && call.headers.authorization === undefined
          ? { status: 401, headers: { 'content-type': 'application/json' }, text: '{"error":"unauthorized"}' }
          : undefined,
    },
    'secured',
  ),
  mutant(
    'lies-streaming',
    'The card declares streaming; the agent has none.',
    {
      card: (card) => put(card, 'capabilities.streaming', true),
    },
    'quiet',
  ),
  mutant(
    'lies-push',
    'The card declares push notifications; the agent has none.',
    {
      card: (card) => put(card, 'capabilities.pushNotifications', true),
    },
    'quiet',
  ),
  mutant(
    'lies-extended',
    'The card declares an extended card; the agent has none.',
    {
      card: (card) => put(card, 'capabilities.extendedAgentCard', true),
    },
    'quiet',
  ),
  mutant('hides-streaming', 'The agent streams although its card says no.', {
    card: (card) => put(card, 'capabilities.streaming', false),
  }),
  mutant('hides-extended', 'The agent has an extended card although its card says no.', {
    card: (card) => put(card, 'capabilities.extendedAgentCard', false),
  }),
  mutant('lies-required-extension', 'The card requires an extension nobody checks for.', {
    card: (card) =>
      put(card, 'capabilities.extensions', [{ uri: 'https://parley.invalid/ignored/v1', required: true }]),
  }),
  mutant('skill-mode-word', 'A skill takes "json".', {
    card: (card) => put(card, `${SKILL}.inputModes`, ['json']),
  }),
  mutant(
    'old-card-without-url',
    'The card of 0.3 has no url.',
    { card: (card) => put(card, 'url', undefined) },
    'spec03',
  ),
  mutant(
    'old-card-protocol-number',
    'The protocol version is a number.',
    { card: (card) => put(card, 'protocolVersion', 0.3) },
    'spec03',
  ),
  mutant(
    'old-skill-without-tags',
    'A skill has no tags.',
    { card: (card) => put(card, `${SKILL}.tags`, undefined) },
    'spec03',
  ),
  mutant(
    'legacy-card-without-modes',
    'A skill has neither input nor output modes.',
    {
      card: (card) => {
        put(card, 'defaultInputModes', undefined)
        for (const skill of list(card, 'skills')) put(skill, 'inputModes', undefined)
        return card
      },
    },
    'legacy',
  ),
  mutant(
    'legacy-card-auth-text',
    'The authentication of the card is a text.',
    { card: (card) => put(card, 'authentication', 'bearer') },
    'legacy',
  ),
  mutant(
    'legacy-card-flag-text',
    'A capability is the text "yes".',
    { card: (card) => put(card, 'capabilities.streaming', 'yes') },
    'legacy',
  ),
  mutant('card-leftover', 'A member of the old card was forgotten.', {
    card: (card) => put(card, 'supportsAuthenticatedExtendedCard', true),
  }),
  mutant(
    'legacy-auth-incomplete',
    'OAuth is declared without its token url.',
    { card: (card) => put(card, 'authentication', { schemes: ['oauth2'], credentials: { oauth2: {} } }) },
    'legacy',
  ),
]
