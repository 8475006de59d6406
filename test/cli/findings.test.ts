import { describe, expect, it } from 'vitest'
import type { IndexFacts, PathFacts, StoreFacts } from '../../src/admin.js'
import { type Finding, findingsOf } from '../../src/cli/text/findings.js'
import { CrashResumeError } from '../../src/index.js'

const VIEW = '/home/dev/.golems/crash-resume-index.json'
const file = (path: string, mode = 0o600): PathFacts => ({ path, kind: 'file', mode, own: true })
const folder = (path: string, mode = 0o700): PathFacts => ({ path, kind: 'folder', mode, own: true })
const absent = (path: string): PathFacts => ({ path, kind: null, mode: 0, own: true })

const index: IndexFacts = {
  there: true,
  revision: 42,
  version: 1,
  newer: false,
  entries: 12,
  unreadable: [],
  damaged: false,
  foreign: false,
  warnings: []
}

const well: StoreFacts = {
  given: VIEW,
  view: file(VIEW),
  folder: { ...folder('/home/dev/.golems'), writable: true },
  history: folder(`${VIEW}.history`),
  kept: folder(`${VIEW}.kept`),
  exposed: [],
  volatile: null,
  network: null,
  hardLinks: true,
  lock: null,
  staged: 0,
  abandonedFirstWrites: 0,
  revisions: 8,
  copies: 0,
  unreadableCopies: 0,
  index
}

/** The findings that are not ok, as `state check: detail -> advice`. */
const found = (facts: Partial<StoreFacts>): string[] =>
  findingsOf({ ...well, ...facts })
    .filter(({ state }) => state !== 'ok')
    .map(({ state, check, detail, advice }) => `${state} ${check}: ${detail}${advice ? ` -> ${advice}` : ''}`)

it('finds nothing where nothing is wrong', () => {
  expect(findingsOf(well)).toEqual<Finding[]>([
    { check: 'path', state: 'ok', detail: VIEW },
    { check: 'index', state: 'ok', detail: '12 entries, revision 42' },
    { check: 'file', state: 'ok', detail: 'it shows the newest revision' },
    { check: 'history', state: 'ok', detail: '8 revisions' },
    { check: 'access', state: 'ok', detail: 'this user only' },
    { check: 'folder', state: 'ok', detail: '/home/dev/.golems is local and survives a reboot' },
    {
      check: 'links',
      state: 'ok',
      detail: 'the file system has hard links, so no two writers can overwrite one another'
    },
    { check: 'kept', state: 'ok', detail: 'no kept copies' },
    { check: 'lock', state: 'ok', detail: 'nothing is in its place' }
  ])
})

it('says where a link leads', () => {
  expect(findingsOf({ ...well, given: '/home/dev/link' })[0]?.detail).toBe(`${VIEW}, the target of /home/dev/link`)
})

describe('each thing that is not well is found, with what to do', () => {
  const warning = (code: 'view_unreadable' | 'revision_unreadable', message: string): IndexFacts => ({
    ...index,
    warnings: [{ code, message }]
  })
  const error = new CrashResumeError('ERR_NOT_A_FILE', 'it is a folder')

  it.each<[string, Partial<StoreFacts>, string[]]>([
    [
      'no file',
      { index: { ...index, there: false } },
      ['note index: nothing is recorded yet; the first write makes the file']
    ],
    ['a folder in its place', { index: { error } }, [`problem index: it is a folder -> see what is at ${VIEW}`]],
    [
      'a file that is no index',
      { index: { ...index, damaged: true } },
      [
        `problem index: ${VIEW} exists but is not a readable index -> \`crash-resume-index history\` lists what you can restore; the next write keeps these bytes aside`
      ]
    ],
    [
      'an entry that cannot be read',
      { index: { ...index, unreadable: [{ surfaceId: 'a"b', reason: 'repo is missing' }] } },
      [
        'problem entries: the entry of surface "a\\"b" cannot be read: repo is missing -> fix it in the file, or record the surface again; its bytes are kept'
      ]
    ],
    [
      'a newer version',
      { index: { ...index, newer: true, version: 2 } },
      [
        'problem index: the index has version 2, which this program reads but does not write -> upgrade crash-resume-index'
      ]
    ],
    [
      'a view that another program wrote',
      { index: { ...index, foreign: true } },
      ['note file: another program wrote it; the next write merges what is new']
    ],
    ['a view that is gone', { view: absent(VIEW) }, ['note file: it is missing; the next write makes it again']],
    [
      'a view that cannot be read',
      { index: warning('view_unreadable', 'the view cannot be read') },
      ['note file: the view cannot be read; the next write keeps its bytes and replaces it']
    ],
    [
      'a revision that cannot be read',
      { index: warning('revision_unreadable', '42 cannot be read') },
      [
        'problem history: 42 cannot be read -> check the disk; the next write keeps the bytes and continues from what is readable'
      ]
    ],
    [
      'what killed writers left',
      { staged: 1, abandonedFirstWrites: 1 },
      ['note history: 2 unfinished writes of running or killed writers; a later write removes them']
    ],
    [
      'a history that may not be looked at',
      { history: { ...absent('/h'), error: 'EACCES' } },
      ['problem history: /h cannot be read (EACCES) -> give this user access to it']
    ],
    [
      'a file that others may read',
      { view: file(VIEW, 0o644) },
      [`problem access: others may read ${VIEW} (mode 0644) -> chmod go= ${VIEW}`]
    ],
    [
      'a revision that others may change',
      { exposed: [file('/h/7', 0o666)] },
      ['problem access: others may change /h/7 (mode 0666) -> chmod go= /h/7']
    ],
    [
      'a file of another user',
      { exposed: [{ ...file('/h/7'), own: false }] },
      ['problem access: /h/7 belongs to another user -> see who wrote it, or run `sudo chown "$(id -un)" /h/7`']
    ],
    [
      'a folder that others may write to',
      { folder: { ...folder('/w', 0o777), writable: true } },
      ['problem access: others may replace files in /w (mode 0777) -> chmod go-w /w']
    ],
    [
      'a sticky folder',
      { folder: { ...folder('/w', 0o1777), writable: true } },
      ['note access: others may list /w (mode 1777), but not read the index']
    ],
    [
      'a folder that others may list',
      { folder: { ...folder('/w', 0o755), writable: true } },
      ['note access: others may list /w (mode 0755), but not read the index']
    ],
    [
      'a folder that is not there',
      { folder: { ...absent('/w'), writable: false }, hardLinks: null },
      ['note folder: /w does not exist yet; the first write makes it']
    ],
    [
      'a folder that cannot be written to',
      { folder: { ...folder('/w'), writable: false }, hardLinks: null },
      [
        'problem folder: /w is not writable -> give this user access, or use another --path',
        'note links: it is unknown whether the file system has hard links'
      ]
    ],
    [
      'a folder in memory',
      { volatile: 'tmpfs' },
      [
        'problem folder: /home/dev/.golems is cleared at a reboot or by age (tmpfs) -> keep the index in a lasting folder, such as the home folder (CRASH_RESUME_INDEX_PATH)'
      ]
    ],
    [
      'a network file system',
      { network: 'NFS' },
      [
        'note folder: /home/dev/.golems is on NFS; the guarantees hold on local file systems -> keep the index in a lasting folder, such as the home folder (CRASH_RESUME_INDEX_PATH)'
      ]
    ],
    [
      'no hard links',
      { hardLinks: false },
      [
        'problem links: the file system has no hard links: only the lock keeps writers apart, and a paused writer can lose it -> keep the index on a file system with hard links'
      ]
    ],
    [
      'kept copies of what could not be read',
      { copies: 3, unreadableCopies: 1 },
      [
        `note kept: 3 copies are kept in ${VIEW}.kept; 1 of them are unreadable bytes -> \`crash-resume-index history\` lists them`
      ]
    ],
    [
      'something odd in the place of the lock',
      { lock: { what: '/i.lock is not a folder, so no lock can be taken', next: 'remove it' } },
      ['problem lock: /i.lock is not a folder, so no lock can be taken -> remove it']
    ]
  ])('%s', (_, facts, expected) => {
    expect(found(facts)).toEqual(expected)
  })

  it('quotes the commands of its advice for a shell, and names the index that is meant', () => {
    const view = file('/a; b/x.json', 0o644)
    const [wide] = findingsOf({ ...well, view }).filter(({ check }) => check === 'access')
    expect(wide?.advice).toBe("chmod go= '/a; b/x.json'")
    const damaged = findingsOf({ ...well, index: { ...index, damaged: true } }, '/a; b/x.json')
    expect(damaged[1]?.advice).toContain("`crash-resume-index history --path '/a; b/x.json'`")
  })

  it('a problem always says what to do', () => {
    const all = {
      lock: { what: 'odd', next: 'remove it' },
      hardLinks: false,
      volatile: 'x',
      view: file(VIEW, 0o666),
      index: { error }
    }
    const problems = findingsOf({ ...well, ...all }).filter(({ state }) => state === 'problem')
    expect(problems).toHaveLength(5)
    for (const { advice } of problems) expect(advice).toMatch(/\S/)
  })
})
