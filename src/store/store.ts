/**
 * The store as callers see it: load, save, update, and an open store that commits in groups.
 *
 * `updateIndex` is the primitive; everything that writes is a change function handed to it. A change that is
 * returned from here is on stable storage. Errors carry `committed`; a warning in the result's `status` names what
 * was left undone after the commit.
 */
import { DEFAULT_LOCK_WAIT_MS } from '../core/defaults.js'
import { adoptForeign } from '../core/merge.js'
import type { Index, Machine } from '../core/schema.js'
import { diskContext, type StoreContext } from './context.js'
import { onDisk, onDiskNow } from './disk.js'
import { toStoreError } from './fail.js'
import { run, runSync } from './files.js'
import { defaultIndexPath, resolveIndexPath } from './paths.js'
import { readSnapshot } from './snapshot.js'
import { type Change, type UpdateSteps, update } from './update.js'

/** Why the revision before a change is kept. */
export type KeepReason = 'forget' | 'prune' | 'restore' | 'rename' | 'accept-loss'

/** How a store, or one update, waits and stops. */
export interface StoreOptions {
  /** How long to queue after a first conflict, in ms; then the update continues without the lock. @default 250 */
  readonly lockWaitMs?: number | undefined
  /** Aborted before the commit: its reason is thrown, and nothing is changed. */
  readonly signal?: AbortSignal | undefined
  /** Keep the revision that the change starts from. */
  readonly keep?: KeepReason | undefined
}

export interface UpdateOptions extends StoreOptions {
  /** What adopted entries of another tool count as seen on. Absent: nothing. */
  readonly machine?: () => Machine | undefined
}

/**
 * Changes the index at `path` and returns it as written.
 * @param change pure and synchronous; it runs again on a newer index where another writer was faster.
 * @throws ERR_INDEX_NEWER, ERR_INDEX_TOO_LARGE, ERR_NOT_A_FILE, ERR_LOCK_TIMEOUT (without hard links), ERR_IO; and
 *   whatever `change` throws, with nothing changed.
 */
export async function updateIndex(path: string, change: Change, options: UpdateOptions = {}): Promise<Index> {
  const ctx = diskContext(resolveIndexPath(path), options.machine ?? nowhere)
  return run(update(ctx, unlessAborted(change, options.signal), stepsOptions(options)), onDisk)
}

/**
 * The index at `path`, or an empty one where there is none. Takes no lock and writes nothing.
 * What could not be read is in `status` and `unreadable`; it is never passed off as absent.
 * @throws ERR_NOT_A_FILE, ERR_IO
 */
export function loadIndex(path: string = defaultIndexPath(), machine: () => Machine | undefined = nowhere): Index {
  return load(diskContext(resolveIndexPath(path), machine))
}

function load(ctx: StoreContext): Index {
  try {
    return runSync(readSnapshot(ctx), onDiskNow).index
  } catch (error) {
    throw toStoreError(error, ctx.paths.view)
  }
}

/**
 * Writes a whole index: onto what it was loaded from, or else merged in entry by entry, never over another's.
 * Afterwards the same index counts as loaded from what it wrote, so that it can be changed and saved again.
 * @throws ERR_CONFLICT where the file changed since the index was loaded; and as updateIndex
 */
export function saveIndex(path: string, index: Index, options: UpdateOptions = {}): void {
  const paths = resolveIndexPath(path)
  const ctx = diskContext(paths, options.machine ?? nowhere)
  const { origin } = index
  const onto = origin?.path === paths.view ? origin : undefined
  let whole = onto !== undefined
  const change: Change = (current) => {
    if (onto !== undefined) return { ...index, version: current.version }
    whole = Object.keys(current.entries).length === 0 && current.unreadable === undefined && !current.status?.damaged
    return adoptForeign(current, index, 'older-tool', ctx.machine(), ctx.now())
  }
  const saved = runSync(update(ctx, change, { ...stepsOptions(options), onto }), onDiskNow)
  // A frozen index stays as it is: saved once more, it is in conflict with this save.
  if (whole && saved.origin) Reflect.set(index, 'origin', saved.origin)
}

/** An index kept open by a long-lived program: updates that come together are committed together. */
export interface Store {
  /** The view's path, resolved. */
  readonly path: string
  load(): Promise<Index>
  /** As updateIndex; resolves once the change, and those committed with it, are on stable storage. */
  update(change: Change, options?: Pick<StoreOptions, 'keep' | 'signal'>): Promise<Index>
}

interface Member {
  readonly change: Change
  readonly keep: KeepReason | undefined
  readonly resolve: (index: Index) => void
  readonly reject: (error: unknown) => void
  failed?: { readonly error: unknown }
}

/** Opens the index at `path`; nothing is read or written before it is asked for. */
export function openStore(path: string = defaultIndexPath(), options: UpdateOptions = {}): Store {
  const ctx = diskContext(resolveIndexPath(path), options.machine ?? nowhere)
  let waiting: Member[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    // Callers of this turn of the event loop come along.
    await Promise.resolve()
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await commitGroup(group)
    }
    running = false
  }

  async function commitGroup(group: readonly Member[]): Promise<void> {
    const keep = group.find((member) => member.keep !== undefined)?.keep ?? options.keep
    try {
      const written = await run(update(ctx, applyAll(group), stepsOptions({ ...options, keep })), onDisk)
      for (const member of group) {
        if (member.failed) member.reject(member.failed.error)
        else member.resolve(written)
      }
    } catch (error) {
      for (const member of group) member.reject(member.failed ? member.failed.error : error)
    }
  }

  return {
    path: ctx.paths.view,
    load: async () => load(ctx),
    update: (change, { keep, signal } = {}) =>
      new Promise((resolve, reject) => {
        waiting.push({ change: unlessAborted(change, signal ?? options.signal), keep, resolve, reject })
        if (!running) void drain()
      })
  }
}

/** The members in order on one copy; one that throws leaves the copy as it was. */
function applyAll(group: readonly Member[]): Change {
  return (index) => {
    let current = index
    for (const member of group) {
      delete member.failed
      try {
        current = member.change(current)
      } catch (error) {
        member.failed = { error }
      }
    }
    return current
  }
}

/** The change runs right before its commit, and again where another writer was faster. */
function unlessAborted(change: Change, signal: AbortSignal | undefined): Change {
  if (signal === undefined) return change
  return (index) => {
    signal.throwIfAborted()
    return change(index)
  }
}

function stepsOptions(options: UpdateOptions): Pick<UpdateSteps, 'lockWaitMs' | 'keep' | 'answersLoss'> {
  return {
    lockWaitMs: options.lockWaitMs ?? DEFAULT_LOCK_WAIT_MS,
    keep: options.keep && `before-${options.keep}`,
    answersLoss: options.keep === 'restore' || options.keep === 'accept-loss'
  }
}

function nowhere(): undefined {
  return undefined
}
