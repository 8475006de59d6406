/** What the fixture program `full-disk` reports. */
import type { Failure } from './jobs.js'

export interface Level {
  /** Pages, or names, that were free before the record. */
  readonly left: number
  /** The record got through, with these warnings. */
  readonly warnings?: readonly string[]
  readonly error?: Failure
  /** Every file that was there is byte for byte as it was. */
  readonly untouched: boolean
  /** The files that are new. */
  readonly added: readonly string[]
  /** The surfaces that were read right after it, on the full disk. */
  readonly readable: readonly string[]
  /** The next record, after room was made. */
  readonly withRoom: {
    readonly surfaces: readonly string[]
    readonly warnings: readonly string[]
    readonly names: readonly string[]
  }
}

export interface FullDisk {
  readonly levels: readonly Level[]
}
