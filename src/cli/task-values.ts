/** What the parser has checked, as the types that it has checked for. */
import type { Task } from './run.js'

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

/** The fields that have a value. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
