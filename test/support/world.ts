/**
 * Processes that need not exist: panes, agents and the hooks that they run, for tests of what a hook makes of them.
 * Verdicts are judged as on a real machine, from the processes as they are at that moment.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decide } from '../../src/core/decide.js'
import type { Decision } from '../../src/core/decision.js'
import { entryAt } from '../../src/core/entry.js'
import type { Evidence } from '../../src/core/evidence.js'
import { judgeOwner } from '../../src/core/owner.js'
import type { Entry, Index, Machine, Owner, Verdicts } from '../../src/core/schema.js'
import { ownersOf } from '../../src/core/verbs.js'
import { type HookOptions, type HookProbes, type HookReport, runHook } from '../../src/hooks/run-hook.js'
import type { ProcessFacts } from '../../src/probes/proc-linux.js'
import { loadIndex } from '../../src/store/store.js'

interface FakeProcess extends ProcessFacts {
  argv: readonly string[]
  env?: Env
}

type Env = Record<string, string>

export class World {
  readonly machine: Machine = { host: 'h', bootId: 'boot-1', ns: 'n' }
  readonly folder: string = mkdtempSync(join(tmpdir(), 'cri-world-'))
  readonly path: string = join(this.folder, 'index.json')
  now = 1_000_000
  private readonly processes = new Map<number, FakeProcess>()
  private nextPid = 100

  constructor() {
    this.processes.set(1, { pid: 1, ppid: 0, zombie: false, start: '1', comm: 'init', argv: ['init'] })
  }

  /** A process that runs from now on. */
  start(ppid: number, line: string, comm: string = line.split(' ')[0] ?? ''): number {
    const pid = this.nextPid++
    this.processes.set(pid, { pid, ppid, zombie: false, start: String(pid * 10), comm, argv: line.split(' ') })
    return pid
  }

  /** What the process was started with. */
  startedWith(pid: number, env: Env): void {
    const facts = this.processes.get(pid)
    if (facts !== undefined) facts.env = env
  }

  /** A process writes a title over its arguments. */
  rewrite(pid: number, argv: readonly string[]): void {
    const facts = this.processes.get(pid)
    if (facts !== undefined) facts.argv = argv
  }

  kill(pid: number): void {
    this.processes.delete(pid)
  }

  /** A tmux server, with what its panes have in their environment. */
  tmux(socket = '/tmp/tmux-0/default'): Tmux {
    const server = this.start(1, 'tmux', 'tmux: server')
    return { server, socket, env: (pane) => ({ TMUX: `${socket},${server},0`, TMUX_PANE: pane }) }
  }

  owner(pid: number): Owner {
    const { start = '' } = this.processes.get(pid) ?? {}
    return { ...this.machine, pid, start }
  }

  readonly probes: HookProbes = {
    machine: this.machine,
    table: {
      facts: (pid: number) => this.processes.get(pid) ?? null,
      hasTitle: (pid: number) => this.processes.get(pid)?.argv[0]?.endsWith(' ') ?? null,
      argv: (pid: number) => this.processes.get(pid)?.argv ?? null,
      env: (pid: number) => this.processes.get(pid)?.env ?? null
    },
    verdictsFor: (owners: readonly Owner[]): Verdicts =>
      owners.map((owner) => ({ owner, verdict: this.verdict(owner) }))
  }

  private verdict(owner: Owner): Verdicts[number]['verdict'] {
    const facts = this.processes.get(owner.pid)
    const seen =
      facts === undefined ? ({ state: 'gone' } as const) : ({ state: 'running', start: facts.start } as const)
    return judgeOwner(owner, this.machine, seen)
  }

  /** The agent's process runs a hook, with a shell between, as they do. */
  async hook(
    agent: string,
    from: number,
    env: Env,
    payload: object | string,
    more: HookOptions = {}
  ): Promise<HookReport> {
    const shell = this.start(from, 'sh -c hook', 'sh')
    const pid = this.start(shell, 'node cli.cjs hook', 'node')
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    this.now += 1000
    try {
      return await runHook(agent, text, {
        path: this.path,
        env,
        pid,
        now: () => this.now,
        probes: this.probes,
        ...more
      })
    } finally {
      this.kill(pid)
      this.kill(shell)
    }
  }

  index(): Index {
    return loadIndex(this.path)
  }

  /** The one entry that the index holds, or that of a surface whose id ends so. */
  entry(ending = ''): Entry {
    const found = Object.keys(this.index().entries).filter((surfaceId) => surfaceId.endsWith(ending))
    const entry = found.length === 1 ? entryAt(this.index(), found[0] ?? '') : null
    if (entry === null) throw new Error(`${found.length} entries end with ${JSON.stringify(ending)}`)
    return entry
  }

  surfaces(): string[] {
    return Object.keys(this.index().entries)
  }

  /** The decision on a surface, with what this world's probes see and what is said of transcripts. */
  decide(ending = '', transcript: Evidence['transcript'] = {}, more: Evidence = {}): Decision {
    const entry = this.entry(ending)
    const verdicts = this.probes.verdictsFor(Object.values(this.index().entries).flatMap(ownersOf))
    return decide(entry, { machine: this.machine, verdicts, transcript, ...more }, { now: this.now })
  }

  /** A tmux pane with an agent in it that has just started a session. */
  async pane(tmux: Tmux, pane: string, sessionId: string, agent = 'claude'): Promise<number> {
    const pid = this.start(this.start(tmux.server, 'bash'), agent)
    const report = await this.hook(agent, pid, tmux.env(pane), claudeEvent('SessionStart', sessionId))
    if (report.outcome !== 'captured') throw new Error(`not captured: ${JSON.stringify(report)}`)
    return pid
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export interface Tmux {
  readonly server: number
  readonly socket: string
  readonly env: (pane: string) => Env
}

/** What Claude Code tells its hook. */
export function claudeEvent(event: string, sessionId: string, more: object = {}): object {
  return {
    session_id: sessionId,
    transcript_path: `/home/dev/.claude/projects/-home-dev-p1/${sessionId}.jsonl`,
    cwd: '/home/dev/p1',
    hook_event_name: event,
    ...more
  }
}
