// What is wrong with errors over both bindings is one thing to repair: said in one way, it is one finding.

export const ADD_ERROR_INFO =
  'Add {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": …, "domain": "a2a-protocol.org"} to the details of errors: error.data over JSON-RPC, error.details over HTTP+JSON.'

export const REFUSE_NEGATIVE_HISTORY =
  'Return a validation error for historyLength below 0, before anything else happens.'

export const ADD_BAD_REQUEST =
  'Add a google.rpc.BadRequest with fieldViolations to the details of validation errors: error.data over JSON-RPC, error.details over HTTP+JSON.'

/** What breaks down over one form of a member usually does over others. */
export const REFUSE_ODD_FORMS =
  'Read members in every form that ProtoJSON allows, or refuse them with a validation error; never with an internal error.'

export const VALIDATE =
  'Validate requests before processing them, and return InvalidParams (JSON-RPC -32602, HTTP 400 INVALID_ARGUMENT) when a required member is missing or has the wrong type.'

export const ANSWER_NO_JSON =
  'Return the error of the binding for a body that is not JSON: -32700 over JSON-RPC, HTTP 400 with an error object over HTTP+JSON.'
