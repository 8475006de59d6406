/**
 * Bytes that must not vanish: unreadable files, edits that were replaced, and the revision before a removal.
 *
 * A copy is written, synced and named (by time, reason and hash) before the change that replaces its bytes is
 * committed; where it cannot be kept, the change does not happen. Kept copies go after 30 days or beyond 16 MiB,
 * but at least the newest 10 stay.
 */

import type { StoreContext } from './context.js'
import { attempt, codeOf, list, mkdir, orAbsent, rename, type Steps, size, syncDir, unlink, writeNew } from './files.js'

const KEEP_AT_LEAST = 10
const KEEP_BYTES = 16 * 1024 * 1024
const KEEP_MS = 30 * 24 * 60 * 60 * 1000
/** An unnamed copy this old was left by a writer that was killed. */
const UNNAMED_MS = 24 * 60 * 60 * 1000

const KEPT = /^(\d{8}T\d{9}Z)-([a-z-]+)-([0-9a-f]{16})$/
const UNNAMED = /^t-(\d{8}T\d{9}Z)-[0-9a-f]{32}$/

export interface KeptName {
  readonly name: string
  /** When it was kept, by the keeper's clock. */
  readonly time: number
  readonly reason: string
}

/** The kept copies among the names, newest first. */
export function keptNames(names: readonly string[]): KeptName[] {
  return names
    .flatMap((name) => {
      const match = KEPT.exec(name)
      return match ? [{ name, time: parseStamp(match[1] as string), reason: match[2] as string }] : []
    })
    .sort((a, b) => (a.name < b.name ? 1 : -1))
}

/** Keeps these bytes; those that are kept for this reason already are not kept twice. */
export function* keepAside(ctx: StoreContext, bytes: Uint8Array, reason: string): Steps<void> {
  const folder = ctx.paths.kept
  const hash = ctx.hash(bytes).slice(0, 16)
  const names = yield* keptFolder(ctx)
  const kept = names.some((name) => name.endsWith(`-${reason}-${hash}`))
  if (!kept) {
    const stamp = formatStamp(ctx.now())
    const unnamed = `${folder}/t-${stamp}-${ctx.random()}`
    try {
      yield* writeNew(unnamed, bytes)
      yield* rename(unnamed, `${folder}/${stamp}-${reason}-${hash}`)
    } catch (error) {
      yield* attempt(unlink(unnamed))
      throw error
    }
  }
  // Also where it was there already: its keeper may have died before this.
  yield* syncDir(folder)
  if (!kept) yield* attempt(expire(ctx))
}

/** Moves a file out of the way as it is, for what is too large or too odd to be copied. */
export function* moveAside(ctx: StoreContext, path: string, reason: string): Steps<void> {
  yield* keptFolder(ctx)
  const name = `${formatStamp(ctx.now())}-${reason}-${ctx.random().slice(0, 16)}`
  yield* orAbsent(rename(path, `${ctx.paths.kept}/${name}`))
  yield* syncDir(ctx.paths.kept)
}

function* keptFolder(ctx: StoreContext): Steps<string[]> {
  let names = yield* orAbsent(list(ctx.paths.kept))
  if (names === null) {
    try {
      yield* mkdir(ctx.paths.kept)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    names = []
  }
  // Also where it was there already: its maker may have died before this.
  yield* syncDir(ctx.paths.folder)
  return names
}

function* expire(ctx: StoreContext): Steps<void> {
  const names = yield* list(ctx.paths.kept)
  for (const name of names) {
    const stamp = UNNAMED.exec(name)?.[1]
    if (stamp !== undefined && parseStamp(stamp) < ctx.now() - UNNAMED_MS)
      yield* orAbsent(unlink(`${ctx.paths.kept}/${name}`))
  }
  const kept = keptNames(names)
  if (kept.length <= KEEP_AT_LEAST) return
  let bytes = 0
  for (const [place, copy] of kept.entries()) {
    bytes += (yield* orAbsent(size(`${ctx.paths.kept}/${copy.name}`))) ?? 0
    const goes = copy.time < ctx.now() - KEEP_MS || bytes > KEEP_BYTES
    if (place >= KEEP_AT_LEAST && goes) yield* orAbsent(unlink(`${ctx.paths.kept}/${copy.name}`))
  }
}

/** 20261129T130500123Z: sorts by time, and is a file name everywhere. */
export function formatStamp(time: number): string {
  return new Date(time).toISOString().replace(/[-:.]/g, '')
}

export function parseStamp(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z'))
}
