/**
 * Reading: what the index is right now, without a lock and without writing anything.
 *
 * First the view, then one listing of the history: a view that is published before the listing can never be newer
 * than it. The newest readable revision is the truth. A view that shows it byte for byte is the everyday case; a
 * view with a lower number is behind; anything else was written by someone else (a person, an older tool) and is
 * merged onto the truth for this reader, and committed on its own by the next writer.
 */
import { sameContent } from '../core/codec.js'
import { CrashResumeError } from '../core/errors.js'
import { adoptForeign } from '../core/merge.js'
import { INCOMPLETE_FIELD, INDEX_VERSION, type Index, type Warning } from '../core/schema.js'
import { emptyIndex } from '../core/verbs.js'
import { type StoreContext, warning } from './context.js'
import { codeOf, list, orAbsent, read, type Steps } from './files.js'
import { decode, type Revision, readRevision, revisionNumbers, sameBytes } from './revisions.js'

/** A view as it was read. `bytes` is null where it is too large; `index` where it holds no index. */
export interface View {
  readonly bytes: Uint8Array | null
  readonly index: Index | null
}

/** Bytes to keep aside before the next change: the view's own, or a revision's. */
export interface ToKeep {
  /** Null: the view, too large to be copied; it is moved. */
  readonly bytes: Uint8Array | null
  readonly reason: string
  /** Nothing to keep where the bytes are those of this revision. */
  readonly unlessRevision?: number
}

export interface Snapshot {
  /** What a reader gets. */
  readonly index: Index
  /** The highest revision number listed, readable or not; 0: none. */
  readonly max: number
  /** True where a history folder is there, with or without revisions. */
  readonly historyThere: boolean
  readonly view: View | null
  /** The newest readable revision. */
  readonly newest: Revision | null
  /** The revision `max`, readable or not; null: none. */
  readonly base: Revision | null
  /** The view showed the newest readable revision byte for byte. */
  readonly shown: boolean
  /** `index` holds what someone else wrote: it is committed on its own before any change. */
  readonly foreign: boolean
  readonly keep: readonly ToKeep[]
  /** The version that is too new to be written, or null. */
  readonly newer: number | null
  /** Entries that were known may be missing from `index`. */
  readonly lost: boolean
}

/** Reading again is another's progress; this many in a row is a fault. */
const ROUNDS = 1000

export function* readSnapshot(ctx: StoreContext): Steps<Snapshot> {
  for (let round = 0; round < ROUNDS; round++) {
    const snapshot = yield* readOnce(ctx)
    if (snapshot !== null) return snapshot
  }
  const what = `${ctx.paths.view} changed during each of ${ROUNDS} reads`
  throw new CrashResumeError('ERR_IO', what, { next: 'see what rewrites it, and try again', path: ctx.paths.view })
}

export function* readView(ctx: StoreContext): Steps<View | null> {
  try {
    const bytes = yield* orAbsent(read(ctx.paths.view, ctx.limits.indexBytes))
    return bytes && { bytes, index: null }
  } catch (error) {
    if (codeOf(error) === 'EFBIG') return { bytes: null, index: null }
    throw error
  }
}

/** Null: something changed under the read; start again. */
function* readOnce(ctx: StoreContext): Steps<Snapshot | null> {
  const raw = yield* readView(ctx)
  const names = yield* orAbsent(list(ctx.paths.history))
  const numbers = revisionNumbers(names ?? [])
  const max = numbers[0] ?? 0
  const cached = ctx.cache.last
  if (cached && cached.number === max && sameBytes(raw?.bytes ?? null, cached.bytes)) {
    const base = { max, historyThere: true, newest: cached, unreadable: [] }
    return finish(ctx, { ...base, view: cached, served: 'newest', shown: true })
  }
  const unreadable: Revision[] = []
  let newest: Revision | null = null
  for (const number of numbers) {
    const revision = yield* readRevision(ctx, number)
    if (revision === null) return null
    if (revision.index !== null) {
      newest = revision
      break
    }
    unreadable.push(revision)
  }
  const base = { max, historyThere: names !== null, newest, unreadable }
  if (newest !== null && sameBytes(raw?.bytes ?? null, newest.bytes)) {
    return finish(ctx, { ...base, view: { bytes: newest.bytes, index: newest.index }, served: 'newest', shown: true })
  }
  const view = raw && { ...raw, index: raw.bytes && decode(raw.bytes) }
  const number = view?.index?.revision
  if (view === null) return finish(ctx, { ...base, view, served: newest ? 'newest' : 'nothing' })
  if (max > 0 && unreadable[0]?.number === max && number === max) {
    return finish(ctx, { ...base, view, served: 'view', foreign: true })
  }
  if (newest === null && max === 0 && number !== undefined) return finish(ctx, { ...base, view, served: 'view' })
  if (newest !== null && number !== undefined && number < newest.number) {
    return finish(ctx, { ...base, view, served: 'newest' })
  }
  const again = yield* readView(ctx)
  if (!sameBytes(again?.bytes ?? null, raw?.bytes ?? null)) return null
  return finish(ctx, { ...base, view, served: 'merge', foreign: true })
}

interface Found {
  readonly max: number
  readonly historyThere: boolean
  readonly newest: Revision | null
  readonly unreadable: readonly Revision[]
  readonly view: View | null
  readonly served: 'newest' | 'view' | 'merge' | 'nothing'
  readonly shown?: boolean
  readonly foreign?: boolean
}

function finish(ctx: StoreContext, found: Found): Snapshot {
  const { newest, view, max } = found
  if (newest !== null && newest.index !== null && newest.bytes !== null) {
    ctx.cache.last = { number: newest.number, bytes: newest.bytes, index: newest.index }
  }
  const ours = newest?.index ?? emptyIndex()
  const theirs = view?.index ?? null
  const merged = found.served === 'merge' && theirs !== null ? merge(ctx, ours, theirs, newest) : null
  const content = found.served === 'view' && theirs !== null ? theirs : (merged ?? ours)
  const damaged = theirs === null && newest === null && (view !== null || max > 0)
  const versions = [newest?.index?.version, theirs?.version].filter((version) => version !== undefined)
  const newer = Math.max(INDEX_VERSION, ...versions)
  // Revisions above the one that is served are lost, and with them what only they held.
  const lost = damaged || (found.unreadable.length > 0 && found.served !== 'view')
  const incomplete = lost || isMarkedIncomplete(content)
  const warnings = warningsOf(ctx, found, content, damaged, newer)
  const known = { damaged, ...(incomplete ? { incomplete } : {}), warnings }
  const status = incomplete || warnings.length > 0 ? { status: known } : {}
  const token = found.foreign || max === 0 ? `${max} ${ctx.hash(view?.bytes ?? new Uint8Array())}` : `${max}`
  const { status: _, ...rest } = content
  return {
    index: { ...rest, ...status, version: newer, origin: { path: ctx.paths.view, token } },
    max,
    historyThere: found.historyThere,
    view,
    newest,
    base: found.unreadable[0]?.number === max ? found.unreadable[0] : newest,
    shown: found.shown ?? false,
    foreign: (found.foreign ?? false) && (theirs !== null || newest !== null),
    keep: keepOf(found),
    newer: newer > INDEX_VERSION ? newer : null,
    lost
  }
}

/** A writer that had to continue without all that was known leaves this mark in the index, until a person answers it. */
export function isMarkedIncomplete(index: Index): boolean {
  return index.extra !== undefined && Object.hasOwn(index.extra, INCOMPLETE_FIELD)
}

function merge(ctx: StoreContext, ours: Index, theirs: Index, newest: Revision | null): Index {
  const kind = newest !== null && theirs.revision === newest.number ? 'edit' : 'older-tool'
  return adoptForeign(ours, theirs, kind, ctx.machine(), ctx.now())
}

function keepOf(found: Found): ToKeep[] {
  const keep: ToKeep[] = []
  for (const revision of found.unreadable) {
    if (revision.bytes !== null) keep.push({ bytes: revision.bytes, reason: 'unreadable-revision' })
  }
  const { view, newest } = found
  if (view === null || found.shown || (found.served === 'view' && view.index !== null)) return keep
  if (view.index === null) keep.push({ bytes: view.bytes, reason: 'unreadable-view' })
  else if (found.served === 'newest') {
    keep.push({ bytes: view.bytes, reason: 'stale-view', unlessRevision: view.index.revision ?? 0 })
  } else if (found.foreign && newest !== null) keep.push({ bytes: view.bytes, reason: 'foreign-view' })
  else if (found.foreign) keep.push({ bytes: view.bytes, reason: 'first-view' })
  return keep
}

function warningsOf(ctx: StoreContext, found: Found, content: Index, damaged: boolean, newer: number): Warning[] {
  const warnings: Warning[] = []
  const warn = (...told: Parameters<typeof warning>): void => void warnings.push(warning(...told))
  const { view, history } = ctx.paths
  if (!damaged && isMarkedIncomplete(content)) {
    warn(
      'index_incomplete',
      `${view} may lack entries: an earlier state was lost, and its bytes are kept`,
      'restore it, or accept the loss'
    )
  }
  if (damaged) warn('index_damaged', `${view} cannot be read as an index; the next write keeps its bytes`)
  if (newer > INDEX_VERSION) {
    warn('index_newer', `${view} has version ${newer}, this library writes ${INDEX_VERSION}`, 'upgrade before writing')
  }
  for (const revision of found.unreadable) {
    warn('revision_unreadable', `${history}/${revision.number} cannot be read; an older revision is served`)
  }
  if (found.view !== null && found.view.index === null && !damaged) {
    warn('view_unreadable', `${view} cannot be read; revision ${found.newest?.number} is served`)
  }
  if (found.served === 'merge' && found.newest !== null && found.view?.index) {
    warn('view_foreign', `${view} was written by someone else; its entries are merged in at the next write`)
  }
  for (const [surfaceId, entry] of Object.entries(content.unreadable ?? {})) {
    warn('entry_unreadable', `the entry of surface ${JSON.stringify(surfaceId)} cannot be read: ${entry.reason}`)
  }
  return warnings
}

/** Whether what someone else wrote changes the newest revision, or only replaces its file. */
export function changesNewest(snapshot: Snapshot): boolean {
  return snapshot.newest?.index == null || !sameContent(snapshot.index, snapshot.newest.index)
}
