import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentProgram } from '../../src/agents/program.js'
import { type AgentAbove, agentAbove, ancestorsOf, chainAbove } from '../../src/probes/ancestry.js'
import type { ProcessFacts } from '../../src/probes/proc-linux.js'
import { ownerOf, type ProcessTable } from '../../src/probes/process.js'
import { program } from '../support/programs.js'

const claude: AgentProgram = { name: 'claude', programs: ['claude'], pidVariable: 'CLAUDE_PID' }
const codex: AgentProgram = { name: 'codex', programs: ['codex'] }
const gemini: AgentProgram = { name: 'gemini', programs: ['gemini'] }
const agents = [claude, codex, gemini]

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-ancestry-'))
  for (const name of ['claude', 'codex', 'gemini', 'wrapper']) {
    copyFileSync(program('run-below'), join(folder, `${name}.mjs`))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Report {
  above: Exclude<AgentAbove, 'unclear'>
  complete: boolean
  links: number[]
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** A shell line that runs the stand-in `name`, which runs `line` in a shell of its own. The `;` keeps that shell there. */
const below = (name: string, line: string): string =>
  `${quote(process.execPath)} ${quote(join(folder, `${name}.mjs`))} ${quote(`${line}; true`)}`
/** A shell line that reports which agent is above. */
const hook = [process.execPath, program('agent-above'), JSON.stringify(agents)].map(quote).join(' ')

function report(line: string, env: Record<string, string> = {}): Report {
  const text = execFileSync('sh', ['-c', `${line}; true`], { encoding: 'utf8', env: { ...process.env, ...env } })
  return JSON.parse(text)
}

test('the processes above this one, up to the first, nearest first', () => {
  const owners = ancestorsOf(process.pid)
  expect(owners[0]).toEqual(ownerOf(process.ppid))
  expect(chainAbove(process.pid).complete).toBe(true)
  expect(chainAbove(2 ** 22).links).toEqual([])
})

test('an agent above the shell that runs its hook', () => {
  const { above, links, complete } = report(below('claude', hook))
  expect(complete).toBe(true)
  // 0 is the hook's shell, 1 the agent, 2 the shell that started it.
  expect(above?.owner.pid).toBe(links[1])
  expect(above?.ancestors.map((owner) => owner.pid)).toEqual(links.slice(2))
  expect(above?.inside).toBeNull()
})

test('an agent in a login shell of a shell is no nested one', () => {
  const { above } = report(`bash -c ${quote(`cd / && ${below('claude', hook)}; true`)}`)
  expect(above?.inside).toBeNull()
})

test('what stands between an agent and its hook is not taken for the agent', () => {
  const { above, links } = report(below('claude', `timeout 60 ${hook}`))
  expect(above?.owner.pid).toBe(links[2])
})

test('without an agent above there is none', () => {
  expect(report(below('wrapper', hook)).above).toBeNull()
  expect(report(below('codex', hook)).above?.name).toBe('codex')
})

test('an agent inside an agent', () => {
  const inner = report(below('claude', below('claude', hook)))
  expect(inner.above?.owner.pid).toBe(inner.links[1])
  expect(inner.above?.inside).toBe('claude')
  expect(report(below('claude', below('codex', hook))).above?.inside).toBe('claude')
})

test('the nearest agent decides whose hook it is', () => {
  const { above, links } = report(below('claude', below('codex', hook)))
  expect(above?.owner.pid).toBe(links[1])
  expect([above?.name, above?.inside]).toEqual(['codex', 'claude'])
})

test('a shell script of the name that starts the agent is no agent around it', () => {
  const script = join(folder, 'claude')
  writeFileSync(script, `${below('claude', hook)}\n`, { mode: 0o755 })
  const { above } = report(`sh ${quote(script)}`)
  expect(above).not.toBeNull()
  expect(above?.inside).toBeNull()
})

test('the process number that an agent tells its children counts where it is above them', () => {
  const told = `export CLAUDE_PID=$PPID; ${hook}`
  const { above, links } = report(below('wrapper', told))
  expect(above?.owner.pid).toBe(links[1])
  expect(report(below('wrapper', hook), { CLAUDE_PID: String(process.pid + 1) }).above).toBeNull()
  expect(report(below('wrapper', hook), { CLAUDE_PID: '0' }).above).toBeNull()
})

/** A process table from rows of number, parent, start and arguments. */
function fakeTable(rows: [pid: number, ppid: number, start: number, line: string][]): ProcessTable {
  const facts = new Map<number, ProcessFacts>(
    rows.map(([pid, ppid, start]) => [pid, { pid, ppid, start: String(start), zombie: false, comm: 'c' }])
  )
  return {
    facts: (pid) => facts.get(pid) ?? null,
    argv: (pid) => rows.find((row) => row[0] === pid)?.[3].split(' ') ?? null,
    env: () => null
  }
}

test('the launcher of an agent is above it and no agent of its own', () => {
  const rows: [number, number, number, string][] = [
    [1, 0, 1, 'init'],
    [10, 1, 10, 'node /usr/bin/gemini'],
    [11, 10, 11, 'node --max-old-space-size=9 /usr/bin/gemini'],
    [12, 11, 12, 'sh -c hook']
  ]
  const above = agentAbove(12, { agents, env: {}, table: fakeTable(rows) })
  expect(above).toMatchObject({ name: 'gemini', owner: { pid: 11 }, inside: null })
  const nested: typeof rows = [
    ...rows,
    [20, 12, 20, 'node /usr/bin/gemini -p hi'],
    [21, 20, 21, 'node --max-old-space-size=9 /usr/bin/gemini -p hi'],
    [22, 21, 22, 'sh -c hook']
  ]
  const inner = agentAbove(22, { agents, env: {}, table: fakeTable(nested) })
  expect(inner).toMatchObject({ name: 'gemini', owner: { pid: 21 }, inside: 'gemini' })
})

test('a parent that started later is another process of that number', () => {
  const chain = chainAbove(
    12,
    fakeTable([
      [1, 0, 1, 'init'],
      [10, 1, 50, 'claude'],
      [12, 10, 12, 'sh -c hook']
    ])
  )
  expect(chain).toMatchObject({ links: [], complete: false })
})

test('a chain without an end is cut off', () => {
  const rows = Array.from({ length: 200 }, (_, at): [number, number, number, string] => [at + 2, at + 1, at, 'sh'])
  const chain = chainAbove(201, fakeTable(rows))
  expect(chain.links).toHaveLength(64)
  expect(chain.complete).toBe(false)
})
