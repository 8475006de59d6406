/**
 * What a terminal multiplexer must do for a recovery: list its panes, and start a program in one.
 *
 * A driver never types into a pane, and never asks for the active one. A server that cannot be reached is unknown; a
 * server is absent only if it does not run. Every call has a time limit. test/terminals/conformance.ts tests a driver
 * for this.
 */

/** The position of a pane, as a person says it. */
export interface Position {
  readonly session: string
  readonly window: number
  readonly pane: number
}

/** A pane that a terminal server lists. */
export interface LivePane {
  /** The id that a hook inside the pane would report. */
  readonly surfaceId: string
  /** The incarnation of the server that the id belongs to. */
  readonly scope: string
  readonly position: Position
  readonly windowName: string
  /** The foreground program, as the multiplexer says it. */
  readonly command: string
  readonly cwd: string
  /** The first process of the pane. */
  readonly pid: number
  /** The program has ended, and the pane was kept. */
  readonly dead: boolean
}

/** What a terminal server lists. `unknown` proves nothing about any pane. */
export type Listing =
  /** `incomplete`: some panes are unreadable, so a pane that is not listed need not be gone. */
  | { readonly state: 'live'; readonly panes: readonly LivePane[]; readonly incomplete?: true }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly reason: string }

/** A program to start, as arguments. No shell reads them. */
export interface Start {
  /** Absent: the person's own shell. */
  readonly argv?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Where to open a window. */
export interface Place {
  readonly session: string
  /** The window's number, which must be free. @default the next number at the end of the session */
  readonly window?: number
  readonly windowName?: string
}

/** What a recovery needs of a terminal multiplexer. */
export interface TerminalDriver {
  readonly name: string
  list(): Promise<Listing>
  /** Opens a new window, and creates its session if needed. @throws NoAnswer; Error with the server's words */
  open(place: Place, start: Start): Promise<LivePane>
  /** Opens one more pane in the window of this pane. @throws NoAnswer; Error with the server's words */
  split(pane: LivePane, start: Start): Promise<LivePane>
  /**
   * Replaces the program of the pane, if it is still the listed one. It checks and replaces in one step, so it never
   * ends a program that was started since.
   * @throws NoAnswer; Error with the server's words, or if the pane runs something else
   */
  replace(pane: LivePane, start: Start): Promise<LivePane>
  /** The text on the pane; null: not available. */
  screen(pane: LivePane): Promise<string | null>
}

/** The terminal did not answer in time. It may have done what it was asked, or may do it later. */
export class NoAnswer extends Error {}

/** The panes that a driver lists. A driver that throws has not answered. */
export async function listingOf(driver: TerminalDriver): Promise<Listing> {
  try {
    return await driver.list()
  } catch (error) {
    return { state: 'unknown', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** An address such as `work:2.1`: session, window and pane. */
export function formatPosition({ session, window, pane }: Position): string {
  return `${session}:${window}.${pane}`
}

/** The parts of an address such as `work:2.1`. @returns null: it is no such address */
export function parsePosition(address: string): Position | null {
  const [, session, window, pane] = /^(.+):(\d{1,6})\.(\d{1,6})$/.exec(address) ?? []
  if (session === undefined) return null
  return { session, window: Number(window), pane: Number(pane) }
}
