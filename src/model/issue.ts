// One thing wrong with a JSON document, and where: what validation returns instead of throwing.

/** One thing that is wrong with a document, and where. */
export interface Issue {
  /** RFC 6901 pointer into the document that was checked; '' is the document itself. */
  pointer: string
  /** A plain sentence fragment: "must be a string", "exactly one of text, raw, url, data is required". */
  message: string
}
