/** What a command works with, and its arguments and options as the types that the parser has checked them for. */

import { defaultIndexPath, inlineCommand, type OwnCommand } from '../admin.js'
import { CrashResumeError } from '../index.js'
import type { Output } from './text/output.js'
import type { Look } from './text/table.js'

export interface Parsed {
  readonly name: string
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** The index that --path names. */
  readonly path: string | undefined
  readonly json: boolean
}

/** What a quick command needs. */
export interface QuickTask extends Parsed {
  readonly file: string
  readonly out: Pick<Output, 'print'>
}

export interface Task extends QuickTask {
  readonly out: Output
  readonly look: Look
}

/** The index that a command is about: --path, else CRASH_RESUME_INDEX_PATH, else the default. */
export function indexPath({ path }: Parsed): string {
  return path || defaultIndexPath()
}

/** A command line of ours about the index of this one, in backticks. */
export function inline({ path }: Parsed, command: OwnCommand): string {
  return inlineCommand(command, path)
}

/** A mistake on the command line, and what to give instead. */
export function mistake(what: string, next: string): CrashResumeError {
  return new CrashResumeError('ERR_INVALID_INPUT', what, { next })
}

export function arg(task: Parsed, at: number): string {
  return task.args[at] ?? ''
}

export function text(task: Parsed, name: string): string | undefined {
  const value = task.options[name]
  return typeof value === 'string' ? value : undefined
}

export function number(task: Parsed, name: string): number | undefined {
  const value = task.options[name]
  return typeof value === 'number' ? value : undefined
}

export function flag(task: Parsed, name: string): boolean {
  return task.options[name] === true
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
