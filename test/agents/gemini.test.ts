import { testAgent, UUID } from './agent-table.js'

testAgent('gemini', {
  seen: '0.61.0',
  id: UUID,
  resume: `gemini --resume ${UUID}`,
  withPrompt: `gemini --resume ${UUID} -i 'go on' --model m`,
  headless: `gemini --resume ${UUID} -p 'go on' --model m`,
  pin: `gemini --session-id ${UUID}`,
  alone: ['node /usr/bin/gemini --prompt=hi', 'gemini -p hi'],
  attended: ['node /usr/bin/gemini -i hi', 'gemini'],
  chores: ['gemini mcp list', 'gemini extensions list', 'gemini --version'],
  grants: ['--yolo', '--approval-mode yolo', '--include-directories /a /b'],
  gone: [
    'Error resuming session: Invalid session identifier "x".',
    'Error resuming session: No previous sessions found for this project.'
  ],
  questions: [' Do you trust this folder?'],
  noQuestions: ['> the word is ALPHA'],
  transcripts: [
    [{}, '/repo', '/home/me/.gemini/tmp'],
    [{ GEMINI_CLI_HOME: '/g' }, '/repo', '/g/.gemini/tmp'],
    [{ GEMINI_CLI_HOME: '' }, '/repo', '/home/me/.gemini/tmp'],
    [{ GEMINI_CLI_HOME: 'here' }, undefined, null]
  ]
})
