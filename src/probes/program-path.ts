/** The path of a program, as a shell finds it. The panes of a terminal server may have another PATH. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Null: it is not on the PATH. */
export function programPath(file: string, env: Readonly<Record<string, string | undefined>>): string | null {
  if (file.includes('/')) return isProgram(file) ? file : null
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder === '' ? '.' : folder, file)
    if (isProgram(path)) return path
  }
  return null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
