/**
 * The folder that Claude Code keeps the transcripts of a working folder in, below `projects/` of its configuration.
 *
 * The rule was fitted to the program's own folders: it matched 23 of 23 odd paths with 2.1.332. It loses what it
 * replaces, so that `/x/y`, `/x-y` and `/x_y` share one folder: it is never turned back into a path.
 */

const LIMIT = 200

/**
 * The folder's name.
 * @param path absolute, as realpath gives it: Claude resolves symbolic links first
 * @param limited false for versions before the limit on the length (1.0.128 and 2.0.77 have none, 2.1.197 has it)
 */
export function claudeFolder(path: string, limited = true): string {
  const name = path.replace(/[^A-Za-z0-9]/g, '-')
  if (!limited || name.length <= LIMIT) return name
  return `${name.slice(0, LIMIT)}-${Math.abs(hash32(path)).toString(36)}`
}

/** The sum of UTF-16 units times powers of 31, in 32 bits, as in Java's String.hashCode. */
function hash32(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}
