// Members with what they mean, in few letters, for shapes that are mostly documentation.

import { boolean, described, integer, list, number, optional, text } from '../yaml/shape.ts'

export const words = (description: string) => described(text, description)
export const word = (description: string) => optional(described(text, description))
export const texts = (description: string) => described(list(text), description)
export const count = (description: string) => described(integer(0), description)
export const milliseconds = (description: string) => described(number(0, Number.MAX_SAFE_INTEGER), description)
export const yes = (description: string) => described(boolean, description)
export const instant = (description: string) => described(text, `${description} (ISO 8601)`)
