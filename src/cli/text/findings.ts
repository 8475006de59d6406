/**
 * What doctor finds: from the facts about an index's files to what a person should know, each with what to do. Pure.
 */
import { given, inlineCommand, type OwnCommand, ownCommand, type PathFacts, type StoreFacts } from '../../admin.js'
import { quoteArgv } from '../../core.js'
import type { HookStatus } from '../../hooks.js'
import type { PlanRow } from '../../tmux.js'
import { ACCEPT_LOSS, printable } from './report-error.js'
import { count, type Look, painted } from './table.js'

/** `problem`: something is wrong or will go wrong. `note`: worth knowing, and nothing needs to be done. */
export interface Finding {
  readonly check:
    | 'path'
    | 'index'
    | 'entries'
    | 'file'
    | 'history'
    | 'access'
    | 'folder'
    | 'links'
    | 'kept'
    | 'lock'
    | 'hooks'
    | 'session'
  readonly state: 'ok' | 'note' | 'problem'
  readonly detail: string
  /** What to do; absent where nothing needs to be done. */
  readonly advice?: string
}

type Report = readonly Finding[]

/** @param path the index that --path names */
export function findingsOf(facts: StoreFacts, path?: string): Report {
  const command = (own: OwnCommand): string => inlineCommand(own, path)
  const { given: asked, view, lock } = facts
  return [
    ok('path', asked === view.path ? view.path : `${view.path}, the target of ${asked}`),
    ...indexFindings(facts, command),
    ...historyFindings(facts),
    ...accessFindings(facts),
    ...folderFindings(facts),
    ...keptFindings(facts, command),
    lock === null ? ok('lock', 'nothing is in its place') : problem('lock', lock.what, lock.next)
  ]
}

/** A hook that starts a missing file says nothing itself when it runs. */
export function hookFindings(hooks: readonly HookStatus[]): Report {
  return hooks.flatMap(({ agent, path, state, missing, why }): Finding[] => {
    const again = ownCommand({ name: 'hooks install', args: [agent] })
    const starts = `${path} starts ${missing.join(' and ')}, which does not exist`
    if (state === 'broken') return [problem('hooks', starts, again)]
    if (state === 'unreadable') return [note('hooks', `${path} cannot be read: ${why ?? 'unreadable'}`)]
    if (state === 'partly') return [problem('hooks', `${path} has our hook for some of the events only`, again)]
    return state === 'installed' ? [ok('hooks', `${agent}: ${path}`)] : []
  })
}

/** What their agents have lost, or are about to remove. */
export function sessionFindings(rows: readonly PlanRow[], path?: string): Report {
  return rows.flatMap(({ surfaceId, entry, decision }): Finding[] => {
    const { warnings = [], notes = [] } = decision ?? {}
    const known = warnings.some((warning) => warning === 'transcript_shrunk' || warning === 'transcript_expires')
    if (!known || entry === null) return []
    const only = inlineCommand({ name: 'recover', options: { '--only': entry.address ?? surfaceId } }, path)
    const detail = `${entry.address ?? surfaceId}, session ${entry.sessionId}: ${notes.join('; ')}`
    return [note('session', detail, `look at it, or resume it: ${only}`)]
  })
}

type Command = (own: OwnCommand) => string

function indexFindings({ index, view }: StoreFacts, command: Command): Report {
  if ('error' in index) return [problem('index', index.error.what, `see what is at ${view.path}`)]
  const { there, revision, entries, unreadable, damaged, newer, version, foreign, warnings } = index
  if (!there) return [note('index', 'nothing is recorded yet; the first write makes the file')]
  const restore = `${command({ name: 'history' })} lists what you can restore`
  if (damaged) {
    const advice = `${restore}; the next write keeps these bytes aside`
    return [problem('index', `${view.path} exists but is not a readable index`, advice)]
  }
  const number = revision === null ? 'no revision yet' : `revision ${revision}`
  const findings: Finding[] = [ok('index', `${count(entries, 'entry', 'entries')}, ${number}`)]
  for (const { surfaceId, reason } of unreadable) {
    const detail = `the entry of surface ${JSON.stringify(surfaceId)} cannot be read: ${reason}`
    findings.push(problem('entries', detail, 'fix it in the file, or record the surface again; its bytes are kept'))
  }
  if (newer) {
    const detail = `the index has version ${version}, which this program reads but does not write`
    findings.push(problem('index', detail, 'upgrade crash-resume-index'))
  }
  if (warnings.some(({ code }) => code === 'index_incomplete')) {
    const detail = 'an earlier state was lost, so entries may be missing; unknown surfaces get `wait`'
    findings.push(problem('index', detail, `${restore}; ${command(ACCEPT_LOSS)} accepts the loss`))
  }
  const bad = warnings.find(({ code }) => code === 'view_unreadable')
  if (bad) findings.push(note('file', `${bad.message}; the next write keeps its bytes and replaces it`))
  else if (foreign) findings.push(note('file', 'another program wrote it; the next write merges what is new'))
  else if (view.kind === null) findings.push(note('file', 'it is missing; the next write makes it again'))
  else findings.push(ok('file', 'it shows the newest revision'))
  return findings
}

function historyFindings({ index, history, revisions, staged, abandonedFirstWrites }: StoreFacts): Report {
  const bad = 'error' in index ? [] : index.warnings.filter(({ code }) => code === 'revision_unreadable')
  const advice = 'check the disk; the next write keeps the bytes and continues from what is readable'
  const findings: Finding[] = bad.map(({ message }) => problem('history', message, advice))
  if (history.error !== undefined) findings.push(noAccess('history', history))
  else if (bad.length === 0 && revisions > 0) findings.push(ok('history', count(revisions, 'revision', 'revisions')))
  if (staged + abandonedFirstWrites > 0) {
    const left = count(staged + abandonedFirstWrites, 'unfinished write', 'unfinished writes')
    findings.push(note('history', `${left} of running or killed writers; a later write removes them`))
  }
  return findings
}

/** Bits for others: read, and worse, write. */
const READ = 0o044
const WRITE = 0o022
const STICKY = 0o1000

function accessFindings({ view, folder, history, kept, exposed }: StoreFacts): Report {
  const findings: Finding[] = []
  for (const place of [view, history, kept, ...exposed]) {
    if (place.kind === null) continue
    if (!place.own) findings.push(problem('access', `${place.path} belongs to another user`, takeOver(place)))
    else if ((place.mode & 0o077) !== 0) {
      const what = (place.mode & WRITE) === 0 ? 'read' : 'change'
      const detail = `others may ${what} ${place.path} (mode ${octal(place)})`
      findings.push(problem('access', detail, quoteArgv(['chmod', 'go=', place.path])))
    }
  }
  // Another user who may write to the folder may replace the index, unless the folder is sticky.
  if (folder.kind === 'folder' && (folder.mode & WRITE) !== 0 && (folder.mode & STICKY) === 0) {
    const detail = `others may replace files in ${folder.path} (mode ${octal(folder)})`
    findings.push(problem('access', detail, quoteArgv(['chmod', 'go-w', folder.path])))
  } else if (folder.kind === 'folder' && (folder.mode & READ) !== 0) {
    findings.push(note('access', `others may list ${folder.path} (mode ${octal(folder)}), but not read the index`))
  }
  return findings.some(({ state }) => state === 'problem') ? findings : [ok('access', 'this user only'), ...findings]
}

function folderFindings({ folder, volatile, network, hardLinks }: StoreFacts): Report {
  if (folder.error !== undefined) return [noAccess('folder', folder)]
  if (folder.kind === null) return [note('folder', `${folder.path} does not exist yet; the first write makes it`)]
  const findings: Finding[] = []
  const home = 'keep the index in a lasting folder, such as the home folder (CRASH_RESUME_INDEX_PATH)'
  if (!folder.writable) {
    findings.push(problem('folder', `${folder.path} is not writable`, 'give this user access, or use another --path'))
  }
  if (volatile !== null) {
    findings.push(problem('folder', `${folder.path} is cleared at a reboot or by age (${volatile})`, home))
  }
  if (network !== null) {
    findings.push(note('folder', `${folder.path} is on ${network}; the guarantees hold on local file systems`, home))
  }
  if (findings.length === 0) findings.push(ok('folder', `${folder.path} is local and survives a reboot`))
  return [...findings, linkFinding(hardLinks)]
}

function linkFinding(hardLinks: boolean | null): Finding {
  if (hardLinks === null) return note('links', 'it is unknown whether the file system has hard links')
  if (hardLinks) return ok('links', 'the file system has hard links, so no two writers can overwrite one another')
  const detail = 'the file system has no hard links: only the lock keeps writers apart, and a paused writer can lose it'
  return problem('links', detail, 'keep the index on a file system with hard links')
}

function keptFindings({ kept, copies, unreadableCopies }: StoreFacts, command: Command): Report {
  if (kept.error !== undefined) return [noAccess('kept', kept)]
  if (copies === 0) return [ok('kept', 'no kept copies')]
  const detail = `${count(copies, 'copy is', 'copies are')} kept in ${kept.path}`
  if (unreadableCopies === 0) return [ok('kept', detail)]
  const unreadable = `${unreadableCopies} of them are unreadable bytes`
  return [note('kept', `${detail}; ${unreadable}`, `${command({ name: 'history' })} lists them`)]
}

function takeOver({ path }: PathFacts): string {
  return `see who wrote it, or run \`sudo chown "$(id -un)" ${quoteArgv([path])}\``
}

function noAccess(check: Finding['check'], { path, error }: PathFacts): Finding {
  return problem(check, `${path} cannot be read (${error})`, 'give this user access to it')
}

function octal({ mode }: PathFacts): string {
  return mode.toString(8).padStart(4, '0')
}

function ok(check: Finding['check'], detail: string): Finding {
  return { check, state: 'ok', detail }
}

function note(check: Finding['check'], detail: string, advice?: string): Finding {
  return { check, state: 'note', detail, ...given({ advice }) }
}

function problem(check: Finding['check'], detail: string, advice: string): Finding {
  return { check, state: 'problem', detail, advice }
}

const STATES = { ok: 'green', note: 'yellow', problem: 'red' } as const

export function renderFindings(findings: readonly Finding[], look: Look): string {
  const lines = findings.map(({ check, state, detail, advice }) => {
    const mark = painted(state.padEnd(7), STATES[state], look)
    const line = `${mark}  ${check.padEnd(7)}  ${printable(detail)}\n`
    return advice === undefined ? line : `${line}${' '.repeat(18)}${painted('->', 'bold', look)} ${printable(advice)}\n`
  })
  const problems = findings.filter(({ state }) => state === 'problem').length
  const verdict = problems === 0 ? 'no problems found' : `${count(problems, 'thing needs', 'things need')} attention`
  return `${lines.join('')}${painted(verdict, problems === 0 ? 'green' : 'red', look)}\n`
}
