/**
 * Folders as one pass sees them: it looks at each once, however many sessions it asks about.
 *
 * A folder on a lost network drive can block for ever. A pass waits for it once, longer on a busy machine. After that
 * the folder is unknown.
 */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { within } from './deadline.js'
import { busyness } from './patience.js'
import { codeOf, type Finding, isAbsence, missing, unknown } from './transcript-files.js'

/** A folder with more names than this is not searched. */
const MAX_NAMES = 10_000
/** On a quiet machine. */
const LIMIT_MS = 1000

export type FolderState = 'found' | 'missing' | 'unknown'

/** The names in a folder. A symbolic link may be in either list. */
export interface Listing {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

export class Folders {
  private readonly lists = new Map<string, Promise<Listing | Finding>>()
  private readonly spelled = new Map<string, Promise<readonly string[]>>()
  private readonly states = new Map<string, Promise<FolderState>>()

  /** The names in a folder; a finding if the folder is missing or unknown. */
  list(folder: string): Promise<Listing | Finding> {
    return remembered(this.lists, folder, listing, unknown(`${folder} did not answer in time`, folder))
  }

  /** The spellings of one folder: the kernel's, and the given one. */
  spellings(folder: string): Promise<readonly string[]> {
    return remembered(this.spelled, folder, spellings, [folder])
  }

  /** Whether a folder exists. */
  state(folder: string): Promise<FolderState> {
    return remembered(this.states, folder, state, 'unknown')
  }

  /** The number of folders listed so far. */
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
