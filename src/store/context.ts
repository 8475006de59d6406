/**
 * What the protocol needs besides file operations: names, numbers that no two writers share, a clock for names
 * and texts (never for safety), and the limits. `diskContext` is the real one; a test makes its own.
 */
import type * as nodeCrypto from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { given } from '../core/given.js'
import type { Index, Machine, Warning } from '../core/schema.js'
import type { IndexPaths } from './paths.js'

export interface StoreContext {
  readonly paths: IndexPaths
  /** 32 random hexadecimal digits. */
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
    random: () => randomBits().toString('hex'),
    now: Date.now,
    hash: (bytes) => hashes().createHash('sha256').update(bytes).digest('hex'),
    machine,
    limits: LIMITS,
    cache: {}
  }
}

/** 128 bits from the kernel; where there is no such device, from Node, whose crypto modules take 3 to 6 ms to load. */
function randomBits(): Buffer {
  const bits = Buffer.alloc(16)
  try {
    const device = openSync('/dev/urandom', 'r')
    try {
      if (readSync(device, bits, 0, bits.length, null) === bits.length) return bits
    } finally {
      closeSync(device)
    }
  } catch {
    // No such device here.
  }
  return hashes().randomBytes(16)
}

/** node:crypto takes 3 ms to load in a cold process, and most writes keep nothing aside. */
function hashes(): typeof nodeCrypto {
  return process.getBuiltinModule('node:crypto')
}

export function warning(code: Warning['code'], message: string, next?: string): Warning {
  return { code, message, ...given({ next }) }
}
