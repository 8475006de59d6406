import { testAgent, UUID } from './agent-table.js'

testAgent('qwen', {
  seen: '0.15.10',
  id: UUID,
  resume: `qwen --resume ${UUID}`,
  withPrompt: `qwen --resume ${UUID} -i 'go on' --model m`,
  headless: `qwen --resume ${UUID} -p 'go on' --model m`,
  pin: `qwen --session-id ${UUID}`,
  alone: ['node /usr/bin/qwen -p hi'],
  attended: ['node /usr/bin/qwen -i hi', 'qwen'],
  chores: ['qwen mcp list', 'qwen --version'],
  grants: ['-y', '--approval-mode yolo'],
  gone: [`No saved session found with ID ${UUID}`],
  questions: [],
  noQuestions: ['> the word is ALPHA'],
  transcripts: [
    [{}, '/repo', '/home/me/.qwen/projects'],
    [{ QWEN_HOME: '/q' }, '/repo', '/q/projects'],
    [{ QWEN_HOME: '/q', QWEN_RUNTIME_DIR: '/r' }, '/repo', '/r/projects'],
    [{ QWEN_HOME: 'here' }, undefined, null]
  ]
})
