/**
 * What the store has promised so far, and whether a read keeps it.
 *
 * Every change has a tag. It writes the tag into its writer's own entry, counts there, and writes the tag and its role
 * into an entry that all share: so a change that is lost, applied twice, torn in half, or undone by an older one shows
 * in what a read returns. Acknowledged are the changes whose update returned, and all else in what it returned, since
 * success says that what was read is durable.
 */
import type { Entry, Index } from '../../src/core/schema.js'

/** A promise that was not kept, with the steps that led there. */
export class Violation extends Error {
  readonly schedule: string

  constructor(message: string, schedule = '') {
    super(schedule === '' ? message : `${message}\n${schedule}`)
    this.schedule = schedule
  }
}

/** What had been promised at some moment: how many of each list, and the revision. */
export interface Since {
  readonly acknowledged: number
  readonly superseded: number
  readonly gone: number
  readonly entries: readonly string[]
  readonly revision: number
  /** How often all was deleted before. */
  readonly restarts: number
}

export const SHARED = 'shared'

export class Promises {
  /** In the order of their acknowledgement. */
  readonly #acknowledged: string[] = []
  readonly #superseded: string[] = []
  readonly #gone: string[] = []
  readonly #refused = new Set<string>()
  readonly #removing = new Set<string>()
  readonly #entries = new Set<string>()
  #revision = 0
  #restarts = 0
  #released = false
  /** True once a change was acknowledged. */
  changed = false
  /** What was there at the beginning is damaged beyond reading: an empty answer must say so. */
  damaged = false

  /** These entries are there from now on. */
  expect(...surfaceIds: readonly string[]): void {
    for (const surfaceId of surfaceIds) if (!this.#removing.has(surfaceId)) this.#entries.add(surfaceId)
  }

  /** The shared entry must not have this role again. */
  supersede(role: string): void {
    this.#superseded.push(role)
  }

  /** From now on this entry may be gone. */
  removing(surfaceId: string): void {
    this.#removing.add(surfaceId)
    this.#entries.delete(surfaceId)
  }

  removed(surfaceId: string): void {
    this.#gone.push(surfaceId)
  }

  /** An update returned this. */
  acknowledge(index: Index): void {
    for (const tag of tagsOf(index)) if (!this.#acknowledged.includes(tag)) this.#acknowledged.push(tag)
    this.expect(...Object.keys(index.entries))
    this.#revision = Math.max(this.#revision, index.revision ?? 0)
  }

  /** All was deleted by hand: what was promised before is void. */
  restart(): void {
    this.#restarts += 1
    this.#acknowledged.length = 0
    this.#superseded.length = 0
    this.#gone.length = 0
    this.#entries.clear()
    this.#revision = 0
  }

  /** The truth was damaged by hand: from now on nothing is promised but that the store goes on. */
  release(): void {
    this.#released = true
  }

  /** An update failed and said that it changed nothing. */
  refuse(tag: string): void {
    this.#refused.add(tag)
  }

  since(): Since {
    return {
      acknowledged: this.#acknowledged.length,
      superseded: this.#superseded.length,
      gone: this.#gone.length,
      entries: [...this.#entries],
      revision: this.#revision,
      restarts: this.#restarts
    }
  }

  /** @throws Violation where what was promised at `since` must not be read as this */
  check(index: Index, since: Since, who: string): void {
    if (this.#released || since.restarts !== this.#restarts) return
    const wrong = (what: string): Violation => new Violation(`${who} reads ${what}`)
    const surfaceIds = Object.keys(index.entries)
    if (index.status?.damaged && !this.damaged) throw wrong('a damaged index')
    if (surfaceIds.length === 0 && this.damaged && !index.status?.damaged) throw wrong('nothing, and is not told why')
    if (index.unreadable !== undefined) throw wrong(`unreadable entries: ${JSON.stringify(index.unreadable)}`)
    for (const surfaceId of since.entries) {
      const missing = !surfaceIds.includes(surfaceId) && !this.#removing.has(surfaceId)
      if (missing) throw wrong(`no entry ${surfaceId}`)
    }
    for (const surfaceId of this.#gone.slice(0, since.gone)) {
      if (surfaceIds.includes(surfaceId)) throw wrong(`the entry ${surfaceId}, whose removal was acknowledged`)
    }
    const shared = index.entries[SHARED]
    const tags = tagsOf(index)
    for (const tag of this.#acknowledged.slice(0, since.acknowledged)) {
      if (!tags.includes(tag)) throw wrong(`nothing of ${tag}, which was acknowledged`)
    }
    for (const tag of tags) {
      if (this.#refused.has(tag)) throw wrong(`${tag}, which had failed`)
      if (shared?.meta?.[tag] === undefined) throw wrong(`half of ${tag}`)
      if (shared.meta[tag] !== '1') throw wrong(`${tag} applied ${shared.meta[tag]} times`)
    }
    for (const tag of Object.keys(shared?.meta ?? {})) if (!tags.includes(tag)) throw wrong(`half of ${tag}`)
    for (const [surfaceId, entry] of Object.entries(index.entries)) checkOwn(surfaceId, entry, wrong)
    const role = shared?.role ?? null
    if (role !== null && this.#superseded.slice(0, since.superseded).includes(role)) {
      throw wrong(`${role} again, which an acknowledged change had replaced`)
    }
    if ((index.revision ?? 0) < since.revision) {
      throw wrong(`revision ${index.revision}, after ${since.revision} was acknowledged`)
    }
  }
}

function checkOwn(surfaceId: string, entry: Entry, wrong: (what: string) => Violation): void {
  if (surfaceId === SHARED || entry.meta === undefined) return
  const counts = Object.values(entry.meta)
  if (counts.some((count) => count !== '1')) throw wrong(`a change applied twice: ${JSON.stringify(entry.meta)}`)
  if (entry.attempts !== counts.length) throw wrong(`${entry.attempts} changes of ${surfaceId} in ${counts.length}`)
  const last = Object.keys(entry.meta).at(-1)
  if (entry.sessionId !== `s-${last}`) throw wrong(`${entry.sessionId} on ${surfaceId}, whose last change was ${last}`)
}

/** The tags that are in their writers' own entries. */
function tagsOf(index: Index): string[] {
  return Object.values(index.entries).flatMap((entry) =>
    entry.surfaceId === SHARED ? [] : Object.keys(entry.meta ?? {})
  )
}
