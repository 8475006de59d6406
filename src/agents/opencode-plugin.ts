/**
 * The script that OpenCode runs for us: it hands the session of each message to `command`, but for those of sub-agents.
 * Its events are from the plugin that ran in 1.18.33. It is a list of lines because a script inside the bin's own text would
 * make the bin look like a module.
 */
export const OPENCODE_PLUGIN: string = [
  "import { spawn } from 'node:child_process'",
  '',
  'const children = new Set()',
  '',
  'const tell = (sessionId, cwd) => {',
  '  try {',
  "    const hook = spawn(command[0], command.slice(1), { stdio: ['pipe', 'ignore', 'ignore'] })",
  "    hook.on('error', () => {})",
  "    hook.stdin.on('error', () => {})",
  "    hook.stdin.end(JSON.stringify({ hook_event_name: 'chat.message', session_id: sessionId, cwd }))",
  '  } catch {}',
  '}',
  '',
  'export const CrashResumeIndex = async ({ directory }) => ({',
  '  event: async ({ event }) => {',
  '    const info = event?.properties?.info',
  "    if (event?.type === 'session.created' && info?.parentID) children.add(info.id)",
  '  },',
  "  'chat.message': async ({ sessionID }) => {",
  '    if (sessionID && !children.has(sessionID)) tell(sessionID, directory)',
  '  }',
  '})',
  ''
].join('\n')
