// What `parley explain` says about a whole area: why a client cares, and what usually goes wrong. A check that has
// more to say says it itself.

export interface AreaText {
  why: string
  causes: readonly string[]
}

export const AREA_TEXTS: Readonly<Record<string, AreaText>> = {
  grpc: {
    why: 'A gRPC client is generated from the proto: anything else fails inside a library, far from its cause.',
    causes: ['stubs of another version of the proto', 'errors thrown without details', 'metadata that is not read'],
  },
  card: {
    why: 'The card is the first thing a client reads; an error in it stops the client before the first call.',
    causes: [
      'members of an older protocol version',
      'a field filled in only in production',
      'null instead of an absent member',
    ],
  },
  'card-http': {
    why: 'Cards are fetched often; without caching headers every client fetches the whole card every time.',
    causes: ['a static handler without ETag', 'a framework default that forbids caching'],
  },
  'card-interfaces': {
    why: 'Clients choose URL, binding and version from here; one wrong value and they call the wrong address.',
    causes: [
      'localhost or an internal host',
      'a binding name in the wrong case',
      'a full version where Major.Minor is expected',
    ],
  },
  'card-skills': {
    why: 'Orchestrators pick an agent by its skills and media types, and show them to people.',
    causes: ['skills copied with the same id', 'empty tags or descriptions', 'values that are not media types'],
  },
  'card-security': {
    why: 'A client that cannot read how to authenticate cannot call the agent at all.',
    causes: ['OpenAPI names instead of those of the protocol', 'a requirement that names an undeclared scheme'],
  },
  'card-signatures': {
    why: 'A signature that does not verify is worse than none: careful clients refuse the agent.',
    causes: ['the card was changed after signing', 'another canonical form', 'a key that cannot be fetched'],
  },
  'card-claims': {
    why: 'Clients believe the card; what it declares but does not do fails in the client.',
    causes: ['an interface that was switched off', 'a card served for another environment'],
  },
  'errors-jsonrpc': {
    why: 'Clients decide by the error code whether to fix the request, retry or give up.',
    causes: ['one catch-all -32603', 'a web framework that answers first', 'the id of the request not echoed'],
  },
  'errors-rest': {
    why: 'Generated REST clients and gateways rely on exact routes, statuses and error bodies.',
    causes: ['routes without the :verb form', 'a framework’s own 404 page', 'errors with status 200'],
  },
  'rest-query': {
    why: 'Identifiers and tokens travel in queries; if they are not decoded, they name something else.',
    causes: ['the raw query string is used'],
  },
  validation: {
    why: 'An invalid request that is accepted fails later, where the cause is hard to find.',
    causes: ['no schema validation', 'defaults filled in silently'],
  },
  'input-validation': {
    why: 'An agent takes input from unknown callers; without limits they decide how much memory and network it uses.',
    causes: ['no limit on bodies', 'URLs in messages fetched without checking their address'],
  },
  'error-mapping': {
    why: 'Every error has one code on each binding, and clients decide by it what to do.',
    causes: ['error codes of your own', 'the table of another revision'],
  },
  'error-texts': {
    why: 'Error texts end up in logs and on screens, and should help without leaking internals.',
    causes: ['stack traces and messages of a database driver passed on'],
  },
  version: {
    why: 'The version tells client and agent how to read each other’s messages.',
    causes: ['the header is not read', 'the version is compared as text, patch number included'],
  },
  'version-interfaces': {
    why: 'An agent of several protocol versions must answer each caller in the caller’s version.',
    causes: ['one handler for all interfaces'],
  },
  send: {
    why: 'Sending a message is what every client does first.',
    causes: ['the result is not wrapped', 'task or context ids are replaced by new ones', 'blocking is ignored'],
  },
  'get-task': {
    why: 'Clients that lost a connection learn the outcome by reading the task.',
    causes: ['tasks deleted as soon as they end', 'the history limit ignored'],
  },
  'history-length': {
    why: 'A negative number is a bug of the caller, who finds it sooner when the agent refuses it.',
    causes: ['the number is passed to a slice function that accepts negative ones', 'only GetTask validates it'],
  },
  cancel: {
    why: 'Canceling is the only way a client can stop work it no longer needs.',
    causes: ['the running work is not stopped', 'finished tasks reported as canceled'],
  },
  list: {
    why: 'Dashboards and recovery after a crash depend on complete, ordered, paged lists.',
    causes: ['a page token that is an offset', 'filters ignored', 'totals that count only the page'],
  },
  'list-updates': {
    why: 'Clients that poll for changes read the newest entries first; another order hides changes.',
    causes: ['sorted by creation instead of the last change'],
  },
  'input-required': {
    why: 'A task that needs input must say which, or the user cannot answer.',
    causes: ['the question is only in a log or an artifact'],
  },
  'in-task-auth': {
    why: 'When an agent needs another authorization in the middle of a task, the client must be told which.',
    causes: ['the state is left out', 'the task is failed instead of paused'],
  },
  streaming: {
    why: 'People watch streams; missing, late or repeated events are noticed at once.',
    causes: ['buffering by a proxy or framework', 'no final event', 'events of other tasks on the same bus'],
  },
  'foreign-tasks': {
    why: 'Anything one user can find out about the tasks of another is a leak, however small.',
    causes: ['totals counted over all users', 'a different error for a task of another user than for an unknown one'],
  },
  'stream-frames': {
    why: 'Browsers and SDKs parse server-sent events strictly.',
    causes: ['data split without data: prefixes', 'the envelope left out', 'a JSON array instead of events'],
  },
  'stream-refusals': {
    why: 'A stream that cannot be opened must be refused with an error, not with an empty stream.',
    causes: ['headers sent before the request was checked'],
  },
  subscribe: {
    why: 'This is how a client reconnects to a stream it lost.',
    causes: ['only live events, without the current task', 'streams that never close'],
  },
  push: {
    why: 'Clients without a connection are told by webhook; if the configuration is lost, so is the result.',
    causes: ['configurations kept per process', 'ids not returned', 'secrets echoed'],
  },
  'push-errors': {
    why: 'A client must be able to tell an unknown task from an unknown configuration.',
    causes: ['deletes that always succeed', 'an empty list for an unknown task'],
  },
  'push-delivery': {
    why: 'The receiver checks authentication, body and order; if one is wrong it discards the notification.',
    causes: [
      'authentication not sent',
      'the body of another protocol version',
      'no retry',
      'no notification of the end',
    ],
  },
  security: {
    why: 'Endpoints that declare authentication and do not enforce it are open to anyone.',
    causes: ['a middleware mounted after the route', 'only one binding protected'],
  },
  isolation: {
    why: 'One user must never see, change or count the tasks of another.',
    causes: ['tasks looked up by id alone', 'lists without the caller in the query'],
  },
  permissions: {
    why: 'An authenticated caller without permission needs another error than an unauthenticated one.',
    causes: ['401 for everything', 'a 404 where access is denied'],
  },
  tenants: {
    why: 'Tenants share an address; the tasks of one must not be reachable through another.',
    causes: ['the tenant is read but not used', 'the tenant of the path ignored'],
  },
  extensions: {
    why: 'A required extension changes the meaning of messages; an agent that ignores it misunderstands them.',
    causes: ['the extension header is not read', 'activated extensions not echoed'],
  },
  'extended-card': {
    why: 'The extended card shows more to authenticated callers, and only to them.',
    causes: ['served without authentication', 'declared but not configured'],
  },
  equivalence: {
    why: 'All bindings of an agent give access to the same tasks; clients may switch between them.',
    causes: ['a store per binding', 'errors translated differently'],
  },
  schema: {
    why: 'Strictly typed clients reject every member that does not match the schema.',
    causes: ['required members left out', 'null values', 'names of an older protocol version'],
  },
  contents: {
    why: 'Results are more than text: a file that cannot be opened, or data sent as a string, cannot be used.',
    causes: ['parts built by hand', 'a serializer that cannot encode bytes'],
  },
  consistency: {
    why: 'A client sees a task in many places; when they contradict each other it cannot know which one is true.',
    causes: ['several stores or caches', 'answers built from the request instead of the stored task'],
  },
  'data-model': {
    why: 'Small differences in names, timestamps or numbers break comparison, sorting and parsing.',
    causes: ['local time zones', 'snake_case from another serializer', 'enum values of an older protocol version'],
  },
  'agent-messages': {
    why: 'Clients tell messages apart by their ids; two messages with one id look like one that was sent twice.',
    causes: ['one constant id', 'the id of the user’s message reused for the answer'],
  },
  'list-pages': {
    why: 'A client that pages through a list must see every task once, also while new ones arrive.',
    causes: ['an offset as page token', 'tokens that are not checked', 'filters that match a prefix'],
  },
  'request-edges': {
    why: 'Clients differ in ids, header case and media type parameters; all of these forms are legal.',
    causes: ['header names compared with their case', 'a truthiness test on the request id', 'a strict deserializer'],
  },
  'round-trips': {
    why: 'History is what a client shows as the conversation; a changed message misrepresents what was said.',
    causes: ['text that is trimmed', 'numbers turned into text', 'members a serializer does not know'],
  },
  'same-everywhere': {
    why: 'A client may stream, poll or wait for a webhook; the task it sees must be the same one.',
    causes: ['events not built from the stored task', 'members left out of events'],
  },
  'stream-twins': {
    why: 'A streaming send takes the same request as a plain one; clients switch between them freely.',
    causes: ['two request handlers that have diverged', 'validation only in the plain one'],
  },
  'stream-validation': {
    why: 'An invalid message must be refused before a stream begins and before a task exists.',
    causes: ['the stream is opened before the request is validated'],
  },
  'task-progress': {
    why: 'Clients keep what they have seen of a task; artifacts that disappear and states that go backwards confuse people and programs.',
    causes: ['tasks rebuilt from a cache', 'replicas that answer from stale copies'],
  },
}
