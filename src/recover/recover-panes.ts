/**
 * Everyone back into the terminal after a crash: the recovery pass, with panes to resume in.
 *
 * Each session that may be resumed is claimed, given its old place where that is free (else one made for it), bound to
 * the surface that it then has, started there as arguments, and looked after until it is up. A pass that is killed
 * leaves at worst an idle pane and a claim of a dead owner; the next one sees through both.
 */

import { AGENTS, rowFor, unionOf } from '../agents/table.js'
import { entryAt } from '../core/entry.js'
import { rename } from '../core/rename.js'
import type { Entry } from '../core/schema.js'
import { noteAddress } from '../core/verbs.js'
import { lookAtAgents } from '../probes/agent-look.js'
import { programPath } from '../probes/program-path.js'
import {
  accountFor,
  type RecoverOptions,
  type RecoveryReport,
  type ResumeOutcome,
  type ResumeTask,
  recoverAll
} from '../resume/recover-all.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition, type LivePane, type Start, type TerminalDriver } from '../terminals/driver.js'
import { isTmuxSurface } from '../terminals/tmux-sockets.js'
import { copyAside } from './backup-transcript.js'
import { findPane, isFree, isYoung, layOut, leavesWithItsPane, spotOf } from './places.js'
import { driverOf, homeSocket, type PlanOptions, type PlanRow, planRecovery } from './plan.js'
import { comeUp } from './wait-for-agent.js'

export interface RecoverPanesOptions extends PlanOptions, Pick<RecoverOptions, 'onProgress' | 'signal'> {
  /** @default planRecovery's */
  readonly plan?: readonly PlanRow[]
  /** An agent that lives so long without asking anything has come up, in ms. @default 3000 */
  readonly proofMs?: number
  /** How long to wait for an agent, in ms. @default 30000 */
  readonly limitMs?: number
  /** Lines for the person, beside the rows. */
  readonly tell?: (line: string) => void
}

export interface PaneReport extends RecoveryReport {
  readonly rows: readonly (PlanRow & {
    /** Where it is now; only for those that were started. */
    readonly address?: string
  })[]
}

const PROOF_MS = 3000
const LIMIT_MS = 30_000
/** A shell that has just been started needs this at most until it waits. */
const SHELL_MS = 5000
const TRIES = 3

/**
 * Brings back what may be brought back, each in its pane.
 * @returns one row an entry; resumed + pending + failed + skipped = total
 * @throws only where the index itself cannot be read
 */
export async function recoverPanes(store: Store, options: RecoverPanesOptions = {}): Promise<PaneReport> {
  const env = options.env ?? process.env
  const agents = options.agents ?? AGENTS
  const plan = options.plan ?? (await planRecovery(store, options))
  const wanted = plan.filter(({ reason, outcome }) => outcome === 'pending' && reason === 'planned')
  const pass = new Pass(store, { ...options, env, agents })
  if (!options.signal?.aborted) await pass.layOut(wanted)
  const ids = new Set(wanted.map(({ surfaceId }) => surfaceId))
  const done = await recoverAll(store, {
    ...options,
    agents,
    observe: options.observe ?? lookAtAgents({ agents, env }),
    only: ({ surfaceId }) => ids.has(surfaceId),
    resume: (task) => pass.resume(task)
  })
  const found = new Map(done.rows.map((row) => [row.surfaceId, row]))
  const rows = plan.map((row) => {
    if (!ids.has(row.surfaceId)) return row
    const after = found.get(row.surfaceId)
    // Another recovery has bound it to its new surface meanwhile, or it was forgotten.
    if (after === undefined) return { ...row, outcome: 'skipped' as const, reason: 'taken' }
    const address = pass.addresses.get(row.surfaceId)
    return { ...row, ...after, ...(address === undefined ? {} : { address }) }
  })
  return accountFor(rows)
}

type Settled = RecoverPanesOptions & Required<Pick<RecoverPanesOptions, 'env' | 'agents'>>

class Pass {
  /** Where entries were started, by the surface that they had before. */
  readonly addresses: Map<string, string> = new Map()
  /** Panes that an entry was given. */
  private readonly given = new Set<string>()
  private readonly drivers = new Map<string, TerminalDriver>()
  /** One at a time looks for a place and takes it. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly store: Store,
    private readonly options: Settled
  ) {}

  /** Panes at the old positions, where there are none. */
  async layOut(rows: readonly PlanRow[]): Promise<void> {
    const index = await this.store.load()
    const bySocket = new Map<string, PlanRow[]>()
    for (const row of rows) {
      if (row.spot === undefined || row.place !== 'rebuilt') continue
      bySocket.set(row.spot.socket, [...(bySocket.get(row.spot.socket) ?? []), row])
    }
    for (const [socket, ones] of bySocket) {
      const wanted = ones.flatMap(({ spot, entry }) =>
        spot?.position && entry
          ? {
              position: spot.position,
              name: entry.role ?? entry.repo,
              ...(entry.cwd === undefined ? {} : { cwd: entry.cwd })
            }
          : []
      )
      await layOut(this.driver(socket), wanted, index)
    }
  }

  async resume({ entry, attempt, spec }: ResumeTask): Promise<ResumeOutcome> {
    const { store, options } = this
    const { env, agents, tell } = options
    const row = rowFor(entry.agent, agents)
    const file = programPath(spec.file, env)
    if (file === null) return { failed: 'not_started', why: `${spec.file} is not on the PATH` }
    const aside = await copyAside(row, entry, store.path, env)
    if (aside !== null) tell?.(aside.why)
    // As this process was told; a terminal server may not have been.
    const told = [...unionOf(agents, 'homeVariables'), 'PATH']
    const homes = told.flatMap((name) => (env[name] === undefined ? [] : [`${name}=${env[name]}`]))
    const argvFor = (surfaceId: string): readonly string[] => {
      const set = { ...spec.env, CRASH_RESUME_SURFACE: surfaceId, CRASH_RESUME_INDEX_PATH: store.path }
      const words = Object.entries(set).map(([name, value]) => `${name}=${value}`)
      const unset = spec.unsetEnv.flatMap((name) => ['-u', name])
      // The pane stays when the agent ends, as if it had been started by hand.
      const script = 'env "$@"; exec "$SHELL"'
      return ['/bin/sh', '-c', script, 'sh', ...unset, ...homes, ...words, file, ...spec.args]
    }
    const started = await this.inTurn(() => this.start(entry, argvFor, spec.cwd))
    if ('trouble' in started) return { failed: 'not_started', why: oneLine(started.trouble) }
    const { driver, pane } = started
    this.addresses.set(entry.surfaceId, formatPosition(pane.position))
    const { proofMs = PROOF_MS, limitMs = LIMIT_MS } = options
    return comeUp({ store, driver, pane, row, sessionId: entry.sessionId, attempt, proofMs, limitMs, env })
  }

  /** Finds a place, binds the entry to it, and starts the agent there. */
  private async start(
    entry: Entry,
    argvFor: (surfaceId: string) => readonly string[],
    cwd: string | undefined
  ): Promise<{ readonly driver: TerminalDriver; readonly pane: LivePane } | { readonly trouble: unknown }> {
    const spot = spotOf(entry, homeSocket(this.options.env))
    const driver = this.driver(spot.socket)
    let trouble: unknown
    for (let tries = 0; tries < TRIES; tries++) {
      // After a first disappointment a place of its own.
      const pane =
        (tries === 0 ? await this.free(entry, spot, driver) : null) ?? (await this.opened(entry, spot, driver))
      this.given.add(pane.surfaceId)
      try {
        const surfaceId = await this.bind(entry, pane)
        const where = cwd === undefined ? {} : { cwd }
        // What belongs to a named surface keeps its name in the shell that is left when the agent ends.
        const named: Start['env'] = isTmuxSurface(surfaceId) ? {} : { CRASH_RESUME_SURFACE: surfaceId }
        return { driver, pane: await driver.replace(pane, { argv: argvFor(surfaceId), env: named, ...where }) }
      } catch (error) {
        trouble = error
      }
    }
    return { trouble }
  }

  /** The pane of old, once its shell waits. */
  private async free(entry: Entry, spot: ReturnType<typeof spotOf>, driver: TerminalDriver): Promise<LivePane | null> {
    const end = performance.now() + SHELL_MS
    for (;;) {
      const listing = await driver.list()
      const panes = listing.state === 'live' ? listing.panes : []
      const found = findPane(entry, spot, panes, await this.store.load(), this.given)
      if (found !== null) return found
      const starting = panes.find(
        (pane) => formatPosition(pane.position) === entry.address && isYoung(pane) && !this.given.has(pane.surfaceId)
      )
      if (starting === undefined || performance.now() > end) return null
      await pause()
    }
  }

  /** A new window, once its shell waits. */
  private async opened(entry: Entry, spot: ReturnType<typeof spotOf>, driver: TerminalDriver): Promise<LivePane> {
    const place = { session: spot.session, windowName: entry.role ?? entry.repo }
    const made = await driver.open(place, entry.cwd === undefined ? {} : { cwd: entry.cwd })
    const end = performance.now() + SHELL_MS
    for (;;) {
      const listing = await driver.list()
      const pane = listing.state === 'live' ? listing.panes.find((one) => one.surfaceId === made.surfaceId) : undefined
      if (pane !== undefined && isFree(pane)) return pane
      if (pane === undefined || performance.now() > end) throw new Error('the new window did not come up')
      await pause()
    }
  }

  /** The entry is on this pane from now on. @throws ERR_CONFLICT where another one is */
  private async bind(entry: Entry, pane: LivePane): Promise<string> {
    const { surfaceId: before } = entry
    const surfaceId = isTmuxSurface(before) ? pane.surfaceId : before
    await this.store.update((index) => {
      const moves = leavesWithItsPane(entry, pane) && entryAt(index, before) !== null
      const moved = moves ? rename(index, before, surfaceId) : index
      return noteAddress(moved, { surfaceId, address: formatPosition(pane.position), scope: pane.scope })
    })
    return surfaceId
  }

  private driver(socket: string): TerminalDriver {
    const driver = this.drivers.get(socket) ?? driverOf(socket, this.options)
    this.drivers.set(socket, driver)
    return driver
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work)
    this.turn = mine.catch(() => undefined)
    return mine
  }
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, 50))
}
