/**
 * Everything known of an agent program: one row an agent, from src/agents or from the caller. Rows are data and pure
 * functions; nothing here looks at a disk. The defaults are in table.ts.
 */

import type { Environment } from '../core/environment.js'
import type { AgentPlace } from './agent-place.js'
import type { AgentHooks, PayloadDialect } from './hook-facts.js'
import type { AgentProgram } from './program.js'

/**
 * What follows a flag: nothing, one argument, one that may be missing, or all that come before the next flag. An
 * argument that begins with `-` must be joined to its flag by `=`.
 */
export type FlagArity = 0 | 1 | 'optional' | 'many'
/** Flags by their spelling, each alias on its own. */
export type FlagTable = Readonly<Record<string, FlagArity>>

/** Where a session's transcript may be: tried in order. */
export type TranscriptPlace =
  /** Exactly this file. `root`: the folder of all sessions; without it the agent must keep them elsewhere. */
  | { readonly kind: 'file'; readonly path: string; readonly root?: string; readonly message?: MessageMark }
  | TranscriptFolder
  /** A row in an SQLite file: the query has the session's id as its one parameter, and a result where it exists. */
  | { readonly kind: 'sqlite'; readonly path: string; readonly query: string }
  /** A store that this library cannot read; the answer is unknown. */
  | { readonly kind: 'opaque'; readonly path: string }

/** What a line's JSON has where the session holds a message of a person or of the agent: the rest is about it. */
export interface MessageMark {
  readonly field: string
  readonly values: readonly string[]
}

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
  /** Absent: any JSON is enough. */
  readonly message?: MessageMark
  /** Put away by the person: whether such a session can be resumed is not known. */
  readonly archived?: boolean
}

/** All that is known of one agent program. */
export interface AgentRow extends AgentProgram {
  /** The newest version that these facts were seen with; absent: they are from documentation, and nothing was run. */
  readonly seen?: string
  /** The program to run; a caller's row may give a path. */
  readonly file: string

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
  /** Launch flags that a resume keeps. */
  readonly keepFlags: FlagTable
  /** Launch flags that it keeps on a person's word only: what loosens permissions, or names settings. */
  readonly grantFlags: FlagTable
  /** Of those with one argument, the values that hold the agent back: with such a value a resume keeps the flag. */
  readonly strictValues: Readonly<Record<string, RegExp>>
  /** Of both, those that the form without a terminal does not take. */
  readonly terminalFlags: readonly string[]
  /** Flags that choose the session, and give way to ours whatever else is kept. */
  readonly identityFlags: FlagTable
  /** Of those, the ones that resume the session of the id behind them. @default that of `resume` */
  readonly resumeFlags: readonly string[]
  /** Of those, the ones that only shape a new session: a start keeps them. */
  readonly startFlags: readonly string[]
  /** Words, as the first one, that choose a session too, beside the one of `resume`. */
  readonly sessionWords: readonly string[]
  /** Words, among the first two, that start it without a person. */
  readonly headlessWords: readonly string[]
  /** Flags that do so. */
  readonly headlessFlags: readonly string[]
  /** Words, as the first one, that do something else than begin a conversation. */
  readonly chores: readonly string[]
  /** Those of the chores that may open a conversation in their own process. */
  readonly openers: readonly string[]

  /** The agent finds a session only from its launch folder (in some supported version). */
  readonly resumeBoundToCwd: boolean
  /** Known to go wrong, one line each, with the versions it was seen in. */
  readonly hazards: readonly string[]
  /** Set where a resume may make the agent delete the conversation: what its settings say that rules it out. */
  readonly deletesResumed?: DeletesResumed
  /** Set where it removes old conversations by itself. */
  readonly retention?: RetentionRule

  /** Variables that say where it keeps its sessions, and so which account it is; never one that holds a secret. */
  readonly homeVariables: readonly string[]
  /** Set where the path of a transcript tells one of these variables. */
  readonly homeOf?: HomeRule
  /** Variables that it sets for what it starts. They must not reach another start. */
  readonly marks: readonly string[]
  /**
   * Variables of which each of its hooks has one, in any supported version, and no hook of another agent. They tell
   * whose hook it is where the program does not. Empty: its hooks have none.
   */
  readonly hookMarks: readonly string[]
  /** Variables of programs without a row that run the hooks of this agent. */
  readonly foreignMarks: readonly string[]
  /** A variable in which it tells its hooks their session's id, in some supported version. */
  readonly sessionVariable?: string
  /** Variables that only its background sessions have, whose environment names another session's pane. */
  readonly backgroundVariables: readonly string[]
  /** Whether the environment of its hooks says that no person is in front of it. */
  readonly isUnattended: (env: Environment) => boolean
  /** Working folders of background sessions, which are no projects. */
  readonly jobFolder?: RegExp

  /** Where a transcript may be; empty: not known. */
  readonly transcripts: (sessionId: string, place: AgentPlace) => readonly TranscriptPlace[]
  /** A transcript only grows in normal use: a smaller one, or one that begins otherwise, has lost something. */
  readonly transcriptGrows: boolean
  /** Set where the path of a transcript tells the launch folder. */
  readonly launchFolder?: LaunchFolderRule
  /** For an agent that chooses its own ids: how to see which sessions have started; absent: that cannot be seen. */
  readonly startedSince?: StartedSince
  /** Of the files that a running one holds open, those whose names have its session's id, as the first group. */
  readonly sessionFilePattern?: RegExp
  /** A resumed one shows its session with its next prompt only. */
  readonly showsWithPrompt?: true
  /** The note that a running one keeps of itself. */
  readonly processNote?: ProcessNote
  /** Where it leaves on disk that a conversation went on under another id. */
  readonly continued?: ContinuedRule
  /** Every known way in which it takes a conversation to another id. */
  readonly moves: readonly Move[]
  /** Set where it would leave its sessions to a server that it shares between panes. */
  readonly sharedServer?: SharedServer

  /** What it says on its output where the session is not to be found, in any supported version. */
  readonly sessionGone?: RegExp
  /** What it shows while it waits for an answer before it starts, in any supported version. */
  readonly startupQuestion?: RegExp

  /** Absent: its hooks cannot be installed from here. */
  readonly hooks?: AgentHooks
  /** What it tells its hooks. */
  readonly payload: PayloadDialect
  /** The reasons for an end, in its own words, that mean that the person left it, as long as its terminal is there. */
  readonly ownExits: readonly string[]
}

/** What a caller says of an agent: its name, and whatever differs from the defaults. */
export type AgentRowInput = Pick<AgentRow, 'name'> & {
  readonly [Field in keyof AgentRow]?: AgentRow[Field] | undefined
}

/** How the folder that a variable names is told from the path of a transcript. */
export interface HomeRule {
  readonly variable: string
  /** Null: the path does not tell. */
  readonly folder: (transcript: string) => string | null
  /** Without the variable, below the home folder. */
  readonly fallback: string
}

/** How long an agent keeps a transcript after its last change. */
export interface RetentionRule {
  /** JSON files of settings, tried in order; the first that has the value counts. */
  readonly settings: (place: AgentPlace) => readonly string[]
  /** The way to the number of days. */
  readonly field: readonly string[]
  /** Where no file has it. */
  readonly days: number
}

/** How an agent may come to delete a conversation that is resumed, and what rules it out. */
export interface DeletesResumed {
  /** JSON files of settings, tried in order; the first that has the value counts. */
  readonly settings: (place: AgentPlace) => readonly string[]
  /** The way to the value, and what it is where nothing is deleted. */
  readonly field: readonly string[]
  readonly safe: unknown
}

/** How the launch folder of a session is told from its transcript. */
export interface LaunchFolderRule {
  /** Whether a transcript at this path belongs to a session that was launched in this folder. */
  readonly keeps: (transcript: string, folder: string) => boolean
  /** A variable in which it tells its hooks a folder that may be the one. */
  readonly variable: string
}

/** How to see which sessions of an agent have started, where it chooses its own ids. */
export interface StartedSince {
  /** Where the transcripts of all sessions are, with the id as the first group of the name; null: not known. */
  readonly place: (place: AgentPlace) => (TranscriptFolder & { readonly name: RegExp }) | null
  /** The field near the beginning of a transcript that has a working folder. */
  readonly cwdField: string
  /** When the session of this id started, in ms since the epoch; null: the id does not tell. */
  readonly at: (sessionId: string) => number | null
  /** How long after its process a session begins at most, in ms. */
  readonly withinMs: number
  /** A person's message near the beginning of a transcript: the first group, a string of JSON without its quotes. */
  readonly firstWords: RegExp
}

/** A JSON file of a running agent, named after its process. */
export interface ProcessNote {
  /** Null: not known. */
  readonly path: (pid: number, place: AgentPlace) => string | null
  /** The field that has the session's id. */
  readonly sessionId: string
  /** The field that has the kernel's start time of the process: another one is from an earlier process of that number. */
  readonly start: string
}

/** A way in which an agent takes a conversation to another id. */
export interface Move {
  /** What its person types. */
  readonly by: string
  /** What shows the new id: its hook, its process (its note, the files that it holds), or what it leaves on disk. */
  readonly shownBy: readonly ('hook' | 'process' | 'disk')[]
}

/** How an agent is kept from leaving its sessions to a shared server, whose hooks cannot tell the pane. */
export interface SharedServer {
  /** The flag that does so, where its help names it. */
  readonly flag: string
  /** What does so elsewhere. */
  readonly words: readonly string[]
  /** Flags with which its person has chosen already. */
  readonly chosenBy: readonly string[]
}

/** How to see on disk that a conversation was handed to a background job, or left one, under another id. */
export interface ContinuedRule {
  /** Of the note of a process: the field with the job that its conversation was handed to. */
  readonly noteField: string
  /** The state of a job, a JSON file; null: not known. */
  readonly jobState: (job: string, place: AgentPlace) => string | null
  /** The job that a session is the first of. */
  readonly jobOf: (sessionId: string) => string
  /** Its fields with the first session, and with the one that it is in now. */
  readonly first: string
  readonly now: string
  /** The line of a transcript that has the next session in `next`. It counts where no message comes after it. */
  readonly line: {
    readonly field: string
    readonly value: string
    readonly next: string
    readonly messages: readonly string[]
  }
}

/** Rows by agent name. */
export type AgentTable = Readonly<Record<string, AgentRow>>
