// The flags of `parley fleet`; which of them an action uses is said in its help.

import type { ReportFlags } from './report-options.ts'

export interface FleetFlags extends ReportFlags {
  store: string
  name?: string
  concurrency: number
  full?: boolean
  every?: number
  hostConcurrency?: number
  hostRate?: number
  turnsPerDay?: number
  deadline?: number
  timeout?: number
  patience?: number
  allowPrivateNetworks?: boolean
  optOut?: string
  contact?: string
  all?: boolean
  replaceList?: boolean
  once?: boolean
  label?: string[]
  level?: string
  host?: string
  day?: number
  since?: number
  as: 'jsonl' | 'csv' | 'records' | 'badges'
  to?: string
}
