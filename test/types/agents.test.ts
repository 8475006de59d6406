/** A caller's row of an agent, as a user's compiler reads it with every check on. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Consumer } from '../support/consumer.js'

const STRICTEST = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedDeclarations: true,
  declaration: true,
  verbatimModuleSyntax: true
}

let consumer: Consumer
beforeEach(() => {
  consumer = new Consumer()
})
afterEach(() => consumer.remove())

const right = `
import { AGENTS, type AgentRow, type AgentRowInput, type AgentTable, withAgents } from 'crash-resume-index/agents'

const changed: AgentRowInput = { ...AGENTS.claude, name: 'x' }
const whole: AgentRow = { ...AGENTS.codex, name: 'y', file: '/opt/y' }
const few: AgentRowInput = { name: 'z', pin: (id) => ['--id', id], sessionGone: undefined }
export const agents = (): AgentTable => withAgents([{ name: 'bare' }, { ...AGENTS.gemini, name: 'g' }, changed, whole, few, everything])
export const everything: Required<AgentRow> = {
  name: 'a',
  seen: '1.0',
  file: 'a',
  programs: ['a'],
  packages: ['@a/a'],
  programPath: /a-[0-9]+$/,
  pidVariable: 'A_PID',
  resume: (id) => ['--resume', id],
  resumeHeadless: (id, prompt, flags) => ['-p', prompt, '--resume', id, ...flags],
  promptArgs: (prompt) => [prompt],
  pin: (id) => ['--session-id', id],
  sessionId: /^a/,
  keepFlags: { '--model': 1 },
  grantFlags: { '--yolo': 0 },
  strictValues: { '--model': /^small$/ },
  terminalFlags: ['--model'],
  identityFlags: { '--resume': 'optional' },
  resumeFlags: ['--resume'],
  startFlags: ['--name'],
  sessionWords: ['fork'],
  headlessWords: ['exec'],
  headlessFlags: ['-p'],
  chores: ['login', 'attach'],
  openers: ['attach'],
  resumeBoundToCwd: false,
  hazards: ['it bites'],
  deletesResumed: { settings: ({ home }) => [home], field: ['keep'], safe: true },
  homeVariables: ['A_HOME'],
  marks: ['A_SESSION'],
  hookMarks: ['A_HOOK'],
  foreignMarks: ['B_HOOK'],
  sessionVariable: 'A_SESSION',
  backgroundVariables: ['A_JOB'],
  isUnattended: (env) => env['A_SESSION'] === '0',
  jobFolder: /jobs/,
  transcripts: (id, { home, env, cwd }) => [{ kind: 'file', path: [home, env['A_HOME'], cwd, id].join('/') }],
  homeOf: { variable: 'A_HOME', folder: (transcript) => transcript, fallback: '.a' },
  retention: { settings: ({ home }) => [home], field: ['days'], days: 30 },
  transcriptGrows: true,
  launchFolder: { keeps: (transcript, folder) => transcript.includes(folder), variable: 'A_FOLDER' },
  startedSince: { place: () => null, cwdField: 'folder', at: () => null, withinMs: 1, firstWords: /(x)/ },
  sessionFilePattern: /a-(.*)/,
  showsWithPrompt: true,
  continued: {
    noteField: 'job',
    jobState: (job, { home }) => home + job,
    jobOf: (id) => id,
    first: 'a',
    now: 'b',
    line: { field: 'type', value: 'moved', next: 'to', messages: ['user'] }
  },
  moves: [{ by: '/clear', shownBy: ['hook', 'process', 'disk'] }],
  sharedServer: { flag: '--alone', words: ['-c', 'x'], chosenBy: ['--alone'] },
  processNote: { path: (pid, { home }) => home + pid, sessionId: 'id', start: 'started' },
  sessionGone: /no such session/,
  startupQuestion: /trust/,
  hooks: { format: 'json', path: ({ home, cwd }) => home + cwd, events: ['Start'], timeout: 5, notes: [] },
  payload: { ...AGENTS.claude.payload, ends: ['End'], turn: { field: 'type', value: 'turn', sessionId: 'thread' } },
  ownExits: ['quit']
}
`

it('needs the name alone, can say all that ours says, and may be made of one of ours', () => {
  expect(consumer.problemsOf(right, STRICTEST)).toEqual([])
})

const wrong = `
import { AGENTS, withAgents } from 'crash-resume-index/agents'
withAgents([{ file: 'without-a-name' }])
withAgents([{ name: 'x', resumes: () => [] }])
withAgents([{ name: 'x', hooks: { format: 'plugin', path: () => '', events: [], notes: [] } }])
export const unknown = AGENTS.nobody
AGENTS.claude.file = 'changed in place'
`

it('is refused where it says what no row says', () => {
  const refused = consumer.problemsOf(wrong, STRICTEST).map((line) => Number(/main\.ts\((\d+),/.exec(line)?.[1]))
  expect([...new Set(refused)]).toEqual([3, 4, 5, 6, 7])
})
