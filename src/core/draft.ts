/**
 * A working copy of an index, for a change to many entries at once.
 *
 * `putEntry` copies the whole map and `holdersOf` looks at all of it; once for each entry of a large index, that grows
 * with the square. A draft collects the changes, finds the entries of a session by a map that is made once, and makes
 * one index of it at the end. The index that it was made from never changes.
 */
import { entryAt, putEntries } from './entry.js'
import type { Entry, Index } from './schema.js'

export class Draft {
  readonly #from: Index
  readonly #made = new Map<string, Entry>()
  #surfaces: Map<string, Set<string>> | undefined

  constructor(from: Index) {
    this.#from = from
  }

  at(surfaceId: string): Entry | null {
    return this.#made.get(surfaceId) ?? entryAt(this.#from, surfaceId)
  }

  /** In place of what was there; checked when the index is made. */
  put(entry: Entry): void {
    const before = this.at(entry.surfaceId)
    if (this.#surfaces !== undefined) {
      if (before !== null) this.#surfaces.get(before.sessionId)?.delete(entry.surfaceId)
      addTo(this.#surfaces, entry)
    }
    this.#made.set(entry.surfaceId, entry)
  }

  /** Every entry of this session, ended ones too. */
  ofSession(sessionId: string): readonly Entry[] {
    this.#surfaces ??= this.#bySession()
    return [...(this.#surfaces.get(sessionId) ?? [])].flatMap((surfaceId) => this.at(surfaceId) ?? [])
  }

  /**
   * The index with the changes; the one that it was made from where there are none.
   * @throws ERR_INVALID_INPUT naming the field that a file must not hold
   */
  index(): Index {
    return this.#made.size === 0 ? this.#from : putEntries(this.#from, [...this.#made.values()])
  }

  #bySession(): Map<string, Set<string>> {
    const surfaces = new Map<string, Set<string>>()
    for (const entry of Object.values(this.#from.entries)) addTo(surfaces, this.at(entry.surfaceId) ?? entry)
    for (const entry of this.#made.values()) addTo(surfaces, entry)
    return surfaces
  }
}

function addTo(surfaces: Map<string, Set<string>>, { sessionId, surfaceId }: Entry): void {
  const known = surfaces.get(sessionId)
  if (known === undefined) surfaces.set(sessionId, new Set([surfaceId]))
  else known.add(surfaceId)
}
