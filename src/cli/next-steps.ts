/**
 * The commands that a decision leaves open to a person, below the sentence that says what it means.
 *
 * Each is a whole line that can be run as it stands; where nothing but looking helps, there is none.
 */
import { type Decision, type DecisionReason, type Entry, quoteArgv } from '../index.js'
import { age } from './table.js'

/** A line each, the decision's own notes first. */
export function nextSteps(surfaceId: string, entry: Entry | null, decision: Decision, now: number): readonly string[] {
  const line = (argv: readonly string[], more = ''): string => `${quoteArgv(['crash-resume-index', ...argv])}${more}`
  // The sentence of probe_failed holds its note already.
  const notes = decision.reason === 'probe_failed' ? [] : decision.notes
  if (decision.action === 'resume') {
    return [...notes, line(['claim', surfaceId], ' --owner $$ reserves it and prints its command')]
  }
  if (decision.action === 'fresh') {
    const agent = entry?.agent === undefined ? [] : ['--agent', entry.agent]
    const repo = entry === null ? '<repo>' : quoteArgv([entry.repo])
    const rest = agent.length === 0 ? '' : ` ${quoteArgv(agent)}`
    return [...notes, line(['mint', surfaceId], ` ${repo}${rest} --owner $$ writes a new session ahead of its start`)]
  }
  const step = STEPS[decision.reason]?.(surfaceId, entry, decision, now)
  return step === undefined ? notes : [...notes, line(step.argv, ` ${step.more}`)]
}

interface Step {
  readonly argv: readonly string[]
  readonly more: string
}

const STEPS: Partial<
  Record<DecisionReason, (surfaceId: string, entry: Entry | null, d: Decision, now: number) => Step>
> = {
  liveness_unknown: (surfaceId) => ({
    argv: ['why', surfaceId, '--session', 'not_running'],
    more: 'says so, once you have looked'
  }),
  start_unproven: (surfaceId) => ({
    argv: ['why', surfaceId, '--transcript', 'missing'],
    more: '(or found) says what you saw'
  }),
  cooldown: (surfaceId, _entry, { retryAt }, now) => ({
    argv: ['why', surfaceId],
    more: `asks again; it is over in ${age(Math.max(0, (retryAt ?? now) - now))}`
  }),
  policy_off: (surfaceId) => ({ argv: ['policy', surfaceId, 'auto'], more: 'allows it again' }),
  attempts_exhausted: (surfaceId, entry) => ({
    argv: ['policy', surfaceId, entry?.policy ?? 'auto'],
    more: 'clears the count'
  }),
  moved: (_surfaceId, _entry, { at }) => ({ argv: ['why', at ?? '<surface>'], more: 'asks for the other surface' })
}
