/**
 * Claude Code's transcripts: `projects/<folder>/<session id>.jsonl` in its configuration folder.
 *
 * The path that its hooks report comes first, then the folder of the launch folder, and then every other folder: the
 * name of the file is the session's id, so that one found elsewhere is the same session, under another spelling of the
 * folder or moved. (Transcripts have been found so with 1.0.128, 2.0.77, 2.1.197 and 2.1.332.)
 */
import { basename, dirname, join } from 'node:path'
import { claudeFolder } from '../core/claude-folder.js'
import {
  agentHome,
  type Environment,
  type Finding,
  firstFound,
  jsonLines,
  namesAtHome,
  namesIn,
  type Surroundings,
  spellings,
  type TranscriptProbe,
  unknown
} from './transcript-files.js'

/** No file system takes longer names. */
const NAME_BYTES = 255

export const claudeTranscript: TranscriptProbe = async ({ sessionId, cwd, transcript }, around) => {
  const file = `${sessionId}.jsonl`
  const config = claudeConfig(around.env, cwd, around.home)
  const places: (() => Promise<Finding>)[] = []
  if (transcript !== undefined && basename(transcript) === file) {
    places.push(() => jsonLines(transcript, 'reported'))
    places.push(() => anywhere(dirname(dirname(transcript)), file, around))
  }
  if (config === null) {
    if (places.length === 0) places.push(async () => unknown('CLAUDE_CONFIG_DIR is relative, to a folder not known'))
    return firstFound(places, around, 'no transcript of this session')
  }
  const projects = join(config, 'projects')
  const known = places.length > 0
  for (const folder of await ownFolders(around.env, cwd))
    places.push(() => jsonLines(join(projects, folder, file), 'own'))
  places.push(() => anywhere(projects, file, around, !known))
  return firstFound(places, around, `no transcript of this session under ${projects}`)
}

/** The configuration folder. An empty variable names the working folder (seen with 2.1.332). */
export function claudeConfig(env: Environment, cwd: string | undefined, home: string): string | null {
  return agentHome(env['CLAUDE_CONFIG_DIR'], cwd, join(home, '.claude'))
}

async function ownFolders(env: Environment, cwd: string | undefined): Promise<readonly string[]> {
  // Takes the folder's place, but only where the configuration folder is given as well (2.1.332).
  const named = env['CLAUDE_CODE_PROJECT_DIR_NAME'] ?? ''
  const fixed = env['CLAUDE_CONFIG_DIR'] !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(named) ? [named] : []
  const paths = cwd === undefined ? [] : await spellings(cwd)
  const names = paths.flatMap((path) => [claudeFolder(path), claudeFolder(path, false)])
  return [...new Set([...fixed, ...names.filter((name) => name.length <= NAME_BYTES)])]
}

/** Looks into every folder; `home`: there must be some, or the agent has another configuration folder. */
async function anywhere(projects: string, file: string, around: Surroundings, home = false): Promise<Finding> {
  const names = await namesIn(projects)
  const folders = home ? namesAtHome(names, projects) : names
  if ('state' in folders) return folders
  const places = folders.map((folder) => () => jsonLines(join(projects, folder, file), 'elsewhere'))
  return firstFound(places, around, 'no such file')
}
