/**
 * The one way to change an index: read, apply, commit onto what was read; where another was faster, again.
 *
 * What someone else wrote into the view is committed on its own first, so that a change always starts from a
 * revision. What is unreadable, foreign or about to be removed is kept aside before the commit. An error before
 * the commit changed nothing; after it only the view's publication and the cleaning up remain, and what fails
 * there is a warning. After the first conflict the writer queues for the lock, and after a while continues without it.
 */
import { sameContent, serializeIndex } from '../core/codec.js'
import { CrashResumeError } from '../core/errors.js'
import { inlineCommand } from '../core/own-command.js'
import { INCOMPLETE_FIELD, type Index, type Origin, type Warning } from '../core/schema.js'
import { type StoreContext, warning } from './context.js'
import { toStoreError } from './fail.js'
import { attempt, type LockAnswer, orAbsent, type Steps, syncDir, unlink } from './files.js'
import { keepAside, moveAside } from './kept.js'
import { prune } from './prune.js'
import {
  commitFirst,
  commitNext,
  isRevision,
  NoHardLinks,
  refuseTooLarge,
  sameBytes,
  sweepAbandoned
} from './revisions.js'
import { changesNewest, isMarkedIncomplete, readSnapshot, type Snapshot, type ToKeep, type View } from './snapshot.js'
import { publish } from './view.js'

/** A change: pure and synchronous; it may run again on a newer index. Returning its argument changes nothing. */
export type Change = (index: Index) => Index

export interface UpdateSteps {
  /** How long a writer that met a conflict waits for its turn, in ms. */
  readonly lockWaitMs: number
  /** Keep the revision that this change starts from, for this reason. */
  readonly keep?: string | undefined
  /** A person's answer to a loss: it is not remembered any more. */
  readonly answersLoss?: boolean | undefined
  /** Commit only onto what this was loaded from; else ERR_CONFLICT. */
  readonly onto?: Origin | undefined
}

/** Conflicts are others' progress; this many in a row is a fault of the file system. */
const CONFLICT_LIMIT = 10_000
/** A history with no more revisions may have abandoned first writes beside it. */
const YOUNG = 4

export function* update(ctx: StoreContext, change: Change, options: UpdateSteps): Steps<Index> {
  const state = new Writer(ctx, options)
  try {
    for (;;) {
      const snapshot = yield* readSnapshot(ctx)
      state.check(snapshot)
      if (snapshot.foreign && !state.merged(snapshot)) {
        yield* state.adopt(snapshot)
        continue
      }
      const next = change(snapshot.index)
      if (sameContent(next, snapshot.index)) {
        yield* confirm(ctx, snapshot)
        return state.result(snapshot.index, snapshot)
      }
      const dropsUnreadable = Object.keys(snapshot.index.unreadable ?? {}).some(
        (surfaceId) => !Object.hasOwn(next.unreadable ?? {}, surfaceId)
      )
      const before = options.keep ?? (dropsUnreadable ? 'unreadable-entry' : undefined)
      yield* keepAll(ctx, snapshot.keep)
      if (before !== undefined && snapshot.newest?.bytes) yield* keepAside(ctx, snapshot.newest.bytes, before)
      else if (before !== undefined && snapshot.view?.bytes) yield* keepAside(ctx, snapshot.view.bytes, before)
      const committed = yield* state.commit(snapshot, next)
      if (committed !== null) return state.result(committed, snapshot)
    }
  } catch (error) {
    throw toStoreError(error, ctx.paths.view)
  } finally {
    yield* state.release()
  }
}

/** One update's memory across its rounds. */
class Writer {
  readonly #ctx: StoreContext
  readonly #options: UpdateSteps
  readonly #warnings: Warning[] = []
  #onto: string | undefined
  #conflicts = 0
  #locked = false
  #byRename = false
  /** A view whose entries are merged already, and that cannot be replaced. */
  #stuck: View | null = null

  constructor(ctx: StoreContext, options: UpdateSteps) {
    this.#ctx = ctx
    this.#options = options
    this.#onto = options.onto?.token
  }

  check(snapshot: Snapshot): void {
    const { view } = this.#ctx.paths
    if (snapshot.newer !== null) {
      const what = `${view} has version ${snapshot.newer}, which this library cannot write`
      throw new CrashResumeError('ERR_INDEX_NEWER', what, { next: 'upgrade crash-resume-index', path: view })
    }
    if (this.#onto !== undefined && this.#onto !== snapshot.index.origin?.token) {
      throw new CrashResumeError('ERR_CONFLICT', `${view} changed since it was loaded`, {
        next: 'load it and apply the change again',
        path: view,
        found: snapshot.index.revision ?? null
      })
    }
  }

  merged(snapshot: Snapshot): boolean {
    return (
      this.#stuck !== null && sameBytes(this.#stuck.bytes, snapshot.view?.bytes ?? null) && !changesNewest(snapshot)
    )
  }

  /** Commits what someone else wrote, on its own; where that changes nothing, only replaces their file. */
  *adopt(snapshot: Snapshot): Steps<void> {
    const ctx = this.#ctx
    yield* keepAll(ctx, snapshot.keep)
    if (changesNewest(snapshot)) {
      const committed = yield* this.commit(snapshot, snapshot.index)
      if (committed !== null && this.#onto !== undefined) this.#onto = `${committed.revision}`
      return
    }
    // Published means acknowledged, and the writer that linked the newest revision may have died before these.
    yield* syncDir(ctx.paths.history)
    yield* syncDir(ctx.paths.folder)
    const { newest } = snapshot
    if (newest?.bytes) yield* this.#publish(newest.number, newest.bytes, snapshot)
    if (this.#onto !== undefined) this.#onto = `${snapshot.max}`
  }

  /** @returns the index as committed, or null after a conflict. */
  *commit(snapshot: Snapshot, next: Index): Steps<Index | null> {
    const ctx = this.#ctx
    const number = snapshot.max === 0 ? (snapshot.view?.index?.revision ?? 0) + 1 : snapshot.max + 1
    const index = { ...this.#marked(snapshot, next), revision: number }
    const bytes = new TextEncoder().encode(serializeIndex(index))
    refuseTooLarge(ctx, bytes)
    let staged: string | null = null
    if (snapshot.base === null) {
      if (!(yield* commitFirst(ctx, number, bytes, snapshot.historyThere))) return yield* this.#conflict()
    } else {
      try {
        staged = yield* commitNext(ctx, snapshot.base, bytes, {
          // Without this a power cut may bring back a view that was merged before, with the entry in it.
          syncParent: !snapshot.shown || removes(snapshot.index, next),
          byRename: this.#byRename
        })
      } catch (error) {
        if (!(error instanceof NoHardLinks)) throw error
        return yield* this.#withoutLinks()
      }
      if (staged === null) return yield* this.#conflict()
    }
    yield* this.#publish(number, bytes, snapshot)
    if (staged !== null) yield* orWarn(orAbsent(unlink(staged)), this.#warnings, 'a staged file')
    yield* orWarn(cleanUp(ctx), this.#warnings, 'old revisions')
    return index
  }

  /** A loss is remembered: the next reader must not take for unknown what was known before. */
  #marked(snapshot: Snapshot, next: Index): Index {
    if (!snapshot.lost || this.#options.answersLoss) return next
    return { ...next, extra: { [INCOMPLETE_FIELD]: this.#ctx.now(), ...next.extra } }
  }

  *#publish(number: number, bytes: Uint8Array, snapshot: Snapshot): Steps<void> {
    const steps = (): Steps<void> => publish(this.#ctx, number, bytes, snapshot.view)
    const failed = (yield* attempt(steps())) && (yield* attempt(steps()))
    if (!failed) return
    this.#stuck = snapshot.view
    const cause = failed instanceof Error ? failed.message : String(failed)
    const message = `the change is committed, but ${this.#ctx.paths.view} could not be replaced (${cause})`
    this.#warnings.push(warning('view_not_published', message, 'check that file and its folder'))
  }

  *#conflict(): Steps<null> {
    this.#conflicts += 1
    if (this.#conflicts > CONFLICT_LIMIT) {
      const { history } = this.#ctx.paths
      const what = `${history} took no change in ${CONFLICT_LIMIT} tries`
      throw new CrashResumeError('ERR_IO', what, { next: 'check its file system', path: history })
    }
    if (this.#conflicts === 1) yield* this.#lock(false)
    return null
  }

  *#withoutLinks(): Steps<null> {
    const { lock, view } = this.#ctx.paths
    this.#byRename = true
    this.#warnings.push(
      warning('no_hard_links', `the file system of ${view} has no hard links: only the lock keeps two writers apart`)
    )
    if (!this.#locked) yield* this.#lock(true)
    if (this.#locked) return null
    const what = `${lock} could not be taken within ${this.#options.lockWaitMs} ms, and without hard links it must be`
    throw new CrashResumeError('ERR_LOCK_TIMEOUT', what, {
      next: (path) => `try again, and run ${inlineCommand({ name: 'doctor' }, path)} if that does not help`,
      path: lock
    })
  }

  *#lock(must: boolean): Steps<void> {
    const { lock } = this.#ctx.paths
    const answer = (yield { op: 'lock', path: lock, waitMs: this.#options.lockWaitMs, must }) as LockAnswer
    this.#locked = answer === true
    if (typeof answer === 'object') this.#warnings.push(warning('lock_odd', answer.what, answer.next))
  }

  *release(): Steps<void> {
    if (this.#locked) yield { op: 'unlock', path: this.#ctx.paths.lock }
  }

  result(index: Index, snapshot: Snapshot): Index {
    const { status: _, ...rest } = index
    const gone = new Set<string>(['view_foreign', 'view_unreadable', 'index_damaged'])
    const still = index === snapshot.index ? [] : (snapshot.index.status?.warnings ?? [])
    const warnings = [
      ...(index === snapshot.index ? (index.status?.warnings ?? []) : still.filter(({ code }) => !gone.has(code))),
      ...this.#warnings
    ]
    const damaged = index === snapshot.index && (index.status?.damaged ?? false)
    const incomplete = isMarkedIncomplete(index) || (index === snapshot.index && index.status?.incomplete)
    const known = { damaged, ...(incomplete ? { incomplete: true as const } : {}), warnings }
    const token = index === snapshot.index ? snapshot.index.origin?.token : `${index.revision}`
    const origin = { path: this.#ctx.paths.view, token: token ?? '' }
    return { ...rest, ...(incomplete || damaged || warnings.length > 0 ? { status: known } : {}), origin }
  }
}

/** Nothing changed, but success says that what was read is durable: its writer may not have got that far. */
function* confirm(ctx: StoreContext, snapshot: Snapshot): Steps<void> {
  // Published means acknowledged: no writer publishes a revision before its folder is synced.
  if (snapshot.shown) return
  if (snapshot.max > 0) yield* syncDir(ctx.paths.history)
  if (snapshot.max > 0 || snapshot.view !== null) yield* syncDir(ctx.paths.folder)
}

function removes(before: Index, after: Index): boolean {
  return [before.entries, before.unreadable ?? {}].some((entries) =>
    Object.keys(entries).some((id) => !Object.hasOwn(after.entries, id) && !Object.hasOwn(after.unreadable ?? {}, id))
  )
}

function* keepAll(ctx: StoreContext, candidates: readonly ToKeep[]): Steps<void> {
  for (const { bytes, reason, unlessRevision } of candidates) {
    if (bytes === null) yield* moveAside(ctx, ctx.paths.view, reason)
    else if (unlessRevision === undefined || !(yield* isRevision(ctx, unlessRevision, bytes))) {
      yield* keepAside(ctx, bytes, reason)
    }
  }
}

function* cleanUp(ctx: StoreContext): Steps<void> {
  const revisions = yield* prune(ctx)
  if (revisions <= YOUNG) yield* sweepAbandoned(ctx)
}

function* orWarn(steps: Steps<unknown>, warnings: Warning[], what: string): Steps<void> {
  const error = yield* attempt(steps)
  if (error === null) return
  const cause = error instanceof Error ? error.message : String(error)
  warnings.push(warning('cleanup_failed', `the change is committed, but ${what} could not be removed (${cause})`))
}
