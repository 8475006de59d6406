import { testAgent } from './agent-table.js'

const ID = 'ses_dd8eb9cd8ffe44f8xQcomKGCXX'

testAgent('opencode', {
  seen: '1.18.33',
  id: ID,
  resume: `opencode -s ${ID}`,
  withPrompt: `opencode -s ${ID} --prompt 'go on' --model m`,
  headless: `opencode run -s ${ID} 'go on' --model m`,
  pin: null,
  alone: ['opencode run hi', 'opencode serve'],
  attended: ['opencode -s x', 'opencode'],
  chores: ['opencode auth login', 'opencode models', 'opencode --help'],
  grants: ['--auto'],
  gone: ['Error: Session not found: ses_x', 'Invalid session ID: unknown error'],
  questions: [],
  noQuestions: ['┃ the word is ALPHA'],
  transcripts: [
    [{}, '/repo', '/home/me/.local/share/opencode/opencode.db'],
    [{ XDG_DATA_HOME: '/d' }, '/repo', '/d/opencode/opencode.db'],
    [{ XDG_DATA_HOME: 'here' }, undefined, null],
    [{ OPENCODE_DB: '/x.db' }, '/repo', '/x.db'],
    [{ OPENCODE_DB: 'other.db' }, '/repo', '/home/me/.local/share/opencode/other.db'],
    [{ OPENCODE_DB: '' }, '/repo', '/home/me/.local/share/opencode/opencode.db'],
    [{ OPENCODE_DB: ':memory:' }, '/repo', null]
  ]
})
