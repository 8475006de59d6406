/**
 * The shapes: what an index and an entry hold, in memory and (but for the fields marked so) on disk.
 *
 * The interfaces come first and are the contract; `validate.ts` checks data against them.
 * Times are milliseconds since the epoch. A file with only `version` and `entries`, and in an entry
 * only the first six fields, is valid: the rest has the defaults given here.
 */

/** The file format this library writes. A larger number is read where it parses and never written. */
export const INDEX_VERSION = 1

/** A machine in one of its boots. `host` is the machine id, not its name; `ns` the process namespace. */
export interface Machine {
  readonly host: string
  readonly bootId?: string
  readonly ns?: string
}

/** A linked worktree of git: what it takes to bring its folder back. */
export interface Worktree {
  /** Its top folder. */
  readonly path: string
  /** The folder of the repository: its main worktree, or the bare repository itself. */
  readonly origin: string
  /** Absent: none was checked out. */
  readonly branch?: string
}

/** A process that cannot be confused with a later one of the same number: `start` is the kernel's start time. */
export interface Owner extends Machine {
  readonly pid: number
  readonly start?: string
}

/** The process of an agent. */
export interface AgentOwner extends Owner {
  /**
   * The session was seen or recorded here after this, without a process: it may run in another one by now, so the death
   * of this one proves nothing. Never by a clock.
   */
  readonly seen_since?: true
}

/** Whether a process runs: `alive` and `dead` are proof, `unknown` is neither. */
export type Verdict = 'alive' | 'dead' | 'unknown'

/** Verdicts are looked up by the whole owner; one that is not listed is unknown. */
export type Verdicts = readonly { readonly owner: Owner; readonly verdict: Verdict }[]

export const ENTRY_STATES = ['minted', 'ready', 'spawn_failed', 'ended'] as const
/** Where a session stands: written ahead of its start, started, failed to start, or ended on purpose. */
export type EntryState = (typeof ENTRY_STATES)[number]
/** From the freest to the strictest. */
export const POLICIES = ['auto', 'manual', 'off'] as const
/** What a recovery pass may do with a surface: resume it on its own, only on a person's word, or not at all. */
export type Policy = (typeof POLICIES)[number]
export const ATTEMPT_KINDS = ['spawn', 'resume'] as const
/** What an attempt starts: a new session, or an old one again. */
export type AttemptKind = (typeof ATTEMPT_KINDS)[number]
/** The first three prove that the attempt's process is gone. */
export const FAILURE_KINDS = ['not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other'] as const
/** How an attempt failed. The first three prove that its process is gone. */
export type FailureKind = (typeof FAILURE_KINDS)[number]
export const PREVIOUS_REASONS = [
  'rotated',
  'replaced',
  'moved',
  'ended',
  'superseded',
  'session_gone',
  'never_started'
] as const
/** Why a session gave way to another one. */
export type PreviousReason = (typeof PREVIOUS_REASONS)[number]

/** The open write-ahead of a spawn or a resume: on disk while it runs. */
export interface Attempt {
  readonly id: string
  readonly kind: AttemptKind
  readonly owner: Owner
  readonly at: number
}

/** How the last write-ahead ended. `seen`: a sighting of the session closed it before its owner settled it. */
export interface LastAttempt {
  readonly id: string
  readonly kind: AttemptKind
  /** When it was settled. */
  readonly at: number
  /** When it was opened, where that is another moment: what it started is no older. */
  readonly began?: number
  readonly result: 'ok' | 'seen' | FailureKind
  readonly why?: string
  /** Whose attempt it was: a reboot since then ended whatever it had started. */
  readonly owner?: Owner
  /** A session was seen alive here after this: the result proves nothing about what runs now. Never by a clock. */
  readonly seen_since?: true
}

/** Long work inside a running session; it outlives attempts and rotations. */
export interface Dispatch {
  readonly id: string
  readonly step: string
  readonly owner: Owner
  readonly at: number
  readonly result: 'open' | 'ok' | 'failed'
  readonly why?: string
}

/** A session that this surface held before, newest first in `Entry.previous`. */
export interface Previous {
  readonly sessionId: string
  readonly until: number
  readonly why: PreviousReason
}

/** A transcript at one moment. */
export interface TranscriptMark {
  /** In bytes. */
  readonly size: number
  /** A hash of its first 4 KiB, or of all of it where it is shorter. */
  readonly head: string
}

/** One surface and the session it holds. */
export interface Entry {
  readonly surfaceId: string
  readonly sessionId: string
  readonly repo: string
  readonly role: string | null
  /** The surface's first sight; it never changes. */
  readonly captured_at: number
  readonly last_active: number
  /** The agent program: 'claude', 'codex', ... Absent: the established launcher form of the repo. */
  readonly agent?: string
  /** The folder the agent was launched in. */
  readonly cwd?: string
  /** The worktree that cwd lies in. */
  readonly worktree?: Worktree
  /** The transcript path that the agent itself reported. */
  readonly transcript?: string
  /** The transcript at the last sighting: a smaller one, or one that begins otherwise, has lost something since. */
  readonly mark?: TranscriptMark
  /** Hooks of it: true: a prompt was sent in it; false: they saw it begin, and no prompt since. Absent: not known. */
  readonly prompted?: boolean
  /** Launch flags, only those on the agent row's allow-list. */
  readonly flags?: readonly string[]
  /** Launch flags that loosen what the agent may do, by name: no start gives them back without a person's word. */
  readonly withheld?: readonly string[]
  /**
   * Where the agent keeps its sessions and which account it is: the variables of its row that it was launched with.
   * Those that are not here were not set then. Absent: not known. Never a secret.
   */
  readonly env?: Readonly<Record<string, string>>
  /** The incarnation of the id space that surfaceId belongs to, e.g. one tmux server's life. */
  readonly scope?: string
  /** The position as a person says it, e.g. tmux "work:2.1". */
  readonly address?: string
  /** `ready`: known and started at least once. */
  readonly state: EntryState
  /** Why it ended. `moved`, `superseded`, `session_gone` and `left` (by its person) are reserved. */
  readonly reason?: string
  /** Of ended(moved): the surface that the session moved to. */
  readonly moved_to?: string
  /** +1 whenever sessionId changes. */
  readonly gen: number
  /** The machine and boot that last saw the session alive or started it. */
  readonly seen?: Machine
  /** The process of the agent itself. */
  readonly proc?: AgentOwner
  /** A hook saw the session alive, and could not tell its process: that no process is recognised proves nothing. */
  readonly proc_unknown?: true
  readonly attempt?: Attempt
  readonly last_attempt?: LastAttempt
  readonly attempts: number
  readonly dispatch?: Dispatch
  /** What a hook said at the session's end; not proof of death. */
  readonly last_exit?: { readonly at: number; readonly reason: string }
  readonly policy: Policy
  /** At most PREVIOUS_LIMIT. */
  readonly previous: readonly Previous[]
  /** The caller's own. */
  readonly meta?: Readonly<Record<string, string>>
}

/** How many earlier sessions an entry keeps. */
export const PREVIOUS_LIMIT = 8

/** An entry that does not pass validation: kept as it is, written back verbatim, never read as absent. */
export interface UnreadableEntry {
  readonly raw: unknown
  readonly reason: string
}

/** What a load or a write noticed; none of it stopped the work. */
export type WarningCode =
  | 'index_damaged'
  | 'index_incomplete'
  | 'index_newer'
  | 'entry_unreadable'
  | 'revision_unreadable'
  | 'view_foreign'
  | 'view_unreadable'
  | 'view_not_published'
  | 'cleanup_failed'
  | 'lock_unavailable'
  | 'lock_odd'
  | 'no_hard_links'

/** Something that did not stop the work and that a person should know. */
export interface Warning {
  readonly code: WarningCode
  /** What is so, without what to do. */
  readonly message: string
  /** What to do about it; absent where nothing has to be done. */
  readonly next?: string
}

/** What the load of an index found. */
export interface IndexStatus {
  /** True when a file was there and nothing of it could be read: the index is empty because nothing is known. */
  readonly damaged: boolean
  /** True where entries may be missing: the index, or a revision of it, was lost. What it lacks is not known as absent. */
  readonly incomplete?: true
  readonly warnings: readonly Warning[]
}

/** The file's own field (in `extra`) that says since when entries may be missing, ms since the epoch. */
export const INCOMPLETE_FIELD = 'incomplete_since'

/** Where an index was loaded from; saveIndex commits only onto that. Opaque. */
export interface Origin {
  readonly path: string
  readonly token: string
}

/** The whole map. Verbs never change one; they return another. */
export interface Index {
  readonly version: number
  /** Absent in an index that no revision holds yet. */
  readonly revision?: number
  /** Own keys only: look entries up with `lookup`, which never answers from a prototype. */
  readonly entries: Readonly<Record<string, Entry>>
  /** In memory only: entries that could not be read. */
  readonly unreadable?: Readonly<Record<string, UnreadableEntry>>
  /** In memory only: what the load found. Absent: all was well. */
  readonly status?: IndexStatus
  /** In memory only. Absent: never loaded. */
  readonly origin?: Origin
  /** In memory only: the file's unknown top-level fields, written back as they were. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** How an agent is launched on a surface. Absent, of an entry that there is: keep what is known. */
export interface LaunchFacts {
  readonly surfaceId: string
  readonly role?: string | null | undefined
  readonly agent?: string | undefined
  /** The launch folder. */
  readonly cwd?: string | undefined
  /** Launch flags, only those on the agent row's allow-list. */
  readonly flags?: readonly string[] | undefined
  /** Launch flags that loosen what the agent may do, by name. */
  readonly withheld?: readonly string[] | undefined
  /** The variables of the agent's row that it is launched with. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** A sighting: this session is on this surface. */
export interface Sighting extends LaunchFacts {
  readonly sessionId: string
  readonly repo: string
  /** Absent, in the folder that is known: keep what is known. */
  readonly worktree?: Worktree | undefined
  readonly transcript?: string | undefined
  /** Of the transcript now. Absent: keep what is known. */
  readonly mark?: TranscriptMark | undefined
  /** False for a new session without a prompt. Absent: keep what is known. */
  readonly prompted?: boolean | undefined
  readonly scope?: string | undefined
  readonly address?: string | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  readonly seen?: Machine | undefined
  readonly proc?: Owner | undefined
  /** It was seen alive by something that could not tell its process. */
  readonly proc_unknown?: true | undefined
  /** The processes above the agent's, nearest first. */
  readonly ancestors?: readonly Owner[] | undefined
  /** The session of this surface whose conversation goes on in this one, by what the agent left on disk. */
  readonly continues?: string | undefined
  /** True for a headless or nested agent: it changes nothing. */
  readonly nested?: boolean | undefined
}

/** What `record` takes: a sighting without a process. */
export interface RecordInput extends Omit<Sighting, 'proc' | 'proc_unknown' | 'ancestors' | 'continues' | 'nested'> {}

/** What a sighting changed; `nested` and `duplicate` changed nothing. */
export type ObserveOutcome = 'captured' | 'refreshed' | 'rotated' | 'moved' | 'nested' | 'duplicate'
