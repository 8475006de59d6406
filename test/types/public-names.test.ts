/**
 * What each entry of the package exports, read from its built declarations: few names at the main one, each with a
 * docstring, and no type in a signature that a caller cannot name.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { entries } from '../support/consumer.js'
import { root } from '../support/markdown.js'
import { built } from '../support/programs.js'

interface Name {
  readonly name: string
  readonly id: string
  readonly doc: string
  /** What stands in the signature of a function or a value. */
  readonly direct: readonly string[]
  /** What stands in the members of a type. */
  readonly deep: readonly string[]
}

interface Door {
  readonly entry: string
  readonly names: readonly Name[]
}

let api: readonly Door[]
beforeAll(() => {
  built('index.d.ts')
  api = JSON.parse(
    execFileSync(process.execPath, [join(root, 'test/docs/public-api.mjs')], { encoding: 'utf8', maxBuffer: 1 << 26 })
  )
})

/** `entry: name <- type` for each type that cannot be named: directly from another entry, inside a type from none. */
function unnamed(doors: readonly Door[]): string[] {
  const anywhere = new Set(doors.flatMap(({ names }) => names.map(({ id }) => id)))
  return doors.flatMap(({ entry, names }) => {
    const here = new Set(names.map(({ id }) => id))
    return names.flatMap(({ name, direct, deep }) =>
      [...direct.filter((id) => !here.has(id)), ...deep.filter((id) => !anywhere.has(id))].map(
        (id) => `${entry}: ${name} <- ${id.slice(id.indexOf('#') + 1)}`
      )
    )
  })
}

describe('the public names', () => {
  it('are those of all entries', () => {
    expect(api.map(({ entry }) => entry)).toEqual(entries.map(({ at }) => at))
  })

  it('are about 45 at the main entry, and at most 60', () => {
    expect(api[0]?.names.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "CommandOptions",
        "CommandSpec",
        "CrashResumeError",
        "DEFAULT_INDEX_PATH",
        "Decision",
        "DecisionReason",
        "Entry",
        "ErrorCode",
        "Evidence",
        "ExplainOptions",
        "FileOptions",
        "GateAnswer",
        "GateOptions",
        "Index",
        "Machine",
        "Observed",
        "Owner",
        "Policy",
        "Preview",
        "PreviewOptions",
        "RecordInput",
        "RecoverOptions",
        "RecoveryReport",
        "RecoveryRow",
        "ResumeTask",
        "SettleResult",
        "Sighting",
        "StatusOptions",
        "StatusReport",
        "StatusRow",
        "Store",
        "StoreOptions",
        "SurfaceRequest",
        "Verdicts",
        "emptyIndex",
        "endInFile",
        "environmentFor",
        "explain",
        "gate",
        "launcherFor",
        "loadIndex",
        "lookup",
        "observe",
        "openStore",
        "ownerOf",
        "preview",
        "pruneStale",
        "record",
        "recordToFile",
        "recoverAll",
        "resumableFor",
        "resumeCommand",
        "resumeSpec",
        "saveIndex",
        "statusOf",
        "thisMachine",
        "touch",
        "touchInFile",
        "updateIndex",
        "verdictsFor",
      ]
    `)
    expect(api[0]?.names.length).toBeLessThanOrEqual(60)
  })

  it('can say every type that their signatures hold', () => {
    expect(unnamed(api)).toEqual([])
  })

  it.each([
    ['gate', 'GateAnswer'],
    ['lookup', 'Entry'],
    ['recordToFile', 'FileOptions']
  ])('would not if %s could not say %s', (name, type) => {
    const [main, ...others] = api as [Door, ...Door[]]
    const less = { ...main, names: main.names.filter((one) => one.name !== type) }
    expect(unnamed([less, ...others])).toContain(`crash-resume-index: ${name} <- ${type}`)
  })

  it('would not if a type inside of another one were exported nowhere', () => {
    const less = api.map((door) => ({ ...door, names: door.names.filter(({ name }) => name !== 'LastAttempt') }))
    expect(unnamed(less)).toContain('crash-resume-index: Entry <- LastAttempt')
  })

  it('have a docstring each', () => {
    const without = api.flatMap(({ entry, names }) =>
      names.filter(({ doc }) => doc.trim() === '').map((one) => `${entry}: ${one.name}`)
    )
    expect(without).toEqual([])
  })
})
