/**
 * The real agent programs against this library: opt-in, since it needs what a user's machine may not have.
 *
 * It needs Linux, root (for a network namespace), tmux, iproute2, util-linux, a build in dist/, and the programs
 * themselves: a folder with an npm prefix for each in CRI_REAL_AGENTS (npm install --prefix $CRI_REAL_AGENTS/claude
 * @anthropic-ai/claude-code, and .../codex @openai/codex). It says what is missing, with exit code 1.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CLI, openLab } from './lab.mjs'

const wanted = process.argv.slice(2)
const names = wanted.length > 0 ? wanted : ['claude', 'codex', 'panes', 'moves']
const scenarios = await Promise.all(names.map(async (name) => ({ name, ...(await import(`./${name}.mjs`)) })))
const folder = process.env.CRI_REAL_AGENTS ?? ''
const missing = []
if (process.platform !== 'linux') missing.push('Linux')
if (process.getuid?.() !== 0) missing.push('root, for a network namespace of its own')
for (const tool of ['tmux', 'ip', 'unshare', 'nsenter']) {
  const found = (process.env.PATH ?? '').split(':').some((path) => existsSync(join(path, tool)))
  if (!found) missing.push(tool)
}
if (!existsSync(CLI)) missing.push('a build: npm run build')
const binOf = (program) => join(folder, program, 'node_modules', '.bin')
for (const program of new Set(scenarios.flatMap(({ programs }) => programs))) {
  const bin = binOf(program)
  if (!existsSync(join(bin, program))) missing.push(`${program} in ${bin} (CRI_REAL_AGENTS names the folder)`)
}
if (missing.length > 0) {
  console.error(`cannot run; missing:\n${missing.map((what) => `  ${what}`).join('\n')}`)
  process.exit(1)
}

let failed = 0
for (const { name, programs, scenario } of scenarios) {
  const lab = await openLab(programs.map(binOf))
  try {
    const versions = programs.map((program) => `${program} ${lab.run(program, ['--version']).trim()}`)
    console.log(`\n${programs.includes(name) ? '' : `${name}: `}${versions.join(', ')}`)
    await scenario(lab, (line) => console.log(`  ${line.replaceAll(lab.root, '')}`))
    console.log('  passed')
  } catch (error) {
    failed += 1
    console.log(`  FAILED: ${error.message}`)
    if (process.env.CRI_SHOW) {
      console.log(JSON.stringify(lab.entries(), null, 1))
      for (const socket of readdirSync(lab.root).filter((file) => file.endsWith('.sock'))) {
        try {
          const server = socket.slice(0, -5)
          for (const pane of lab.tmux(server, 'list-panes', '-a', '-F', '#{pane_id}').trim().split('\n')) {
            console.log(`${server} ${pane}\n${lab.tmux(server, 'capture-pane', '-p', '-t', pane).trimEnd()}`)
          }
        } catch {}
      }
    }
  } finally {
    await lab.close()
  }
}
console.log(`\n${names.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
