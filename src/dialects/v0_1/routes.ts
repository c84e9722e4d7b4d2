// The `tasks/send` generation has no REST binding.

import type { Route } from '../dialect.ts'

export const ROUTES: readonly Route[] = []
