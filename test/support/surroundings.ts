/**
 * Global setup: the tests see none of the surroundings that they are run in. They have a home of their own, a temporary
 * folder that lies in no repository, one umask, one language, a time zone half an hour off, and no variable of a
 * terminal or of an agent.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topOf } from '../../src/probes/repo.js'

/** What a test may see of the environment: where programs are, how this run was asked for, and what preloads need. */
const KEPT = /^(PATH|TZ|CI|NO_COLOR|FORCE_COLOR|LD_\w+|FAKETIME\w*|(CRI|NODE|VITEST|npm)_\w+)$/

/** A socket's path has at most 108 bytes, and the tests' own names take up to 60 of them. */
const LONGEST = 40

export default function setup(): () => void {
  const folder = mkdtempSync(join(temporary(), 'cri-'))
  // Some tests give up root, and must get to their own folders.
  chmodSync(folder, 0o755)
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name]
  const home = join(folder, 'home')
  mkdirSync(home)
  Object.assign(process.env, { HOME: home, TMPDIR: folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' })
  process.env['TZ'] ??= 'America/St_Johns'
  process.umask(0o022)
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The system's temporary folder, or one of the usual places where that one lies in a repository or is too deep. */
function temporary(): string {
  for (const place of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    try {
      const real = realpathSync(place)
      if (topOf(real) === null && real.length <= LONGEST) return real
    } catch {
      // Not there: the next one.
    }
  }
  throw new Error('no temporary folder outside of a repository: set TMPDIR to one with a short name')
}
