/**
 * Faults to plant between the crash and the resume (`--plant NAME`): with each of them the demonstration must fail.
 * They change files and launchers behind the index's back; none uses the code that it is there to put to the test.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Run right after the crash. */
export const FAULTS = {
  /** Two surfaces of one repository have each other's session. */
  swap(stage) {
    changeEntries(stage, (entries) => {
      const [one, other] = Object.values(entries).filter(({ repo }) => repo === stage.repos[0])
      const { sessionId } = one
      one.sessionId = other.sessionId
      other.sessionId = sessionId
    })
  },
  /** The index has lost a surface. */
  forget(stage) {
    changeEntries(stage, (entries) => {
      delete entries[Object.keys(entries)[0]]
    })
  },
  /** A conversation is gone from the disk. */
  transcript(stage) {
    const folder = join(stage.transcripts, readdirSync(stage.transcripts)[0])
    rmSync(join(folder, readdirSync(folder)[0]))
  },
  /** A conversation has lost its last turn. */
  memory(stage) {
    const folder = join(stage.transcripts, readdirSync(stage.transcripts)[0])
    const path = join(folder, readdirSync(folder)[0])
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    writeFileSync(path, `${lines.slice(0, -2).join('\n')}\n`)
  },
  /** The launchers drop their arguments: every agent starts a new session. */
  fresh(stage) {
    for (const repo of stage.repos) {
      const path = join(stage.bin, stage.launcherOf(repo))
      writeFileSync(path, readFileSync(path, 'utf8').replace(' "$@"', ''))
    }
  },
  /** Nothing here: the demonstration spares one process that it has to see dead. */
  survivor() {}
}

/** Writes the index anew, without a history: a file as older tools write it. */
function changeEntries(stage, change) {
  const { version, entries } = JSON.parse(readFileSync(stage.index, 'utf8'))
  change(entries)
  rmSync(`${stage.index}.history`, { recursive: true })
  writeFileSync(stage.index, JSON.stringify({ version, entries }))
}
