/**
 * Folders as one pass sees them: each is looked at once, however many sessions are asked about.
 *
 * A folder on a network drive that is gone can block for ever. It is waited for once a pass, longer on a busy machine,
 * and is unknown after that.
 */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { within } from './deadline.js'
import { busyness } from './patience.js'
import { codeOf, type Finding, isAbsence, missing, unknown } from './transcript-files.js'

/** A folder with more names than this is not gone through. */
const MAX_NAMES = 10_000
/** Of a quiet machine. */
const LIMIT_MS = 1000

export type FolderState = 'found' | 'missing' | 'unknown'

/** What is in a folder. A symbolic link may be either. */
export interface Listing {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

export class Folders {
  private readonly lists = new Map<string, Promise<Listing | Finding>>()
  private readonly spelled = new Map<string, Promise<readonly string[]>>()
  private readonly states = new Map<string, Promise<FolderState>>()

  /** The names in a folder; a finding where there is no such folder, or that cannot be told. */
  list(folder: string): Promise<Listing | Finding> {
    return remembered(this.lists, folder, listing, unknown(`${folder} did not answer in time`, folder))
  }

  /** The ways to write one folder: as the kernel does, and as it was given. */
  spellings(folder: string): Promise<readonly string[]> {
    return remembered(this.spelled, folder, spellings, [folder])
  }

  /** Whether a folder is there. */
  state(folder: string): Promise<FolderState> {
    return remembered(this.states, folder, state, 'unknown')
  }

  /** How many folders were listed so far. */
  get listed(): number {
    return this.lists.size
  }
}

async function listing(folder: string): Promise<Listing | Finding> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    if (entries.length > MAX_NAMES) return unknown(`${folder} holds more than ${MAX_NAMES} names`)
    return {
      files: entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
      folders: entries
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => join(folder, name))
    }
  } catch (error) {
    return isAbsence(error)
      ? missing(`no folder ${folder}`)
      : unknown(`reading ${folder} failed: ${codeOf(error)}`, folder)
  }
}

async function spellings(folder: string): Promise<readonly string[]> {
  try {
    return [...new Set([await realpath(folder), folder])]
  } catch {
    return [folder]
  }
}

async function state(path: string): Promise<FolderState> {
  try {
    return (await stat(path)).isDirectory() ? 'found' : 'missing'
  } catch (error) {
    return isAbsence(error) ? 'missing' : 'unknown'
  }
}

function remembered<T>(
  memory: Map<string, Promise<T>>,
  key: string,
  ask: (key: string) => Promise<T>,
  late: T
): Promise<T> {
  const asked = memory.get(key) ?? within(LIMIT_MS * busyness(), late, () => ask(key))
  memory.set(key, asked)
  return asked
}
