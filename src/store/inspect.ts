/**
 * What a person should know about an index's place on this machine, each finding with what to do. Never throws, and
 * leaves nothing behind.
 */
import { linkSync, lstatSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import type { Index } from '../core/schema.js'
import { historyOf } from './history.js'
import { oddity } from './lock.js'
import { type IndexPaths, resolveIndexPath } from './paths.js'
import { loadIndex } from './store.js'

export interface Finding {
  readonly check:
    | 'path'
    | 'index'
    | 'entries'
    | 'permissions'
    | 'folder'
    | 'hard_links'
    | 'view'
    | 'kept'
    | 'lock'
    | 'version'
  readonly state: 'ok' | 'note' | 'problem'
  readonly detail: string
  /** What to do; absent where nothing is to be done. */
  readonly advice?: string
}

/** tmpfs, ramfs: gone after a reboot. Their numbers are in linux/magic.h. */
const VOLATILE_TYPES = new Set([0x01021994, 0x858458f6])
const VOLATILE_FOLDERS = ['/tmp/', '/var/tmp/', '/dev/shm/', '/run/', '/private/tmp/', '/private/var/folders/']
const OTHERS = 0o077

export function inspectIndex(path: string): readonly Finding[] {
  let paths: IndexPaths
  try {
    paths = resolveIndexPath(path)
  } catch (error) {
    return [problem('path', messageOf(error), 'mend the path, or give another one with --path')]
  }
  const here: Finding = { check: 'path', state: 'ok', detail: paths.view }
  return [here, ...contentOf(paths), ...placeOf(paths), ...keptOf(paths), lockOf(paths)]
}

function contentOf(paths: IndexPaths): Finding[] {
  let index: Index
  try {
    index = loadIndex(paths.view)
  } catch (error) {
    return [problem('index', messageOf(error), 'see what stands in its place')]
  }
  const warned = new Map((index.status?.warnings ?? []).map(({ code, message }) => [code, message]))
  const count = Object.keys(index.entries).length
  const findings: Finding[] = []
  if (index.status?.damaged) {
    findings.push(
      problem('index', warned.get('index_damaged') ?? 'cannot be read', 'restore a kept copy (see history)')
    )
  } else {
    const revision = index.revision === undefined ? 'no revision yet' : `revision ${index.revision}`
    findings.push({ check: 'index', state: 'ok', detail: `${count} ${count === 1 ? 'entry' : 'entries'}, ${revision}` })
  }
  for (const [surfaceId, { reason }] of Object.entries(index.unreadable ?? {})) {
    const detail = `the entry of ${JSON.stringify(surfaceId)} cannot be read: ${reason}`
    findings.push(problem('entries', detail, 'mend it in the file, or record the surface again (its bytes are kept)'))
  }
  const newer = warned.get('index_newer')
  if (newer !== undefined) findings.push(problem('version', newer, 'upgrade crash-resume-index'))
  const unread = warned.get('revision_unreadable')
  if (unread !== undefined) findings.push(problem('index', unread, 'the next write keeps its bytes; check the disk'))
  const foreign = warned.get('view_unreadable') ?? warned.get('view_foreign')
  findings.push(
    foreign === undefined
      ? { check: 'view', state: 'ok', detail: 'the file shows the newest revision, or is behind a writer' }
      : {
          check: 'view',
          state: 'note',
          detail: foreign,
          advice: 'nothing is lost: the next write takes it in or keeps it'
        }
  )
  return findings
}

function placeOf(paths: IndexPaths): Finding[] {
  const findings: Finding[] = []
  for (const place of [paths.folder, paths.view, paths.history, paths.kept]) {
    const mode = modeOf(place)
    if (mode === null || (mode & OTHERS) === 0) continue
    // A folder that others may enter is common; a file that they may read is not.
    const state = place === paths.folder ? 'note' : 'problem'
    const detail = `${place} has mode ${mode.toString(8).padStart(3, '0')}: others can see which sessions there are`
    findings.push({ check: 'permissions', state, detail, advice: `chmod go-rwx ${place}` })
  }
  if (findings.length === 0) findings.push({ check: 'permissions', state: 'ok', detail: 'for this user only' })
  findings.push(volatileness(paths.folder), hardLinks(paths.folder))
  return findings
}

function volatileness(folder: string): Finding {
  const advice = 'keep the index where a reboot leaves it, under the home folder for example'
  try {
    if (VOLATILE_TYPES.has(statfsSync(folder).type)) return problem('folder', `${folder} is in memory only`, advice)
  } catch {
    return { check: 'folder', state: 'note', detail: `${folder} is not there yet; it is made at the first write` }
  }
  if (VOLATILE_FOLDERS.some((prefix) => `${folder}/`.startsWith(prefix))) {
    return problem('folder', `${folder} is emptied by reboots or by clean-ups`, advice)
  }
  return { check: 'folder', state: 'ok', detail: `${folder} outlives a reboot` }
}

function hardLinks(folder: string): Finding {
  let probe: string | null = null
  try {
    probe = mkdtempSync(`${folder}/.crash-resume-index-doctor-`)
    writeFileSync(`${probe}/a`, '')
    linkSync(`${probe}/a`, `${probe}/b`)
    return {
      check: 'hard_links',
      state: 'ok',
      detail: 'a commit is a hard link: two writers cannot overwrite one another'
    }
  } catch (error) {
    if (probe === null) {
      return { check: 'hard_links', state: 'note', detail: `not tried: ${messageOf(error)}` }
    }
    return problem(
      'hard_links',
      `${folder} has no hard links: only the lock keeps two writers apart, and a writer that sleeps past it may overwrite`,
      'keep the index on a local file system with hard links'
    )
  } finally {
    if (probe !== null) rmSync(probe, { recursive: true, force: true })
  }
}

function keptOf(paths: IndexPaths): Finding[] {
  try {
    const { kept } = historyOf(paths.view)
    const unreadable = kept.filter(({ reason }) => reason.startsWith('unreadable') || reason === 'found-in-history')
    if (kept.length === 0) return [{ check: 'kept', state: 'ok', detail: 'no copies are kept' }]
    const detail = `${kept.length} kept in ${paths.kept}, ${unreadable.length} of them for being unreadable`
    return [
      unreadable.length === 0
        ? { check: 'kept', state: 'ok', detail }
        : { check: 'kept', state: 'note', detail, advice: 'look at them with history; restore takes one back' }
    ]
  } catch (error) {
    return [problem('kept', messageOf(error), 'see what stands in the history or kept folder')]
  }
}

function lockOf(paths: IndexPaths): Finding {
  const odd = oddity(paths.lock)
  if (odd !== null) return problem('lock', odd, `remove ${paths.lock} once no writer is running`)
  const there = modeOf(paths.lock) !== null
  return {
    check: 'lock',
    state: 'ok',
    detail: there ? 'held, or left by a writer that died; it costs a short wait' : 'free'
  }
}

function problem(check: Finding['check'], detail: string, advice: string): Finding {
  return { check, state: 'problem', detail, advice }
}

function modeOf(path: string): number | null {
  try {
    return lstatSync(path).mode & 0o777
  } catch {
    return null
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
