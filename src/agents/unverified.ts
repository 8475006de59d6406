/**
 * Agents of which only the resume form is known, from public documentation of 2026; none of them was run. Their ids,
 * transcripts and hazards are not known, so a probe of their transcripts answers unknown.
 */

import { ANY_ID } from './ids.js'
import type { AgentRow } from './row.js'

function unverified(name: string, resume: AgentRow['resume']): AgentRow {
  return {
    name,
    file: name,
    programs: [name],
    verified: false,
    resume,
    resumeHeadless: null,
    promptArgs: null,
    pin: null,
    sessionId: ANY_ID,
    unsetEnv: [],
    resumeBoundToCwd: true,
    refusesLiveId: false,
    hazards: [],
    keepFlags: {},
    identityFlags: [],
    transcripts: () => []
  }
}

const by =
  (flag: string): AgentRow['resume'] =>
  (sessionId) => [flag, sessionId]

export const unverifiedAgents: readonly AgentRow[] = [
  unverified('pi', by('--session')),
  unverified('omp', (sessionId) => [`--resume=${sessionId}`]),
  unverified('cursor-agent', by('--resume')),
  unverified('devin', by('--resume')),
  unverified('droid', by('--resume')),
  unverified('kimi', by('--session')),
  unverified('qodercli', by('--resume')),
  unverified('kilo', by('--session')),
  unverified('hermes', by('--resume')),
  unverified('mastracode', by('--thread'))
]
