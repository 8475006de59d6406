/**
 * What a terminal multiplexer must be able to do for a recovery: tell its panes, and start a program in one.
 *
 * A driver never types into a pane and never asks for the active one. A server that cannot be reached is unknown; only
 * one that is not there is absence. Every call has a time limit. test/terminals/conformance.ts holds a driver to this.
 */

/** Where a pane is, as a person says it. */
export interface Position {
  readonly session: string
  readonly window: number
  readonly pane: number
}

export interface LivePane {
  /** The same id that a hook inside the pane would report. */
  readonly surfaceId: string
  /** The server's life that the id belongs to. */
  readonly scope: string
  readonly position: Position
  readonly windowName: string
  /** What runs in the foreground, by the multiplexer's word. */
  readonly command: string
  readonly cwd: string
  /** The process that the pane was started with. */
  readonly pid: number
  /** The program has ended and the pane was kept. */
  readonly dead: boolean
}

export type Listing =
  /** `incomplete`: some panes are listed in a form that cannot be read, so that one which is missing need not be gone. */
  | { readonly state: 'live'; readonly panes: readonly LivePane[]; readonly incomplete?: true }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly reason: string }

/** What is to be started, as arguments; nothing of it passes a shell. */
export interface Start {
  /** Absent: the person's own shell. */
  readonly argv?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Place {
  readonly session: string
  /** The window's number, which must be free. @default the next one at the end of the session */
  readonly window?: number
  readonly windowName?: string
}

export interface TerminalDriver {
  readonly name: string
  list(): Promise<Listing>
  /** A new window; its session is made where it is not there. @throws NoAnswer; Error with the server's words */
  open(place: Place, start: Start): Promise<LivePane>
  /** One more pane in the window of this one. @throws NoAnswer; Error with the server's words */
  split(pane: LivePane, start: Start): Promise<LivePane>
  /**
   * The program in the place of what the pane runs, as long as that is what was listed: looked at and done in one, so
   * that nothing that was started since is ended. @throws NoAnswer; Error with the server's words, or that it runs something else
   */
  replace(pane: LivePane, start: Start): Promise<LivePane>
  /** What the pane shows, as text; null where it could not be had. */
  screen(pane: LivePane): Promise<string | null>
}

/** The terminal did not answer in time. What was asked for may have been done, or may be done later. */
export class NoAnswer extends Error {}

/** What a driver lists; one that throws has not answered. */
export async function listingOf(driver: TerminalDriver): Promise<Listing> {
  try {
    return await driver.list()
  } catch (error) {
    return { state: 'unknown', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** `work:2.1`, and back; null for what is no such address. */
export function formatPosition({ session, window, pane }: Position): string {
  return `${session}:${window}.${pane}`
}

export function parsePosition(address: string): Position | null {
  const [, session, window, pane] = /^(.+):(\d{1,6})\.(\d{1,6})$/.exec(address) ?? []
  if (session === undefined) return null
  return { session, window: Number(window), pane: Number(pane) }
}
