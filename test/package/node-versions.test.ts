/**
 * What `engines` and docs/api.md say of Node: `import` works from the oldest one on, `require()` where Node itself takes
 * an ES module. Each version comes from the npm registry; one that cannot be had from there is left out, and said so.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Consumer, entries } from '../support/consumer.js'
import { root } from '../support/markdown.js'

/** Of each line that takes require() the first version that does, and the oldest Node that `engines` allows. */
const VERSIONS = [
  { version: '20.17', required: 'ERR_REQUIRE_ESM' },
  { version: '20.19', required: 'ok' },
  { version: '22.11', required: 'ERR_REQUIRE_ESM' },
  { version: '22.12', required: 'ok' },
  { version: '24', required: 'ok' }
]

interface Found {
  readonly node: string
  readonly imported: Readonly<Record<string, string>>
  readonly required: Readonly<Record<string, string>>
  readonly written: string
}

/** Prints what it found, whatever happens: no output at all means that this Node could not be had. */
const PROBE = `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const tried = async (load) => {
  try {
    return Object.keys(await load()).length > 0 ? 'ok' : 'empty'
  } catch (error) {
    return error.code ?? String(error)
  }
}
const found = { node: process.version, imported: {}, required: {}, written: '' }
for (const at of ${JSON.stringify(entries.map(({ at }) => at))}) {
  found.required[at] = await tried(() => require(at))
  found.imported[at] = await tried(() => import(at))
}
found.written = await tried(async () => {
  const { loadIndex, recordToFile } = await import('crash-resume-index')
  const path = new URL('index-' + process.version + '.json', import.meta.url).pathname
  await recordToFile(path, { surfaceId: 'pane-1', sessionId: 'a1b2', repo: 'golems' })
  return loadIndex(path).entries
})
console.log('found ' + JSON.stringify(found))
`

const consumer = new Consumer()
let found: readonly (Found | string)[]
beforeAll(async () => {
  const project = consumer.project()
  writeFileSync(join(project, 'probe.mjs'), PROBE)
  found = await Promise.all(VERSIONS.map(({ version }) => probedBy(version, project)))
})
afterAll(() => consumer.remove())

/** What the probe prints under this Node; why not, where it could not be had. */
function probedBy(version: string, cwd: string): Promise<Found | string> {
  return new Promise((resolve) => {
    // Without a network the answer comes soon.
    const env = { ...process.env, npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '1000' }
    const args = ['-y', '-p', `node@${version}`, 'node', 'probe.mjs']
    execFile('npx', args, { cwd, env, timeout: 120_000 }, (error, stdout, stderr) => {
      const [, json] = /^found (.*)$/m.exec(stdout) ?? []
      resolve(
        json === undefined
          ? `${error?.message ?? ''} ${stderr}`.replaceAll(/\s+/g, ' ').slice(0, 200)
          : JSON.parse(json)
      )
    })
  })
}

for (const [at, { version, required }] of VERSIONS.entries()) {
  it(`Node ${version} imports every entry, and require() gives ${required}`, ({ skip }) => {
    const seen = found[at]
    if (seen === undefined || typeof seen === 'string') return skip(`Node ${version} could not be fetched: ${seen}`)
    expect(seen.node).toMatch(new RegExp(`^v${version}\\.`))
    const all = (answer: string): object => Object.fromEntries(entries.map((entry) => [entry.at, answer]))
    expect(seen).toMatchObject({ imported: all('ok'), required: all(required), written: 'ok' })
  })
}

it('engines names the oldest of them', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
  expect(engines.node).toBe(`>=${VERSIONS[0]?.version}`)
})
