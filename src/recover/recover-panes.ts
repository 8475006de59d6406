/**
 * The recovery pass into panes of the terminal.
 *
 * For each session that may be resumed it claims the session, finds its old place or makes a new one, moves the entry
 * to that surface, starts the agent there, and waits until the agent runs. A killed pass leaves at worst an idle pane
 * and a claim of a dead owner. The next pass recognises both.
 */
import { environmentFor } from '../agents/command.js'
import { agentEnv } from '../agents/launch-env.js'
import type { AgentTable } from '../agents/row.js'
import { AGENTS, rowFor, unionOf } from '../agents/table.js'
import { entryAt } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { rename } from '../core/rename.js'
import type { Entry } from '../core/schema.js'
import { noteAddress } from '../core/verbs.js'
import { clock } from '../probes/clock.js'
import { isYoung } from '../probes/idle-shell.js'
import { PatientClock } from '../probes/patience.js'
import { programPath } from '../probes/program-path.js'
import { serverWords } from '../probes/shared-server.js'
import { type ResumeOutcome, type ResumeTask, resumeAll } from '../resume/recover-all.js'
import { accountFor, type RecoveryProgress, type RecoveryReport } from '../resume/report.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition, type LivePane, NoAnswer, type Start, type TerminalDriver } from '../terminals/driver.js'
import { isTmuxSurface } from '../terminals/tmux-sockets.js'
import { copyAside } from './copy-aside.js'
import { findPane, isFree, layOut, leavesWithItsPane, type Spot, spotOf } from './places.js'
import { driverOf, homeSocket, type PlanOptions, type PlanRow, planRecovery } from './plan.js'
import { waitForAgent } from './wait-for-agent.js'

/** How a recovery into panes goes. */
export interface RecoverPanesOptions extends PlanOptions {
  /** @default the plan of planRecovery */
  readonly plan?: readonly PlanRow[] | undefined
  /** An agent has started when it has lived this long and asks nothing, in ms of a quiet machine. @default 3000 */
  readonly proofMs?: number | undefined
  /** How long to wait for each agent, in ms of a quiet machine. @default 30000 */
  readonly limitMs?: number | undefined
  readonly onProgress?: ((progress: RecoveryProgress) => void) | undefined
  /** Gets lines for the person, beside the rows. */
  readonly tell?: ((line: string) => void) | undefined
}

/** What a recovery into panes did with one entry. */
export type PaneRow = PlanRow & {
  /** Where it is now, if it was started. */
  readonly address?: string
}

/** All rows of a recovery into panes with their sums. */
export type PaneReport = RecoveryReport<PaneRow>

const PROOF_MS = 3000
const LIMIT_MS = 30_000
/** How long a new shell may take until it is idle, and a terminal server until it answers. */
const SHELL_MS = 5000
const PAUSE_MS = 50
const TRIES = 3

/**
 * Resumes every session that may be resumed, each in its pane.
 * @returns one row for each entry; resumed + pending + failed + skipped = total
 * @throws only if the index itself cannot be read
 * @example
 * import { openStore } from 'crash-resume-index'
 * import { recoverPanes } from 'crash-resume-index/tmux'
 * const { rows } = await recoverPanes(openStore(), { only: ({ repo }) => repo === 'golems' })
 */
export async function recoverPanes(store: Store, options: RecoverPanesOptions = {}): Promise<PaneReport> {
  const settled = { ...options, env: options.env ?? process.env, agents: options.agents ?? AGENTS }
  const plan = options.plan ?? (await planRecovery(store, settled))
  const wanted = plan.filter(({ reason, outcome }) => outcome === 'pending' && reason === 'planned')
  const pass = new Pass(store, settled)
  if (!options.signal?.aborted) {
    const { env, agents, tell = () => undefined } = settled
    // All of them first: one agent's start may harm the conversation of another.
    await copyAside(wanted, { view: store.path, env, agents, now: clock(options.now), tell })
    await pass.layOut(wanted)
  }
  const done = await resumeAll(
    store,
    wanted.map(({ surfaceId }) => surfaceId),
    { ...settled, resume: (task) => pass.resume(task) }
  )
  const found = new Map(done.map((row) => [row.surfaceId, row]))
  return accountFor(
    plan.map((row) => ({
      ...row,
      ...found.get(row.surfaceId),
      ...given({ address: pass.addresses.get(row.surfaceId) })
    }))
  )
}

type Settled = RecoverPanesOptions & { readonly env: Environment; readonly agents: AgentTable }
/** The command to start, for the surface that the entry has by then. */
type ArgvFor = (surfaceId: string) => readonly string[]
type Started = { readonly driver: TerminalDriver; readonly pane: LivePane }

class Pass {
  /** Where entries were started, by their surface before. */
  readonly addresses: Map<string, string> = new Map()
  /** The panes that an entry was given. */
  private readonly given = new Set<string>()
  private readonly drivers = new Map<string, TerminalDriver>()
  /** One entry at a time looks for a place and takes it. */
  private turn: Promise<unknown> = Promise.resolve()
  private toldBusy = false

  constructor(
    private readonly store: Store,
    private readonly options: Settled
  ) {}

  /** Creates the panes that are missing at the old positions. */
  async layOut(rows: readonly PlanRow[]): Promise<void> {
    const index = await this.store.load()
    const missing = rows.flatMap(({ spot, place, entry }) =>
      place === 'rebuilt' && spot?.position && entry
        ? [
            {
              socket: spot.socket,
              position: spot.position,
              name: entry.role ?? entry.repo,
              ...given({ cwd: entry.cwd })
            }
          ]
        : []
    )
    for (const socket of new Set(missing.map((one) => one.socket))) {
      const wanted = missing.filter((one) => one.socket === socket)
      await layOut(this.driver(socket), wanted, index)
    }
  }

  async resume({ entry, attempt, spec }: ResumeTask): Promise<ResumeOutcome> {
    const { store, options } = this
    const { env, agents, proofMs = PROOF_MS, limitMs = LIMIT_MS } = options
    const row = rowFor(entry.agent, agents)
    const file = programPath(spec.file, env)
    if (file === null) return { failed: 'not_started', why: `${spec.file} is not on the PATH` }
    const own = row === undefined ? [] : serverWords(row, [file], spec.args, environmentFor(spec, env))
    const args = [...spec.args, ...(typeof own === 'string' ? [] : own)]
    // The variables of this process, where the entry has none. The terminal server may not have them.
    const homes = [...unionOf(agents, 'homeVariables'), 'PATH'].flatMap((variable) =>
      env[variable] === undefined || spec.unsetEnv.includes(variable) ? [] : [variable]
    )
    const argvFor: ArgvFor = (surfaceId) => {
      const set = { ...spec.env, CRASH_RESUME_SURFACE: surfaceId, CRASH_RESUME_INDEX_PATH: store.path }
      const words = [...homes.map((variable) => [variable, env[variable]]), ...Object.entries(set)]
      const unset = spec.unsetEnv.flatMap((variable) => ['-u', variable])
      // The pane stays when the agent ends, as if a person had started it.
      const script = 'env "$@"; exec "$SHELL"'
      return ['/bin/sh', '-c', script, 'sh', ...unset, ...words.map((pair) => pair.join('=')), file, ...args]
    }
    const started = await this.inTurn(() => this.start(entry, argvFor, spec.cwd))
    if ('failed' in started) return started
    this.addresses.set(entry.surfaceId, formatPosition(started.pane.position))
    const onBusy = (): void => this.tellBusy()
    return waitForAgent({
      ...started,
      store,
      row,
      entry,
      attempt,
      env: agentEnv(row, entry, env),
      proofMs,
      limitMs,
      onBusy
    })
  }

  /** Finds a place, moves the entry there, and starts the agent. */
  private async start(
    entry: Entry,
    argvFor: ArgvFor,
    cwd: string | undefined
  ): Promise<Started | Exclude<ResumeOutcome, 'ok' | { result: unknown }>> {
    const spot = spotOf(entry, homeSocket(this.options.env))
    const driver = this.driver(spot.socket)
    let { surfaceId } = entry
    let trouble: unknown
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        // After a first failure, a window of its own.
        const free = tries === 0 ? await this.free(entry, spot, driver) : null
        const pane = free ?? (await this.opened(entry, spot, driver))
        this.given.add(pane.surfaceId)
        surfaceId = await this.bind(entry, surfaceId, pane)
        // The shell that is left when the agent ends keeps the name of a named surface.
        const named: Start['env'] = isTmuxSurface(surfaceId) ? {} : { CRASH_RESUME_SURFACE: surfaceId }
        return await this.replaced(driver, pane, { argv: argvFor(surfaceId), env: named, ...given({ cwd }) })
      } catch (error) {
        trouble = error
      }
    }
    return { failed: 'not_started', why: oneLine(trouble) }
  }

  /** Starts the program in the pane. Without an answer it may be running, so it is never started a second time. */
  private async replaced(
    driver: TerminalDriver,
    pane: LivePane,
    start: Start
  ): Promise<Started | { readonly failed: 'timeout'; readonly why: string }> {
    try {
      return { driver, pane: await driver.replace(pane, start) }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const why = `${oneLine(error)}; it may have been started in ${formatPosition(pane.position)}`
      for (const clock = new PatientClock(); clock.elapsed < SHELL_MS; await clock.pause(PAUSE_MS)) {
        const listing = await driver.list()
        const now = listing.state === 'live' ? listing.panes.find((one) => one.surfaceId === pane.surfaceId) : undefined
        if (now !== undefined && now.pid !== pane.pid) return { driver, pane: now }
      }
      return { failed: 'timeout', why }
    }
  }

  /** The old pane, once its shell is idle; null: missing, or busy. */
  private async free(entry: Entry, spot: Spot, driver: TerminalDriver): Promise<LivePane | null> {
    for (const clock = new PatientClock(); ; await clock.pause(PAUSE_MS)) {
      const panes = await this.panes(driver)
      const found = findPane(entry, spot, panes, await this.store.load(), this.given)
      if (found !== null || clock.elapsed > SHELL_MS) return found
      const starting = panes.some(
        (pane) =>
          formatPosition(pane.position) === entry.address && isYoung(pane.pid) && !this.given.has(pane.surfaceId)
      )
      if (!starting) return null
    }
  }

  /** A new window, once its shell is idle. */
  private async opened(entry: Entry, spot: Spot, driver: TerminalDriver): Promise<LivePane> {
    const place = { session: spot.session, windowName: entry.role ?? entry.repo }
    const made = await driver.open(place, given({ cwd: entry.cwd }))
    for (const clock = new PatientClock(); clock.elapsed < SHELL_MS; await clock.pause(PAUSE_MS)) {
      const pane = (await this.panes(driver)).find((one) => one.surfaceId === made.surfaceId)
      if (pane !== undefined && isFree(pane)) return pane
    }
    throw new Error('the new window did not start')
  }

  /** The panes of the server; none if it does not run. @throws if it does not answer */
  private async panes(driver: TerminalDriver): Promise<readonly LivePane[]> {
    for (const clock = new PatientClock(); ; await clock.pause(PAUSE_MS)) {
      const listing = await driver.list()
      if (listing.state === 'live') return listing.panes
      if (listing.state === 'absent') return []
      if (clock.elapsed > SHELL_MS) throw new Error(`the terminal server does not answer: ${listing.reason}`)
    }
  }

  /**
   * Moves the entry to this pane.
   * @param from its surface now
   * @throws ERR_CONFLICT if another entry is there
   */
  private async bind(entry: Entry, from: string, pane: LivePane): Promise<string> {
    const surfaceId = isTmuxSurface(entry.surfaceId) ? pane.surfaceId : entry.surfaceId
    await this.store.update((index) => {
      const moves = leavesWithItsPane(entry, pane) && from !== surfaceId && entryAt(index, from) !== null
      const moved = moves ? rename(index, from, surfaceId) : index
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

  private tellBusy(): void {
    if (!this.toldBusy) this.options.tell?.('this machine is very busy, so agents get more time to start')
    this.toldBusy = true
  }
}
