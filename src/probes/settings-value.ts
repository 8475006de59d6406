/** What an agent's settings say. */
import { type Known, known } from './known.js'
import { jsonIn } from './session-of-process.js'

/** The value that the first of these JSON files has for a field; undefined: none has it. */
export function settingsValue(paths: readonly string[], field: readonly string[]): Known<unknown> {
  for (const path of paths) {
    const file = jsonIn(path)
    if (!file.known) return file
    let value: unknown = file.value
    for (const name of field) {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      value = isThere ? Reflect.get(value as object, name) : undefined
    }
    if (value !== undefined) return known(value)
  }
  return known(undefined)
}
