/** What a command works with, and what the parser has checked as the types that it has checked for. */
import type { Parsed } from './parse.js'
import type { Output } from './text/output.js'
import type { Look } from './text/table.js'

/** What a command works with. */
export interface Task extends Parsed {
  readonly file: string
  readonly out: Output
  readonly look: Look
}

export function arg(task: Task, at: number): string {
  return task.args[at] ?? ''
}

export function text(task: Task, name: string): string | undefined {
  const value = task.options[name]
  return typeof value === 'string' ? value : undefined
}

export function number(task: Task, name: string): number | undefined {
  const value = task.options[name]
  return typeof value === 'number' ? value : undefined
}

export function flag(task: Task, name: string): boolean {
  return task.options[name] === true
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
