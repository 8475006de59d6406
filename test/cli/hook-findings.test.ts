import { expect, test } from 'vitest'
import { hookFindings } from '../../src/cli/text/findings.js'
import type { HookStatus } from '../../src/hooks.js'

const status = (state: HookStatus['state'], more: Partial<HookStatus> = {}): HookStatus => ({
  agent: 'claude',
  path: '/c/settings.json',
  state,
  events: [],
  missing: [],
  ...more
})

test('a hook that starts something which is not there is a problem, with what to do', () => {
  const [finding] = hookFindings([status('broken', { missing: ['/old/node'] })])
  expect(finding).toMatchObject({ check: 'hooks', state: 'problem' })
  expect(finding?.detail).toContain('/old/node')
  expect(finding?.advice).toContain('hooks install claude')
})

test('only some of the events is a problem, settings that cannot be read a note, no hook nothing', () => {
  const states = (all: HookStatus[]): string[] => hookFindings(all).map(({ state }) => state)
  expect(states([status('partly'), status('unreadable'), status('installed'), status('not_installed')])).toEqual([
    'problem',
    'note',
    'ok'
  ])
})
