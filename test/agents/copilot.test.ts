import { testAgent, UUID } from './agent-table.js'

testAgent('copilot', {
  seen: '1.0.102',
  id: UUID,
  resume: `copilot --resume=${UUID}`,
  withPrompt: `copilot --resume=${UUID} -i 'go on' --model m`,
  headless: `copilot --resume=${UUID} -p 'go on' --model m`,
  pin: `copilot --session-id ${UUID}`,
  alone: ['node /usr/bin/copilot -p hi'],
  attended: ['node /usr/bin/copilot -i hi', 'copilot'],
  chores: ['copilot login', 'copilot update', 'copilot --version'],
  grants: ['--allow-all-tools', '--yolo', '--allow-tool shell write'],
  gone: ["No session, task, or name matched 'x'"],
  questions: [],
  noQuestions: ['> the word is ALPHA'],
  transcripts: [
    [{}, '/repo', `/home/me/.copilot/session-state/${UUID}/events.jsonl`],
    [{ COPILOT_HOME: '/c' }, '/repo', `/c/session-state/${UUID}/events.jsonl`],
    [{ COPILOT_HOME: 'here' }, undefined, null]
  ]
})
