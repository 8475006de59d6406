#!/usr/bin/env node
/**
 * The bin's entry. Agents' hooks start it at every session start, so `hook`, `record` and `touch` are done here, with
 * the parser that Node brings; everything else, and whatever is unusual about these, is loaded when it is asked for.
 */
import { parseArgs } from 'node:util'
import { recordToFile, touchInFile } from '../index.js'
import { complain, exitCodeOf, warnAbout } from './complain.js'
import { runHookCommand } from './hook.js'
import { indexPath } from './index-path.js'

const QUICK_OPTIONS = {
  path: { type: 'string' },
  json: { type: 'boolean' },
  agent: { type: 'string' },
  cwd: { type: 'string' },
  strict: { type: 'boolean' }
} as const

/** A quick command that ran; null: it is for the full commands. */
async function quick(argv: readonly string[]): Promise<number | null> {
  const [name, ...rest] = argv
  if (name !== 'record' && name !== 'touch' && name !== 'hook') return null
  const parsed = parseQuickly(rest)
  if (parsed === null) return null
  const { positionals, values } = parsed
  if (name === 'hook') {
    const [agent, payload] = positionals
    if (agent === undefined || positionals.length > 2) return null
    const { path, json = false, strict = false } = values
    return runHookCommand({ agent, notified: payload !== undefined, path, json, strict })
  }
  if (values.json || values.strict) return null
  const path = indexPath(values.path)
  if (name === 'touch') {
    const [surfaceId] = positionals
    if (surfaceId === undefined || positionals.length !== 1 || values.agent || values.cwd) return null
    await touchInFile(path, surfaceId, { onWarning: warnAbout })
    return 0
  }
  const [surfaceId, sessionId, repo, role] = positionals
  if (surfaceId === undefined || sessionId === undefined || repo === undefined || positionals.length > 4) return null
  const { agent, cwd } = values
  const entry = {
    surfaceId,
    sessionId,
    repo,
    ...(role === undefined ? {} : { role }),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd })
  }
  await recordToFile(path, entry, { onWarning: warnAbout })
  return 0
}

type Quick = ReturnType<typeof parseArgs<{ options: typeof QUICK_OPTIONS; allowPositionals: true }>>

function parseQuickly(args: readonly string[]): Quick | null {
  try {
    return parseArgs({ args: [...args], options: QUICK_OPTIONS, allowPositionals: true, strict: true })
  } catch {
    return null
  }
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    const done = await quick(argv)
    if (done !== null) return done
    const { full } = await import('./full.js')
    return await full(argv)
  } catch (error) {
    complain(error)
    return exitCodeOf(error)
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
