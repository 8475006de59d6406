/**
 * From the facts about an index's files to what a person should know, each finding with what to do. Pure.
 */
import type { HookStatus, PathFacts, StoreFacts } from '../../index.js'

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
  readonly state: 'ok' | 'note' | 'problem'
  readonly detail: string
  /** What to do; absent where nothing needs to be done. */
  readonly advice?: string
}

type Report = readonly Finding[]

export function findingsOf(facts: StoreFacts): Report {
  const { given, view } = facts
  const led = given === view.path ? '' : `, where ${given} leads`
  return [
    ok('path', `${view.path}${led}`),
    ...indexFindings(facts),
    ...historyFindings(facts),
    ...accessFindings(facts),
    ...folderFindings(facts),
    ...keptFindings(facts),
    facts.lock === null ? ok('lock', 'nothing odd') : problem('lock', facts.lock.what, facts.lock.next)
  ]
}

/** What an agent's hook starts and that is not there: it says nothing of itself when it runs. */
export function hookFindings(hooks: readonly HookStatus[]): Report {
  return hooks.flatMap(({ agent, path, state, missing, why }): Finding[] => {
    const again = `crash-resume-index hooks install ${agent}`
    if (state === 'broken')
      return [problem('hooks', `${path} starts ${missing.join(' and ')}, not there any more`, again)]
    if (state === 'unreadable') return [note('hooks', `${path} cannot be looked into: ${why ?? 'unreadable'}`)]
    if (state === 'partly') return [problem('hooks', `${path} has our hook for some of the events only`, again)]
    return state === 'installed' ? [ok('hooks', `${agent}: ${path}`)] : []
  })
}

function indexFindings({ index, view }: StoreFacts): Report {
  if ('error' in index) return [problem('index', index.error.message, `see what stands at ${view.path}`)]
  const { there, revision, entries, unreadable, damaged, newer, version, foreign, warnings } = index
  if (!there) return [note('index', 'nothing is recorded yet; the first write makes the file')]
  if (damaged) {
    const advice = 'restore a revision or a kept copy (see history); the next write keeps these bytes aside'
    return [problem('index', `${view.path} is there and cannot be read as an index`, advice)]
  }
  const number = revision === null ? 'no revision yet' : `revision ${revision}`
  const findings: Finding[] = [ok('index', `${count(entries, 'entry', 'entries')}, ${number}`)]
  for (const { surfaceId, reason } of unreadable) {
    const detail = `the entry of surface ${JSON.stringify(surfaceId)} cannot be read: ${reason}`
    findings.push(problem('entries', detail, 'mend it in the file, or record the surface again (its bytes are kept)'))
  }
  if (newer) {
    const detail = `the index has version ${version}, which is read here and not written`
    findings.push(problem('index', detail, 'upgrade crash-resume-index'))
  }
  const lost = warnings.find(({ code }) => code === 'index_incomplete')
  if (lost) {
    const detail = 'an earlier state was lost, and entries may be missing: surfaces that are not listed must wait'
    findings.push(problem('index', detail, 'restore a revision or a kept copy (see history), or doctor --accept-loss'))
  }
  const bad = warnings.filter(({ code }) => code === 'view_unreadable')[0]
  if (bad) findings.push(note('file', `${bad.message}; the next write keeps its bytes and replaces it`))
  else if (foreign) findings.push(note('file', 'somebody else wrote it; the next write takes in what is new'))
  else if (view.kind === null) findings.push(note('file', 'it is gone; the next write makes it again'))
  else findings.push(ok('file', 'it shows the newest revision'))
  return findings
}

function historyFindings({ index, history, revisions, staged, abandonedFirstWrites }: StoreFacts): Report {
  const bad = 'error' in index ? [] : index.warnings.filter(({ code }) => code === 'revision_unreadable')
  const findings = bad.map(({ message }) =>
    problem('history', message, 'check the disk; the next write keeps the bytes and goes on from what can be read')
  )
  if (history.error !== undefined) findings.push(cannotLook('history', history))
  else if (findings.length === 0 && revisions > 0)
    findings.push(ok('history', count(revisions, 'revision', 'revisions')))
  if (staged + abandonedFirstWrites > 0) {
    const left = count(staged + abandonedFirstWrites, 'unfinished write', 'unfinished writes')
    findings.push(note('history', `${left}, of writers at work or killed; a later write clears those up`))
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
    if (!place.own) findings.push(problem('access', `${place.path} belongs to another user`, own(place)))
    else if ((place.mode & 0o077) !== 0) {
      const what = (place.mode & WRITE) === 0 ? 'read' : 'change'
      const detail = `others may ${what} ${place.path} (mode ${octal(place)})`
      findings.push(problem('access', detail, `chmod go= ${place.path}`))
    }
  }
  // Whoever may write to the folder may put another file in the index's place, unless the folder is sticky.
  if (folder.kind === 'folder' && (folder.mode & WRITE) !== 0 && (folder.mode & STICKY) === 0) {
    const detail = `others may replace files in ${folder.path} (mode ${octal(folder)})`
    findings.push(problem('access', detail, `chmod go-w ${folder.path}`))
  } else if (folder.kind === 'folder' && (folder.mode & READ) !== 0) {
    findings.push(
      note('access', `others may list ${folder.path} (mode ${octal(folder)}), not read what is in the index`)
    )
  }
  return findings.some(({ state }) => state === 'problem') ? findings : [ok('access', 'this user only'), ...findings]
}

function folderFindings({ folder, volatile, network, hardLinks }: StoreFacts): Report {
  if (folder.error !== undefined) return [cannotLook('folder', folder)]
  if (folder.kind === null) return [note('folder', `${folder.path} is not there yet; the first write makes it`)]
  const findings: Finding[] = []
  const home = 'keep the index in a folder that stays, e.g. in the home folder (CRASH_RESUME_INDEX_PATH)'
  if (!folder.writable) {
    findings.push(
      problem('folder', `${folder.path} cannot be written to`, 'give this user access, or use another --path')
    )
  }
  if (volatile !== null) {
    findings.push(problem('folder', `${folder.path} does not outlive a reboot, or is cleaned up (${volatile})`, home))
  }
  if (network !== null) {
    const detail = `${folder.path} is on ${network}: what is promised here holds on local file systems`
    findings.push(note('folder', detail, home))
  }
  if (findings.length === 0) findings.push(ok('folder', `${folder.path} is local and outlives a reboot`))
  return [...findings, linkFinding(hardLinks)]
}

function linkFinding(hardLinks: boolean | null): Finding {
  if (hardLinks === null) return note('links', 'hard links could not be tried')
  if (hardLinks) return ok('links', 'the file system has hard links: no two writers can overwrite one another')
  const detail = 'no hard links here: only the lock keeps two writers apart, which one that sleeps too long may lose'
  return problem('links', detail, 'keep the index on a file system with hard links')
}

function keptFindings({ kept, copies, unreadableCopies }: StoreFacts): Report {
  if (kept.error !== undefined) return [cannotLook('kept', kept)]
  if (copies === 0) return [ok('kept', 'no kept copies')]
  const detail = `${count(copies, 'copy is', 'copies are')} kept in ${kept.path}`
  if (unreadableCopies === 0) return [ok('kept', detail)]
  return [note('kept', `${detail}, ${unreadableCopies} of them because they could not be read`, 'see history')]
}

function own({ path }: PathFacts): string {
  return `chown it to this user, or see who wrote ${path}`
}

function cannotLook(check: Finding['check'], { path, error }: PathFacts): Finding {
  return problem(check, `${path} cannot be looked at (${error})`, 'give this user access to it')
}

function octal({ mode }: PathFacts): string {
  return mode.toString(8).padStart(4, '0')
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function ok(check: Finding['check'], detail: string): Finding {
  return { check, state: 'ok', detail }
}

function note(check: Finding['check'], detail: string, advice?: string): Finding {
  return { check, state: 'note', detail, ...(advice === undefined ? {} : { advice }) }
}

function problem(check: Finding['check'], detail: string, advice: string): Finding {
  return { check, state: 'problem', detail, advice }
}
