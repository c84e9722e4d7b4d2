// JSON-RPC method names of 1.0 (§9.4). The public card has none: it is fetched from its well-known path.

import { OPERATION_NAMES, type Operation } from '../../model/operation.ts'

export const METHODS: Readonly<Partial<Record<Operation, string>>> = OPERATION_NAMES
