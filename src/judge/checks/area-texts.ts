// What `parley explain` says about a whole area: why a client cares, and what usually goes wrong. A check that has
// more to say says it itself.

export interface AreaText {
  why: string
  causes: readonly string[]
}

export const AREA_TEXTS: Readonly<Record<string, AreaText>> = {
  grpc: {
    why: 'A gRPC client is generated from the proto: what deviates from it fails inside of a library, far from its cause.',
    causes: ['stubs of another version of the proto', 'errors thrown without details', 'metadata that nobody reads'],
  },
  card: {
    why: 'The card is the first thing a client reads; what is wrong in it stops the client before the first call.',
    causes: [
      'members of an older protocol version',
      'a field filled in only in production',
      'null instead of leaving out',
    ],
  },
  'card-http': {
    why: 'Cards are fetched often; without caching headers every client fetches the whole card every time.',
    causes: ['a static handler without ETag', 'a framework default that forbids caching'],
  },
  'card-interfaces': {
    why: 'Clients choose URL, binding and version from here; one wrong word sends them to nowhere.',
    causes: [
      'localhost or an internal host',
      'a binding name in the wrong case',
      'a full version where major.minor is asked',
    ],
  },
  'card-skills': {
    why: 'Orchestrators pick an agent by its skills and media types, and show them to people.',
    causes: ['skills copied with the same id', 'empty tags or descriptions', 'media types that are no media types'],
  },
  'card-security': {
    why: 'A client that cannot read how to authenticate cannot call the agent at all.',
    causes: ['OpenAPI spelling instead of the protocol’s', 'a requirement that names an undeclared scheme'],
  },
  'card-signatures': {
    why: 'A signature that does not verify is worse than none: careful clients refuse the agent.',
    causes: ['the card was changed after signing', 'another canonical form', 'a key that cannot be fetched'],
  },
  'card-claims': {
    why: 'Clients believe the card; what it declares and does not do fails in their hands.',
    causes: ['an interface that was switched off', 'a card served for another environment'],
  },
  'errors-jsonrpc': {
    why: 'Clients decide by the error code whether to repair the request, retry or give up.',
    causes: ['one catch-all -32603', 'a web framework that answers first', 'the id of the request not echoed'],
  },
  'errors-rest': {
    why: 'Generated REST clients and gateways rely on exact routes, statuses and error bodies.',
    causes: ['routes without the :verb form', 'a framework’s own 404 page', 'errors with status 200'],
  },
  'rest-query': {
    why: 'Identifiers and tokens travel in queries; read undecoded they are other identifiers.',
    causes: ['the raw query string is used'],
  },
  validation: {
    why: 'A request that is accepted although it is wrong fails later, where nobody can see why.',
    causes: ['no schema validation', 'defaults filled in silently'],
  },
  'input-validation': {
    why: 'An agent takes input from strangers; what it does not limit, they decide.',
    causes: ['no limit on bodies', 'URLs in messages fetched without looking where they lead'],
  },
  'error-mapping': {
    why: 'One error has one number on each binding; clients that speak both compare them.',
    causes: ['an own numbering', 'the table of another revision'],
  },
  'error-texts': {
    why: 'Error texts end up in logs and on screens, and should help without giving the inside away.',
    causes: ['stack traces passed on', 'messages of a database driver'],
  },
  version: {
    why: 'Client and agent find out by the version whether they mean the same thing.',
    causes: ['the header is not read', 'the version is compared as text with its patch part'],
  },
  'version-interfaces': {
    why: 'An agent of several protocol versions must answer each caller in the caller’s version.',
    causes: ['one handler for all interfaces'],
  },
  send: {
    why: 'Sending a message is what every client does first.',
    causes: ['the result is not wrapped', 'ids or contexts are made up anew', 'blocking is not honoured'],
  },
  'get-task': {
    why: 'Clients that lost a connection find out by reading the task how it went.',
    causes: ['tasks dropped after their end', 'the history limit ignored'],
  },
  'history-length': {
    why: 'A number nobody can mean is a bug of the caller, and the sooner it is told the cheaper it is.',
    causes: ['the number is handed to a slice that takes negative ones', 'only GetTask validates it'],
  },
  cancel: {
    why: 'Canceling is the only brake a client has.',
    causes: ['the running work is not stopped', 'finished tasks reported as canceled'],
  },
  list: {
    why: 'Dashboards and recovery after a crash depend on complete, ordered, paged lists.',
    causes: ['a page token that is an offset', 'filters ignored', 'totals that count only the page'],
  },
  'list-updates': {
    why: 'Whoever polls for changes reads the list from the newest; another order hides changes.',
    causes: ['sorted by creation instead of the last change'],
  },
  'input-required': {
    why: 'A task that asks must say what it asks, or nobody can answer.',
    causes: ['the question is only in a log or an artifact'],
  },
  'in-task-auth': {
    why: 'When an agent needs another authorization in the middle of a task, the client must learn which.',
    causes: ['the state is left out', 'the task is failed instead of paused'],
  },
  streaming: {
    why: 'People watch streams; an event that is missing, late or twice is seen at once.',
    causes: ['buffering by a proxy or framework', 'no final event', 'events of other tasks on the same bus'],
  },
  'foreign-tasks': {
    why: 'What one user can learn of another by asking differently is a leak, however small.',
    causes: ['totals counted over all users', 'an error that tells a foreign task from one that does not exist'],
  },
  'stream-frames': {
    why: 'Browsers and SDKs parse server-sent events by the letter.',
    causes: ['data split without data: prefixes', 'the envelope left out', 'a JSON array instead of events'],
  },
  'stream-refusals': {
    why: 'A stream that cannot be opened must be refused with an error, not with an empty stream.',
    causes: ['headers sent before the request was checked'],
  },
  subscribe: {
    why: 'A client that lost its stream gets back into it this way.',
    causes: ['only live events, without the task as it is', 'streams that never close'],
  },
  push: {
    why: 'Clients without a connection are told by webhook; a lost configuration is a lost answer.',
    causes: ['configurations kept per process', 'ids not returned', 'secrets echoed'],
  },
  'push-errors': {
    why: 'A client must be able to tell a wrong task from a wrong configuration.',
    causes: ['deletes that always succeed', 'an empty list for an unknown task'],
  },
  'push-delivery': {
    why: 'The receiver checks authentication, body and order; one wrong and it throws the notification away.',
    causes: [
      'authentication not sent',
      'the body of another protocol version',
      'no retry',
      'no notification of the end',
    ],
  },
  security: {
    why: 'Endpoints that declare authentication and do not enforce it are open to everybody.',
    causes: ['a middleware mounted after the route', 'only one binding protected'],
  },
  isolation: {
    why: 'One user must never see, change or count the tasks of another.',
    causes: ['tasks looked up by id alone', 'lists without the caller in the query'],
  },
  permissions: {
    why: 'Who is known but may not is told so differently from who is unknown.',
    causes: ['401 for everything', 'a 404 where access is denied'],
  },
  tenants: {
    why: 'Tenants share an address; what belongs to one must not be reachable through another.',
    causes: ['the tenant is read but not used', 'the tenant of the path ignored'],
  },
  extensions: {
    why: 'A required extension changes the meaning of messages; ignoring it means misunderstanding.',
    causes: ['the extension header is not read', 'activated extensions not echoed'],
  },
  'extended-card': {
    why: 'The extended card shows more to those who signed in, and nothing more to anybody else.',
    causes: ['served without authentication', 'declared but not configured'],
  },
  equivalence: {
    why: 'The bindings of an agent are doors to the same rooms; clients may change doors.',
    causes: ['a store per binding', 'errors translated differently'],
  },
  schema: {
    why: 'Strictly typed clients refuse what does not fit the schema, member by member.',
    causes: ['required members left out', 'null values', 'names of an older protocol version'],
  },
  contents: {
    why: 'Results are more than text: a file that cannot be opened or data that is a string is no result.',
    causes: ['parts built by hand', 'a serializer that does not know bytes'],
  },
  consistency: {
    why: 'A client sees a task in many places; when they contradict each other it cannot know which one is true.',
    causes: ['several stores or caches', 'answers built from the request instead of the stored task'],
  },
  'data-model': {
    why: 'Small differences in spelling, time or numbers break comparison, sorting and parsing.',
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
    why: 'History is what a client shows as the conversation; a message that comes back altered is another message.',
    causes: ['text that is trimmed', 'numbers turned into text', 'members a serializer does not know'],
  },
  'same-everywhere': {
    why: 'A client may stream, poll or wait for a webhook; the task it sees must be the same one.',
    causes: ['events built apart from the stored task', 'members left out of events'],
  },
  'stream-twins': {
    why: 'A streaming send takes the same request as a plain one; clients switch between them freely.',
    causes: ['two request handlers that grew apart', 'validation only in the plain one'],
  },
  'stream-validation': {
    why: 'An invalid message must be refused before a stream begins and before a task exists.',
    causes: ['the stream is opened before the request is validated'],
  },
  'task-progress': {
    why: 'Clients keep what they have seen of a task; what disappears or moves backwards confuses people and programs.',
    causes: ['tasks rebuilt from a cache', 'replicas that answer from stale copies'],
  },
}
