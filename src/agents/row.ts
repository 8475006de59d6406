/**
 * What must be known of an agent program to start, pin and resume it: one row an agent, supplied by src/agents or by
 * the caller. Rows are data and pure functions; nothing here looks at a disk.
 */

/**
 * What follows a flag: nothing, one argument, one that may be missing, or all that come before the next flag. An
 * argument that begins with `-` must be joined to its flag by `=`.
 */
export type FlagArity = 0 | 1 | 'optional' | 'many'
/** Flags by their spelling, each alias on its own. */
export type FlagTable = Readonly<Record<string, FlagArity>>

/** What the home folder and the environment say about where an agent keeps its files. */
export interface AgentPlace {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The launch folder, resolved; absent where it is not known. */
  readonly cwd?: string
}

/** Where a session's transcript may be: tried in order. */
export type TranscriptPlace =
  /** Exactly this file. `root`: the folder of all sessions; without it the agent must keep them elsewhere. */
  | { readonly kind: 'file'; readonly path: string; readonly root?: string }
  | TranscriptFolder
  /** A row in an SQLite file: the query has the session's id as its one parameter, and a result where it exists. */
  | { readonly kind: 'sqlite'; readonly path: string; readonly query: string }
  /** A store that this library cannot read; the answer is unknown. */
  | { readonly kind: 'opaque'; readonly path: string }

/** A file of this name, in the folder or at most `depth` folders below it. Without the folder, as without `root`. */
export interface TranscriptFolder {
  readonly kind: 'folder'
  readonly folder: string
  readonly depth: number
  readonly name: string | RegExp
  /** Folders below it that are looked into first. */
  readonly likely?: readonly string[]
  /** Where the name does not hold the whole id: the field of the first line's JSON that does. */
  readonly idField?: string
  /** What a line's JSON has where the session holds a message, for agents that leave files without any. */
  readonly message?: { readonly field: string; readonly values: readonly string[] }
  /** Put away by the person: whether such a session can be resumed is not known. */
  readonly archived?: boolean
}

export interface AgentRow {
  readonly name: string
  /** The program to run; a caller's row may give a path. */
  readonly file: string
  /** Names of its program among processes: in `argv[0]`, or as a script's file name without its ending. */
  readonly programs: readonly string[]
  /** npm packages whose scripts are the agent when Node runs them. */
  readonly packages?: readonly string[]
  /** The variable in which it tells its children its own process number. */
  readonly pidVariable?: string
  /** False: only the resume form is known, from documentation, and nothing of it was seen. */
  readonly verified: boolean
  /** Arguments that resume a session interactively. */
  readonly resume: (sessionId: string) => readonly string[]
  /** The same without a terminal, with the next message and the kept flags; null: no such form is known. */
  readonly resumeHeadless: ((sessionId: string, prompt: string, flags: readonly string[]) => readonly string[]) | null
  /** What hands an interactive start its first message; null: no such form is known. */
  readonly promptArgs: ((prompt: string) => readonly string[]) | null
  /** Arguments that start a session under a chosen id; null: the agent cannot be given one. */
  readonly pin: ((sessionId: string) => readonly string[]) | null
  /** What the agent takes for an id; anything else would start another session, or hang in a picker. */
  readonly sessionId: RegExp
  /** Variables that must not reach what we start, besides those that every agent has unset. */
  readonly unsetEnv: readonly string[]
  /** The agent finds a session only from its launch folder (in some supported version). */
  readonly resumeBoundToCwd: boolean
  /** The agent itself refuses an id that is live elsewhere. */
  readonly refusesLiveId: boolean
  /** Known to go wrong, one line each, with the versions it was seen in. */
  readonly hazards: readonly string[]
  /** Launch flags that a resume keeps. */
  readonly keepFlags: FlagTable
  /** Launch flags that it keeps on a person's word only: what loosens permissions, or names settings. */
  readonly grantFlags?: FlagTable
  /** Of both, those that the form without a terminal does not take. */
  readonly terminalFlags?: readonly string[]
  /** Flags that choose the session, and give way to ours whatever else is kept. */
  readonly identityFlags: readonly string[]
  /** Where a transcript may be; empty: not known. */
  readonly transcripts: (sessionId: string, place: AgentPlace) => readonly TranscriptPlace[]
  /** What it says on its output where the session is not to be found, in any supported version. */
  readonly sessionGone?: RegExp
  /** What it shows while it waits for an answer before it begins, in any supported version. */
  readonly asks?: RegExp
  /** Set where a resume may make the agent delete the conversation: what its settings say that rules it out. */
  readonly deletesResumed?: DeletesResumed
  /** Of the files that a running one holds open, those whose names have its session's id, as the first group. */
  readonly heldFile?: RegExp
  /** For an agent that chooses its own ids: how to see which sessions have begun; absent: that cannot be seen. */
  readonly begun?: BegunSessions
}

export interface DeletesResumed {
  /** JSON files of settings, tried in order; the first that has the value counts. */
  readonly settings: (place: AgentPlace) => readonly string[]
  /** The way to the value, and what it is where nothing is deleted. */
  readonly field: readonly string[]
  readonly safe: unknown
}

export interface BegunSessions {
  /** Where the transcripts of all sessions are, with the id as the first group of the name; null: not known. */
  readonly place: (place: AgentPlace) => (TranscriptFolder & { readonly name: RegExp }) | null
  /** When the session of this id began, in ms since the epoch; null: the id does not tell. */
  readonly at: (sessionId: string) => number | null
}

/** Rows by agent name. */
export type AgentTable = Readonly<Record<string, AgentRow>>
