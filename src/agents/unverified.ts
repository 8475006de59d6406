/**
 * Agents of which only the resume form is known, from public documentation of 2026; none of them was run. Their ids,
 * transcripts and hazards are not known, so a probe of their transcripts answers unknown.
 */

import type { AgentRow, AgentRowInput } from './row.js'

const by =
  (flag: string): AgentRow['resume'] =>
  (sessionId) => [flag, sessionId]

export const unverifiedAgents: readonly AgentRowInput[] = [
  { name: 'pi', resume: by('--session') },
  { name: 'omp', resume: (sessionId) => [`--resume=${sessionId}`] },
  // With its option for third-party hooks it runs those of Claude's settings too.
  { name: 'cursor-agent', resume: by('--resume'), hookMarks: ['CURSOR_VERSION'] },
  { name: 'devin', resume: by('--resume') },
  { name: 'droid', resume: by('--resume') },
  { name: 'kimi', resume: by('--session') },
  { name: 'qodercli', resume: by('--resume') },
  { name: 'kilo', resume: by('--session') },
  { name: 'hermes', resume: by('--resume') },
  { name: 'mastracode', resume: by('--thread') }
]
