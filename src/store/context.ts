/**
 * What the protocol needs besides file operations: names, numbers that no two writers share, a clock for names
 * and texts (never for safety), and the limits. `diskContext` is the real one; a test makes its own.
 */
import type * as nodeCrypto from 'node:crypto'
import type { Index, Machine, Warning } from '../core/schema.js'
import type { IndexPaths } from './paths.js'

export interface StoreContext {
  readonly paths: IndexPaths
  /** 32 hexadecimal digits that nobody else draws. */
  readonly random: () => string
  readonly now: () => number
  readonly hash: (bytes: Uint8Array) => string
  /** The machine that adopted entries count as seen on; undefined: leave `seen` as it is. */
  readonly machine: () => Machine | undefined
  readonly limits: Limits
  /** Kept between the updates of one store, so that only what changed is read and parsed again. */
  readonly cache: { last?: CachedRead }
}

export interface Limits {
  /** Bytes of one index. */
  readonly indexBytes: number
  /** Revisions that stay. */
  readonly revisions: number
  /** Bytes of all revisions; the two newest stay whatever they weigh. */
  readonly historyBytes: number
}

/** The newest revision as it was read last. */
export interface CachedRead {
  readonly number: number
  readonly bytes: Uint8Array
  readonly index: Index
}

export const LIMITS: Limits = { indexBytes: 16 * 1024 * 1024, revisions: 8, historyBytes: 64 * 1024 * 1024 }

export function diskContext(paths: IndexPaths, machine: () => Machine | undefined): StoreContext {
  return {
    paths,
    random: () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex'),
    now: Date.now,
    hash: (bytes) => hashes().createHash('sha256').update(bytes).digest('hex'),
    machine,
    limits: LIMITS,
    cache: {}
  }
}

/** node:crypto takes 3 ms to load in a cold process, and most writes keep nothing aside. */
function hashes(): typeof nodeCrypto {
  return process.getBuiltinModule('node:crypto')
}

export function warning(code: Warning['code'], message: string): Warning {
  return { code, message }
}
